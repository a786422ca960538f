use super::*;

fn event(at: u64, name: &str, data: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(at),
        name: name.to_owned(),
        data: data.to_owned(),
    }
}

#[test]
fn events_come_in_the_order_of_their_making() {
    let events = [
        event(300, "utterance", r#"{"text": "two", "ended_at": 400}"#),
        event(200, "click", r#"{"control": "b"}"#),
        event(100, "click", r#"{"control": "a"}"#),
        event(50, "utterance", r#"{"text": "one", "confidence": 0.5}"#),
        event(70, "moment", r#"{"name": "shown"}"#),
        event(60, "moment", r#"{"name": "hidden"}"#),
    ];
    let controls: Vec<String> = uses(&events)
        .unwrap()
        .into_iter()
        .map(|used| used.control)
        .collect();
    assert_eq!(controls, ["a", "b"]);
    let said: Vec<(u64, u64)> = utterances(&events)
        .unwrap()
        .iter()
        .map(|said| (said.at.as_millis(), said.ended_at.as_millis()))
        .collect();
    assert_eq!(said, [(50, 50), (300, 400)]);
    assert_eq!(marked(&events, "shown"), [Instant::from_millis(70)]);
}

#[test]
fn submissions_by_their_form() {
    let events = [
        event(
            9,
            "submit",
            r#"{"form": "b", "values": {"x": 1.5, "y": null, "z": ["p", true]}}"#,
        ),
        event(5, "submit", r#"{"form": "a", "values": {}}"#),
    ];
    let all = submissions(&events, None).unwrap();
    assert_eq!(all[0].form, "a");
    let only = submissions(&events, Some("b")).unwrap();
    assert_eq!(only.len(), 1);
    let values: Vec<&str> = ["x", "y", "z", "none"]
        .map(|field| only[0].value(field))
        .to_vec();
    assert_eq!(values, ["1.5", "", "p\ntrue", ""]);
    let broken = submissions(&[event(1, "submit", "{}")], None);
    assert!(matches!(broken, Err(ScoreError::Unscorable(_))));
}

#[test]
fn a_window_closes_after_it_opened() {
    let events = [
        event(5, "window-closed", r#"{"window": "w"}"#),
        event(10, "window-opened", r#"{"window": "w"}"#),
        event(15, "window-closed", r#"{"window": "other"}"#),
        event(20, "window-closed", r#"{"window": "w"}"#),
    ];
    let at = |milliseconds| Some(Instant::from_millis(milliseconds));
    assert_eq!(window(&events, "w"), (at(10), at(20)));
    assert_eq!(window(&events[..2], "w"), (at(10), None));
    assert_eq!(window(&events, "none"), (None, None));
    assert_eq!(End::Window("w".to_owned()).at(&events).unwrap(), at(20));
    assert_eq!(End::Form("f".to_owned()).at(&events).unwrap(), None);
}

#[test]
fn a_star_stands_for_anything() {
    let many = Controls::Many(vec!["hole-*".to_owned(), "start".to_owned()]);
    assert!(many.contain("hole-3") && many.contain("start"));
    assert!(!many.contain("started") && !Controls::default().contain("start"));
}
