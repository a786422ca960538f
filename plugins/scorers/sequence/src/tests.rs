use super::*;
use dynacu_sdk::scoring::EndCause;
use dynacu_sdk::{Duration, Instant};

fn judge(values: &str, events: &[PageEvent]) -> Option<String> {
    Sequence::judge(&Variant::parse(values).unwrap(), events)
}

fn values(settings: &str) -> String {
    format!(
        r#"{{"values": {{}}, "settings": {{{settings}, "ends": {{"window": "replay"}}, "success": "ok", "failure": "wrong_order"}}}}"#
    )
}

fn event(at: u64, name: &str, data: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(at),
        name: name.to_owned(),
        data: data.to_owned(),
    }
}

/// Uses a second apart, then the window's end.
fn played(controls: &str) -> Vec<PageEvent> {
    let mut events = vec![event(0, "window-opened", r#"{"window": "replay"}"#)];
    for control in controls.split_whitespace() {
        let at = events.len() as u64 * 1_000;
        events.push(event(
            at,
            "click",
            &format!(r#"{{"control": "{control}"}}"#),
        ));
    }
    let at = events.len() as u64 * 1_000;
    events.push(event(at, "window-closed", r#"{"window": "replay"}"#));
    events
}

fn scored(values: &str, page_events: Vec<PageEvent>) -> Result<Score, ScoreError> {
    let variant = Variant::parse(values)?;
    Sequence::score_episode(
        &variant,
        &Episode {
            task: "t".to_owned(),
            variant_values: values.to_owned(),
            page_events,
            page_result: "pending".to_owned(),
            ended: EndCause::TaskEnded,
            duration: Duration::from_millis(60_000),
        },
    )
}

fn label(values: &str, controls: &str) -> Option<String> {
    judge(values, &played(controls))
}

const PADS: &str = r#""expected": ["red", "blue", "red"], "prefix": "pad-", "controls": "pad-*""#;

#[test]
fn the_order_must_be_the_expected_one() {
    let values = values(PADS);
    let ok = Some("ok".to_owned());
    let wrong = Some("wrong_order".to_owned());
    assert_eq!(label(&values, "pad-red pad-blue pad-red"), ok);
    assert_eq!(label(&values, "sound pad-red help pad-blue pad-red"), ok);
    assert_eq!(label(&values, "pad-red pad-red pad-blue"), wrong);
    assert_eq!(label(&values, "pad-red pad-blue"), wrong);
    assert_eq!(label(&values, "pad-red pad-blue pad-red pad-red"), wrong);
    assert_eq!(label(&values, "pad-green pad-red pad-blue pad-red"), wrong);
    assert_eq!(label(&values, ""), wrong);
    // Nothing is decided before the end, and nothing counts after it.
    let mut events = played("pad-red pad-blue pad-red");
    let end = events.pop().unwrap();
    assert_eq!(judge(&values, &events), None);
    events.push(end);
    events.push(event(90_000, "click", r#"{"control": "pad-red"}"#));
    assert_eq!(judge(&values, &events), ok);
}

#[test]
fn a_mistake_begins_anew_as_often_as_the_rules_allow() {
    let values = values(&format!(r#"{PADS}, "restarts": 1, "restart": "clear""#));
    let label = |controls: &str| label(&values, controls).unwrap();
    assert_eq!(label("pad-red pad-green pad-red pad-blue pad-red"), "ok");
    assert_eq!(label("pad-red clear pad-red pad-blue pad-red"), "ok");
    assert_eq!(
        label("clear clear pad-red clear clear pad-red pad-blue pad-red"),
        "ok"
    );
    assert_eq!(
        label("pad-red clear pad-green pad-red pad-blue pad-red"),
        "wrong_order"
    );
    let score = scored(&values, played("pad-red pad-green pad-red pad-red")).unwrap();
    assert_eq!(
        score.explanation,
        "In the sequence, use 2 was \"pad-red\", expected \"pad-blue\"."
    );
    assert_eq!(score.metrics[3].value, 1.0);
}

#[test]
fn rounds_follow_one_another() {
    let values = values(r#""rounds": ["a", "a b", ["a", "b", "c"]], "incomplete": "not_finished""#);
    assert_eq!(label(&values, "a a b a b c").as_deref(), Some("ok"));
    assert_eq!(label(&values, "a a b a").as_deref(), Some("not_finished"));
    assert_eq!(label(&values, "a b a").as_deref(), Some("wrong_order"));
    let score = scored(&values, played("a a b a")).unwrap();
    assert_eq!(score.explanation, "Round 3 of 3 came to 1 of 3 uses.");
    assert_eq!(score.metrics[1].value, 2.0);
    let unended = scored(&values, Vec::new()).unwrap();
    assert!(!unended.passed && unended.explanation.starts_with("It was not ended."));
}

#[test]
fn settings_that_do_not_fit_are_errors() {
    for settings in [
        r#""expected": []"#,
        r#""expected": "a b", "rounds": ["a"]"#,
        r#""controls": "a*""#,
        r#""expected": "b", "controls": "a*""#,
        r#""expected": "a", "restart": "a""#,
        r#""expected": "a", "tries": 2"#,
    ] {
        let error = scored(&values(settings), Vec::new());
        assert!(
            matches!(error, Err(ScoreError::Unscorable(_))),
            "{settings}"
        );
    }
}
