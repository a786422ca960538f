use super::*;
use dynacu_sdk::scoring::EndCause;
use dynacu_sdk::{Duration, Instant};

const VALUES: &str = r#"{"values": {}, "settings": {"form": "settings",
    "controls": [{"control": "region", "value": "Europe", "type": "text"}, {"control": "alerts", "value": true, "type": "text"},
                 {"control": "days", "value": ["Mon", "Fri"], "type": "list"}, {"control": "limit", "value": 250, "type": "money"}],
    "kept": [{"control": "theme", "value": "dark", "type": "text"}],
    "success": "saved", "partial": "some_wrong", "failure": "wrong_settings"}}"#;

fn judge(values: &str, events: &[PageEvent]) -> Option<String> {
    FormState::judge(&Variant::parse(values).unwrap(), events)
}

fn submit(at: u64, values: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(at),
        name: "submit".to_owned(),
        data: format!(r#"{{"form": "settings", "values": {values}}}"#),
    }
}

fn state(region: &str, alerts: bool, days: &str, limit: &str, theme: &str) -> PageEvent {
    let values = format!(
        r#"{{"region": "{region}", "alerts": {alerts}, "days": {days}, "limit": "{limit}", "theme": "{theme}"}}"#
    );
    submit(7_000, &values)
}

fn label(event: PageEvent) -> Option<String> {
    judge(VALUES, &[event])
}

fn scored(values: &str, event: Vec<PageEvent>) -> Result<Score, ScoreError> {
    let variant = Variant::parse(values)?;
    FormState::score_episode(
        &variant,
        &Episode {
            task: "t".to_owned(),
            variant_values: values.to_owned(),
            page_events: event,
            page_result: "pending".to_owned(),
            ended: EndCause::TaskEnded,
            duration: Duration::from_millis(60_000),
        },
    )
}

#[test]
fn each_control_by_its_type() {
    let right = state("europe", true, r#"["Fri", "Mon"]"#, "$250.00", "dark");
    assert_eq!(label(right.clone()).as_deref(), Some("saved"));
    let score = scored(VALUES, vec![right]).unwrap();
    assert!(score.passed);
    assert_eq!(score.explanation, "All 5 controls are right.");
    assert_eq!(judge(VALUES, &[]), None);
}

#[test]
fn partly_right_and_all_wrong_have_their_labels() {
    let some = state("Europe", false, r#"["Mon"]"#, "250", "dark");
    assert_eq!(label(some.clone()).as_deref(), Some("some_wrong"));
    let score = scored(VALUES, vec![some]).unwrap();
    assert_eq!(score.metrics[0].value, 2.0);
    assert_eq!(
        score.explanation,
        "2 of 4 controls set right. alerts was \"false\", expected \"true\" (text); days was \"Mon\", expected \"Mon\\nFri\" (list)."
    );
    // Nothing set, though what was to stay has stayed.
    let none = state("Asia", false, "[]", "", "dark");
    assert_eq!(label(none).as_deref(), Some("wrong_settings"));
    let disturbed = state("Europe", true, r#"["Mon", "Fri"]"#, "250", "light");
    assert_eq!(label(disturbed).as_deref(), Some("some_wrong"));
}

#[test]
fn the_first_submission_commits() {
    let wrong = submit(5_000, "{}");
    let right = state("Europe", true, r#"["Mon", "Fri"]"#, "250", "dark");
    let label = judge(VALUES, &[right, wrong]);
    assert_eq!(label.as_deref(), Some("wrong_settings"));
    let other = PageEvent {
        data: r#"{"form": "search", "values": {}}"#.to_owned(),
        ..submit(1, "{}")
    };
    assert_eq!(judge(VALUES, &[other]), None);
}

#[test]
fn settings_that_do_not_fit_are_errors() {
    for values in [
        VALUES.replace("\"kept\"", "\"keeps\""),
        VALUES.replace("\"theme\"", "\"region\""),
        VALUES.replace("\"money\"", "\"currency\""),
        r#"{"values": {}, "settings": {"form": "f", "controls": [], "success": "s", "failure": "f"}}"#.to_owned(),
    ] {
        let error = scored(&values, Vec::new());
        assert!(matches!(error, Err(ScoreError::Unscorable(_))), "{values}");
    }
    // A value that is not of its type is found when it is compared.
    let values = VALUES.replace("250", "\"much\"");
    let error = scored(&values, vec![submit(1, "{}")]);
    assert!(matches!(error, Err(ScoreError::Unscorable(_))));
}
