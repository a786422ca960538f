use super::*;
use crate::{ActionKind, Duration, ScrollDirection};

const SCREEN: Size = Size {
    width: 1280,
    height: 720,
};

fn tools() -> Tools {
    Tools::new(SCREEN).with_speech(true)
}

fn read(name: &str, arguments: &str) -> Result<Action, String> {
    tools()
        .read(&ToolCall::new("c", name, arguments))
        .map(|read| read.action)
        .map_err(|unusable| unusable.0)
}

#[test]
fn the_list_is_what_the_readme_says() {
    let list: Vec<String> = tools()
        .with_notes(true)
        .list()
        .into_iter()
        .map(|tool| {
            format!(
                "{}: {}\n{}\n",
                tool.name, tool.description, tool.input_schema
            )
        })
        .collect();
    insta::assert_snapshot!(list.concat());
}

#[test]
fn without_tools_the_same_is_said_in_words() {
    insta::assert_snapshot!(Tools::new(SCREEN).on_grid(Some(1000)).in_words());
}

/// Actions of a kind, made in the short ways where there are some.
fn samples(kind: ActionKind) -> Vec<Action> {
    let at = Point { x: 3, y: 719 };
    let click = |button, count| Action::Click(Click { at, button, count });
    match kind {
        ActionKind::Click => vec![
            Action::click(0, 0),
            click(MouseButton::Right, 2),
            click(MouseButton::Middle, 1),
        ],
        ActionKind::Move => vec![Action::move_to(3, 719)],
        ActionKind::Drag => vec![Action::drag(at, (1279, 0))],
        ActionKind::Type => vec![Action::type_text("two\n\"lines\"")],
        ActionKind::Key => vec![Action::key("ctrl+a")],
        ActionKind::Scroll => vec![
            Action::scroll(ScrollDirection::Left, 3),
            Action::Scroll(Scroll {
                at: Some(at),
                direction: ScrollDirection::Down,
                amount: 1,
            }),
        ],
        ActionKind::Speak => vec![Action::speak("Canberra.")],
        ActionKind::Wait => vec![Action::wait(Duration::from_millis(1_500))],
        ActionKind::Done => vec![Action::Done],
    }
}

#[test]
fn what_is_written_for_an_action_reads_as_that_action() {
    for kind in ActionKind::ALL {
        for action in samples(*kind) {
            let call = ToolCall::of_action("c", &action);
            assert_eq!(call.name, kind.name());
            let read = tools().read(&call).unwrap();
            assert_eq!((&read.action, &read.tolerated[..]), (&action, &[][..]));
        }
    }
}

#[test]
fn points_come_back_from_a_smaller_picture_and_from_a_grid() {
    let call = ToolCall::new("c", "click", r#"{"x": 512, "y": 100}"#);
    let half = Size {
        width: 640,
        height: 360,
    };
    let from_half = tools().sent_as(half).read(&call).unwrap().action;
    assert_eq!(from_half, Action::click(1024, 200));
    let from_grid = tools().sent_as(half).on_grid(Some(1000));
    assert_eq!(
        from_grid.read(&call).unwrap().action,
        Action::click(655, 72)
    );
    for tools in [tools().sent_as(half), from_grid] {
        let drag = ToolCall::new(
            "c",
            "drag",
            r#"{"start_x": 0, "start_y": 359, "end_x": 639, "end_y": 7}"#,
        );
        let action = tools.read(&drag).unwrap().action;
        let told = tools.as_the_model_says(&action);
        let expected = Action::drag((0, 359), (639, 7));
        assert_eq!(told, expected, "what the model named is what it is told");
    }
    // Outside stays outside: the host refuses it.
    assert_eq!(
        read("click", r#"{"x": 1280, "y": -5}"#),
        Ok(Action::click(1280, -5))
    );
}

#[test]
fn what_was_meant_beyond_doubt_is_read() {
    let click = Action::click(640, 360);
    for (name, arguments) in [
        ("functions.Left_Click ", r#"{"x":640,"y":360}"#),
        ("click", r#"{"x": 640.0, "y": "360"}"#),
        ("click", r#"{"x": 639.5, "y": 360.4}"#),
        ("click", r#"{"coordinate": [640, 360]}"#),
        ("click", r#""{\"x\": 640, \"y\": 360}""#),
        ("click", r#"{"x": 640, "y": 360,}""""#),
        ("click", r#"{"x": 640, "y": 360, "__proto__": {}}"#),
    ] {
        let call = ToolCall::new("c", name, arguments);
        let read = tools().read(&call).unwrap();
        assert_eq!(read.action, click, "{name} {arguments}");
        let exact = name == "click" && arguments.contains("640.0, \"y\": 360");
        assert_ne!(read.tolerated.is_empty(), !exact, "{name} {arguments}");
    }
    for empty in ["", "{}", "null"] {
        assert_eq!(read("done", empty), Ok(Action::Done));
        assert_eq!(
            read("wait", empty),
            Ok(Action::wait(Duration::from_millis(1_000)))
        );
    }
    assert_eq!(
        read("wait", r#"{"seconds": 1e9}"#),
        Ok(Action::wait(Duration::from_millis(60_000)))
    );
    assert_eq!(
        read("key", r#"{"keys": ["CTRL", "T"]}"#),
        Ok(Action::key("CTRL+T"))
    );
    assert_eq!(
        read("key", r#"{"combo": "Ctrl-Shift-t"}"#),
        Ok(Action::key("Ctrl+Shift+t"))
    );
    assert_eq!(
        read("key", r#"{"combo": "ctrl++"}"#),
        Ok(Action::key("ctrl+plus"))
    );
    assert_eq!(read("type", r#"{"text": 64}"#), Ok(Action::type_text("64")));
    let double = read("double_click", r#"{"x": 5, "y": 6}"#).unwrap();
    assert_eq!(double.to_string(), "click(5, 6, 2 times)");
    let down = read("scroll", r#"{"direction": "Down ", "amount": 3}"#);
    assert_eq!(down, Ok(Action::scroll(ScrollDirection::Down, 3)));
}

#[test]
fn everything_else_is_a_reason_that_names_the_argument() {
    for (name, arguments, reason) in [
        ("zoom", "{}", "there is no tool `zoom`"),
        ("click", "", "`x` of `click` is missing"),
        ("click", r#"{"x": 640}"#, "`y` of `click` is missing"),
        (
            "click",
            r#"{"x": 0.42, "y": 0.7}"#,
            "`x` of `click` is a fraction",
        ),
        (
            "click",
            r#"{"x": 1e308, "y": 1}"#,
            "`x` of `click` is 0 to 1279",
        ),
        (
            "click",
            r#"{"x": 1, "y": true}"#,
            "`y` of `click` is not a number",
        ),
        (
            "click",
            r#"{"x": null, "y": 1}"#,
            "`x` of `click` is not a number",
        ),
        (
            "click",
            r#"{"x": "６４", "y": 1}"#,
            "`x` of `click` is not a number",
        ),
        (
            "click",
            r#"{"x": "640", "y": "[640, 360]"}"#,
            "`y` of `click` is not a number",
        ),
        (
            "click",
            r#"{"coordinate": "640,360"}"#,
            "`coordinate` of `click` is not used",
        ),
        (
            "click",
            r#"{"x": 1, "y": 1, "count": 9}"#,
            "`count` of `click` is 1 to 5",
        ),
        (
            "click",
            r#"{"x": 64"#,
            "the arguments of `click` are not a JSON object",
        ),
        (
            "click",
            "[1, 2]",
            "the arguments of `click` are not a JSON object",
        ),
        ("type", "{}", "`text` of `type` is missing"),
        ("type", r#"{"text": ""}"#, "`text` of `type` is empty"),
        (
            "speak",
            r#"{"text": " "}"#,
            "`text` of `speak` has nothing to say",
        ),
        (
            "scroll",
            r#"{"direction": "south", "amount": 1}"#,
            "`direction` of `scroll`",
        ),
        (
            "scroll",
            r#"{"direction": "up", "amount": 0}"#,
            "`amount` of `scroll`",
        ),
        (
            "scroll",
            r#"{"direction": "up", "amount": 1, "x": 4}"#,
            "`y` of `scroll` is missing",
        ),
        (
            "wait",
            r#"{"seconds": -1}"#,
            "`seconds` of `wait` is below 0",
        ),
        (
            "wait",
            r#"{"seconds": "5 seconds"}"#,
            "`seconds` of `wait` is not a number",
        ),
        (
            "key",
            r#"{"combo": "ctrl+"}"#,
            "`combo` of `key` is one chord",
        ),
        (
            "key",
            r#"{"combo": "ctrl+a Delete"}"#,
            "`combo` of `key` is one chord",
        ),
    ] {
        let unusable = read(name, arguments).unwrap_err();
        assert!(
            unusable.starts_with(reason),
            "{name} {arguments}: {unusable}"
        );
    }
    let silent = Tools::new(SCREEN).read(&ToolCall::new("c", "speak", r#"{"text": "a"}"#));
    assert!(
        silent
            .unwrap_err()
            .0
            .starts_with("there is no tool `speak`")
    );
}

#[test]
fn a_call_in_text_counts_when_there_is_exactly_one() {
    let found = |text: &str| {
        tools()
            .recover(text)
            .map(|read| read.map(|read| read.action))
    };
    let click = Ok(Some(Action::click(500, 500)));
    for text in [
        r#"{"action": "click", "x": 500, "y": 500}"#,
        r#"<tool_call name="click">{"x": 500, "y": 500}</tool_call>"#,
        "<think>maybe {\"action\":\"done\"}? no</think>\n<tool_call>\n{\"name\": \"click\", \"arguments\": {\"x\": 500, \"y\": 500}}",
        "so {\"action\":\"done\"}?</think> {\"tool\": \"click\", \"args\": {\"x\": 500, \"y\": 500}}",
        r#"A set {1, 2} and {"action":"click","x":500,"y":500}, I say {"action":"click","x":500,"y":500}"#,
        r#"{"note": "a } brace", "function": "left_click", "parameters": "{\"x\": 500, \"y\": 500}"}"#,
    ] {
        assert_eq!(found(text), click, "{text}");
    }
    for nothing in [
        "The microphone is muted now, so the task is complete.",
        "<think>{\"action\":\"done\"}",
        r#"{"action": "celebrate"}"#,
        "{{{{{{",
    ] {
        assert_eq!(found(nothing), Ok(None), "{nothing}");
    }
    let two = "First {\"action\":\"click\",\"x\":10,\"y\":10} and if that fails {\"action\":\"click\",\"x\":90,\"y\":10}";
    assert!(found(two).is_err());
    assert!(found(r#"{"action": "type"}"#).is_err());
}

#[test]
fn a_note_is_kept_apart() {
    let call = ToolCall::new("c", "done", r#"{"note": " The code is 4711. "}"#);
    let read = tools().with_notes(true).read(&call).unwrap();
    assert_eq!(read.note.as_deref(), Some("The code is 4711."));
    assert_eq!((read.action, read.tolerated), (Action::Done, Vec::new()));
}
