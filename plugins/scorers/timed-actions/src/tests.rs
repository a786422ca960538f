use super::*;
use dynacu_sdk::scoring::EndCause;
use dynacu_sdk::{Duration, Instant};

/// As the SDK calls it: settings that do not fit decide nothing.
fn judge(values: &str, events: &[PageEvent]) -> Option<String> {
    TimedActions::judge(&Variant::parse(values).ok()?, events)
}

fn values(settings: &str) -> String {
    format!(
        r#"{{"values": {{}}, "settings": {{"ends": {{"window": "shift"}}, {settings}, "success": "ok", "failure": "wrong_answer",
            "missed": "missed", "false-alarm": "false_alarm"}}}}"#
    )
}

fn event(at: u64, name: &str, data: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(at),
        name: name.to_owned(),
        data: data.to_owned(),
    }
}

fn moment(at: u64, name: &str) -> PageEvent {
    event(at, "moment", &format!(r#"{{"name": "{name}"}}"#))
}

fn click(at: u64, control: &str) -> PageEvent {
    event(at, "click", &format!(r#"{{"control": "{control}"}}"#))
}

fn said(at: u64, text: &str) -> PageEvent {
    event(at, "utterance", &format!(r#"{{"text": {text:?}}}"#))
}

fn reply(at: u64, text: &str) -> PageEvent {
    event(
        at,
        "submit",
        &format!(r#"{{"form": "chat", "values": {{"reply": {text:?}}}}}"#),
    )
}

/// The events between the window's opening and its end after a minute.
fn shift(events: &[PageEvent]) -> Vec<PageEvent> {
    let mut all = vec![event(0, "window-opened", r#"{"window": "shift"}"#)];
    all.extend_from_slice(events);
    all.push(event(60_000, "window-closed", r#"{"window": "shift"}"#));
    all
}

fn scored(values: &str, page_events: Vec<PageEvent>) -> Result<Score, ScoreError> {
    let variant = Variant::parse(values)?;
    TimedActions::score_episode(
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

fn label(values: &str, events: &[PageEvent]) -> String {
    judge(values, &shift(events)).unwrap_or_default()
}

const ALERTS: &str = r#""actions": [{"moment": "alert-1", "click": "ack-1", "within": 5}, {"moment": "alert-3", "click": "ack-3", "within": 5}],
    "decoys": "ack-*""#;

#[test]
fn each_alert_within_its_time() {
    let values = values(ALERTS);
    let alerts = [
        moment(10_000, "alert-1"),
        moment(12_000, "alert-2"),
        moment(13_000, "alert-3"),
    ];
    let with = |clicks: &[PageEvent]| [&alerts[..], clicks].concat();
    let label = |clicks: &[PageEvent]| label(&values, &with(clicks));
    assert_eq!(
        label(&[click(15_000, "ack-1"), click(18_000, "ack-3")]),
        "ok"
    );
    // A double click and other controls are nobody's alarm.
    let busy = [
        click(11_000, "ack-1"),
        click(11_200, "ack-1"),
        click(11_500, "filter"),
        click(14_000, "ack-3"),
    ];
    assert_eq!(label(&busy), "ok");
    assert_eq!(
        label(&[click(15_001, "ack-1"), click(18_000, "ack-3")]),
        "missed"
    );
    assert_eq!(
        label(&[click(9_999, "ack-1"), click(18_000, "ack-3")]),
        "missed"
    );
    let decoy = [
        click(11_000, "ack-1"),
        click(13_000, "ack-2"),
        click(14_000, "ack-3"),
    ];
    assert_eq!(label(&decoy), "false_alarm");
    assert_eq!(judge(&values, &with(&busy)), None);

    let score = scored(&values, shift(&with(&decoy))).unwrap();
    assert!(!score.passed);
    assert_eq!(
        score.explanation,
        "2 of 2 actions in time, 0 missed, 0 wrong; 1 false alarms. \"ack-2\" was used at 13.0 s, which nothing asked for."
    );
    assert_eq!(score.metrics[4].value, 1.0);
}

#[test]
fn thresholds_forgive() {
    let values = values(&format!(r#"{ALERTS}, "misses": 1, "false-alarms": 1"#));
    let one = [
        moment(10_000, "alert-1"),
        moment(13_000, "alert-3"),
        click(14_000, "ack-3"),
        click(20_000, "ack-2"),
    ];
    assert_eq!(label(&values, &one), "ok");
    let more = [&one[..], &[click(30_000, "ack-1")]].concat();
    assert_eq!(label(&values, &more), "false_alarm");
    assert_eq!(label(&values, &one[..2]), "missed");
}

#[test]
fn a_moment_that_comes_again_asks_again() {
    let values = values(
        r#""actions": [{"moment": "up", "click": ["hole-1", "hole-2"], "after": 0.2, "within": 1.5, "times": 3}], "decoys": "hole-*""#,
    );
    let ups = [
        moment(1_000, "up"),
        moment(3_000, "up"),
        moment(5_000, "up"),
    ];
    let hits = [
        click(1_900, "hole-1"),
        click(4_500, "hole-2"),
        click(5_200, "hole-1"),
    ];
    assert_eq!(label(&values, &[&ups[..], &hits].concat()), "ok");
    // Sooner than anybody could have seen it.
    let early = [
        click(1_100, "hole-1"),
        click(4_500, "hole-2"),
        click(5_200, "hole-1"),
    ];
    assert_eq!(label(&values, &[&ups[..], &early].concat()), "missed");
    // The page ended before the third.
    let score = scored(&values, shift(&[&ups[..2], &hits[..2]].concat())).unwrap();
    assert!(
        score.explanation.contains("up did not come"),
        "{}",
        score.explanation
    );
    assert_eq!(score.metrics[1].value, 1.0);
}

#[test]
fn a_question_is_answered_in_writing_or_by_voice() {
    let values = values(
        r#""actions": [{"moment": "asked", "submit": "chat", "field": "reply", "spoken": true, "value": "E-4471", "type": "code", "within": 20}]"#,
    );
    let asked = moment(10_000, "asked");
    let label =
        |events: &[PageEvent]| label(&values, &[std::slice::from_ref(&asked), events].concat());
    assert_eq!(label(&[reply(20_000, "e4471")]), "ok");
    assert_eq!(
        label(&[said(12_000, "Let me see."), said(20_000, "It's E 4471.")]),
        "ok"
    );
    assert_eq!(label(&[reply(20_000, "E-4472")]), "wrong_answer");
    assert_eq!(
        label(&[said(15_000, "E 4472"), reply(20_000, "E-4471")]),
        "wrong_answer"
    );
    assert_eq!(label(&[reply(30_001, "E-4471")]), "missed");
    // Said with a pause, begun in time.
    assert_eq!(label(&[said(29_000, "E 44."), said(30_500, "71.")]), "ok");
    let score = scored(&values, shift(&[asked.clone(), reply(20_000, "E-4472")])).unwrap();
    assert!(
        score
            .explanation
            .ends_with("For asked, reply was \"E-4472\", expected \"E-4471\"."),
        "{}",
        score.explanation
    );
}

#[test]
fn settings_that_do_not_fit_are_errors() {
    for action in [
        r#"{"moment": "m", "within": 5}"#,
        r#"{"moment": "m", "click": "c", "within": 5, "after": 5}"#,
        r#"{"moment": "m", "click": "c", "within": 5, "times": 0}"#,
        r#"{"moment": "m", "click": "c", "within": 5, "field": "f"}"#,
        r#"{"moment": "m", "click": "c", "within": 5, "value": "1", "type": "number"}"#,
        r#"{"moment": "m", "spoken": true, "within": 5}"#,
        r#"{"moment": "m", "spoken": true, "value": "1", "within": 5}"#,
        r#"{"moment": "m", "click": "c", "within": 5, "seconds": 1}"#,
    ] {
        let values = values(&format!(r#""actions": [{action}]"#));
        let error = scored(&values, Vec::new());
        assert!(matches!(error, Err(ScoreError::Unscorable(_))), "{action}");
        assert_eq!(judge(&values, &shift(&[])), None);
    }
    let none = scored(&values(r#""actions": []"#), Vec::new());
    assert!(matches!(none, Err(ScoreError::Unscorable(_))));
}
