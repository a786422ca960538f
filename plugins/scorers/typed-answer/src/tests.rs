use super::*;
use dynacu_sdk::scoring::EndCause;
use dynacu_sdk::{Duration, Instant};

const ONE: &str = r#"{"values": {"price": 64}, "settings": {"field": "price", "value": 64, "type": "money",
    "success": "price_correct", "failure": "wrong_answer"}}"#;
const TWO: &str = r#"{"values": {}, "settings": {"form": "report", "fields": [
    {"field": "code", "value": "E-4471", "type": "code"}, {"field": "reference", "value": "R-20", "type": "code"}],
    "success": "ok", "failure": "wrong_answer"}}"#;

fn judge(values: &str, events: &[PageEvent]) -> Option<String> {
    TypedAnswer::judge(&Variant::parse(values).unwrap(), events)
}

fn score_episode(episode: &Episode) -> Result<Score, ScoreError> {
    TypedAnswer::score_episode(&Variant::parse(&episode.variant_values)?, episode)
}

fn submit(at: u64, form: &str, values: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(at),
        name: "submit".to_owned(),
        data: format!(r#"{{"form": "{form}", "values": {values}}}"#),
    }
}

fn episode(values: &str, page_result: &str, page_events: Vec<PageEvent>) -> Episode {
    Episode {
        task: "t".to_owned(),
        variant_values: values.to_owned(),
        page_events,
        page_result: page_result.to_owned(),
        ended: EndCause::TaskEnded,
        duration: Duration::from_millis(60_000),
    }
}

#[test]
fn the_first_submission_commits() {
    let right = submit(5_000, "answer", r#"{"price": "$64"}"#);
    let wrong = submit(4_000, "answer", r#"{"price": "65"}"#);
    assert_eq!(judge(ONE, &[]), None);
    assert_eq!(
        judge(ONE, std::slice::from_ref(&right)).as_deref(),
        Some("price_correct")
    );
    assert_eq!(
        judge(ONE, &[wrong.clone(), right.clone()]).as_deref(),
        Some("wrong_answer")
    );

    let score = score_episode(&episode(ONE, "price_correct", vec![right])).unwrap();
    assert!(score.passed);
    assert_eq!(
        score.explanation,
        "price was \"$64\", expected \"64\" (money): right."
    );
    let score = score_episode(&episode(ONE, "wrong_answer", vec![wrong])).unwrap();
    assert!(!score.passed);
    assert_eq!(score.metrics[2].value, 4.0);
}

#[test]
fn every_field_must_be_right_and_other_forms_are_ignored() {
    let search = submit(1, "search", r#"{"code": "x"}"#);
    let half = submit(2, "report", r#"{"code": "e4471", "reference": null}"#);
    let whole = submit(2, "report", r#"{"code": "e4471", "reference": "r 20"}"#);
    assert_eq!(judge(TWO, std::slice::from_ref(&search)), None);
    assert_eq!(
        judge(TWO, &[search.clone(), half]).as_deref(),
        Some("wrong_answer")
    );
    assert_eq!(judge(TWO, &[search, whole]).as_deref(), Some("ok"));
}

#[test]
fn what_cannot_be_judged_is_no_zero() {
    let malformed = score_episode(&episode(ONE, "hooray", vec![]));
    assert!(matches!(malformed, Err(ScoreError::MalformedResult(_))));
    let no_answer = score_episode(&episode(ONE, "timeout", vec![])).unwrap();
    assert_eq!(no_answer.value, 0.0);
    for settings in [
        r#"{"values": {}, "settings": {"field": "a", "success": "s", "failure": "f"}}"#,
        r#"{"values": {}, "settings": {"success": "s", "failure": "f", "colour": 1}}"#,
        "{}",
    ] {
        let unscorable = score_episode(&episode(settings, "pending", vec![]));
        assert!(matches!(unscorable, Err(ScoreError::Unscorable(_))));
    }
}
