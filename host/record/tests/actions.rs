//! Actions as they stand in files, and as people and models read them.

use dynacu_record::vocabulary::{Action, ActionKind, MouseButton, Point, ScrollDirection};

/// An action of a kind, its JSON and its prose.
fn example(kind: ActionKind) -> (Action, &'static str, &'static str) {
    let at = Point { x: 200, y: 300 };
    match kind {
        ActionKind::Click => (
            Action::Click {
                at,
                button: MouseButton::Right,
                count: 2,
            },
            r#"{"kind":"click","at":[200,300],"button":"right","count":2}"#,
            "click(200, 300, right, 2 times)",
        ),
        ActionKind::Move => (
            Action::Move { to: at },
            r#"{"kind":"move","to":[200,300]}"#,
            "move(200, 300)",
        ),
        ActionKind::Drag => (
            Action::Drag {
                start: at,
                end: Point { x: 7, y: 0 },
            },
            r#"{"kind":"drag","start":[200,300],"end":[7,0]}"#,
            "drag(200, 300 to 7, 0)",
        ),
        ActionKind::Type => (
            Action::Type {
                text: "64\n".to_owned(),
            },
            r#"{"kind":"type","text":"64\n"}"#,
            r#"type "64\n""#,
        ),
        ActionKind::Key => (
            Action::Key {
                combo: "ctrl+a".to_owned(),
            },
            r#"{"kind":"key","combo":"ctrl+a"}"#,
            "key ctrl+a",
        ),
        ActionKind::Scroll => (
            Action::Scroll {
                at: Some(at),
                direction: ScrollDirection::Down,
                amount: 3,
            },
            r#"{"kind":"scroll","at":[200,300],"direction":"down","amount":3}"#,
            "scroll down 3 at (200, 300)",
        ),
        ActionKind::Speak => (
            Action::Speak {
                text: "Canberra.".to_owned(),
            },
            r#"{"kind":"speak","text":"Canberra."}"#,
            r#"speak "Canberra.""#,
        ),
        ActionKind::Wait => (
            Action::Wait { ms: 1500 },
            r#"{"kind":"wait","ms":1500}"#,
            "wait 1.5s",
        ),
        ActionKind::Done => (Action::Done, r#"{"kind":"done"}"#, "done"),
    }
}

#[test]
fn actions_are_typed_in_files_and_prose_for_people() {
    for kind in ActionKind::ALL {
        let (action, json, prose) = example(*kind);
        assert_eq!(serde_json::to_string(&action).unwrap(), json);
        assert_eq!(serde_json::from_str::<Action>(json).unwrap(), action);
        assert_eq!(action.to_string(), prose);
        let named = format!(r#"{{"kind":"{kind}""#);
        assert!(json.starts_with(&named), "{json} is no {kind}");
        assert_eq!(ActionKind::named(kind.name()), Some(action.kind()));
    }
    assert_eq!(ActionKind::named("Click"), None);
}
