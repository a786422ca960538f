use super::*;
use dynacu_sdk::scoring::EndCause;
use dynacu_sdk::{Duration, Instant};

const VALUES: &str = r#"{"values": {"capital": "Paris"}, "settings": {"window": "answer", "value": "Paris", "type": "name",
    "others": ["Lyon"], "success": "correct", "failure": "wrong_answer", "missed": "missed_deadline"}}"#;

fn judge(values: &str, events: &[PageEvent]) -> Option<String> {
    SpokenAnswer::judge(&Variant::parse(values).unwrap(), events)
}

fn score_episode(episode: &Episode) -> Result<Score, ScoreError> {
    SpokenAnswer::score_episode(&Variant::parse(&episode.variant_values)?, episode)
}

fn window(at: u64, name: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(at),
        name: name.to_owned(),
        data: r#"{"window": "answer"}"#.to_owned(),
    }
}

fn said(at: u64, text: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(at),
        name: "utterance".to_owned(),
        data: format!(
            r#"{{"text": {text:?}, "started_at": {at}, "ended_at": 0, "confidence": 0.9}}"#
        ),
    }
}

fn label(events: &[PageEvent]) -> Option<String> {
    judge(VALUES, events)
}

#[test]
fn a_code_may_be_said_with_pauses() {
    let values = VALUES.replace("Paris", "E-4471").replace("name", "code");
    let part = |at: u64, text: &str| PageEvent {
        at: Instant::from_millis(at),
        name: "utterance".to_owned(),
        data: format!(r#"{{"text": {text:?}, "ended_at": {}}}"#, at + 500),
    };
    let opened = window(10_000, "window-opened");
    let closed = window(30_000, "window-closed");
    let label = |events: &[&PageEvent]| {
        let events: Vec<PageEvent> = events.iter().map(|event| (*event).clone()).collect();
        judge(&values, &events)
    };
    let (first, second) = (part(11_000, "It is E 44."), part(12_500, "71."));
    assert_eq!(label(&[&opened, &first]), None);
    assert_eq!(
        label(&[&opened, &first, &second]).as_deref(),
        Some("correct")
    );
    // A part alone is a wrong answer once it is plain that nothing follows.
    assert_eq!(
        label(&[&opened, &first, &closed]).as_deref(),
        Some("wrong_answer")
    );
    let late = part(20_000, "71.");
    assert_eq!(
        label(&[&opened, &first, &late]).as_deref(),
        Some("wrong_answer")
    );
}

#[test]
fn only_the_window_counts() {
    let opened = window(10_000, "window-opened");
    let closed = window(20_000, "window-closed");
    let early = said(9_999, "It is Paris.");
    let typed = PageEvent {
        at: Instant::from_millis(12_000),
        name: "submit".to_owned(),
        data: r#"{"form": "answer", "values": {"capital": "Paris"}}"#.to_owned(),
    };
    assert_eq!(label(&[early.clone(), opened.clone(), typed]), None);
    assert_eq!(
        label(&[early, opened, closed, said(20_001, "Paris")]).as_deref(),
        Some("missed_deadline")
    );
}

#[test]
fn the_first_utterance_that_names_an_answer_commits() {
    let opened = window(10_000, "window-opened");
    let hum = said(11_000, "Well, let me see.");
    let right = said(12_000, "The capital is Paris.");
    let wrong = said(11_500, "Lyon.");
    assert_eq!(label(&[opened.clone(), hum.clone()]), None);
    assert_eq!(
        label(&[opened.clone(), hum.clone(), right.clone()]).as_deref(),
        Some("correct")
    );
    // Recognised later, but said earlier.
    let events = vec![opened, right, hum, wrong];
    assert_eq!(label(&events).as_deref(), Some("wrong_answer"));

    let score = score_episode(&Episode {
        task: "t".to_owned(),
        variant_values: VALUES.to_owned(),
        page_events: events,
        page_result: "wrong_answer".to_owned(),
        ended: EndCause::TaskEnded,
        duration: Duration::from_millis(30_000),
    })
    .unwrap();
    assert_eq!(score.value, 0.0);
    assert_eq!(
        score.explanation,
        "The microphone heard \"Lyon.\", expected \"Paris\" (name): wrong."
    );
    assert_eq!(score.metrics[0].value, 3.0);
    assert_eq!(score.metrics[1].value, 1.0);
}
