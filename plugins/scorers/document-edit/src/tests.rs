use super::*;
use dynacu_sdk::scoring::EndCause;
use dynacu_sdk::{Duration, Instant};

const VALUES: &str = r#"{"values": {}, "settings": {"form": "document",
    "sections": [{"section": "notes", "text": "Please tell Maria Lopez that the delivery for Harbour Street moves to March 3rd, and that the fee stays at 64 dollars.",
        "entities": [{"value": "Maria Lopez", "type": "name"}, {"value": "March 3", "type": "date"}, {"value": 64, "type": "money"}]},
      {"section": "budget", "text": "The print run costs 1,250 dollars.", "words": 0.6, "gone": [{"value": "1520", "type": "money"}]}],
    "unchanged": {"summary": "Three vans,  two drivers."},
    "success": "ok", "failure": "wrong_text", "entity": "wrong_entity", "disturbed": "other_changed"}}"#;

const NOTES: &str = "please tell maria lopez that the delivery for harbour street moves to March 3 and that the fee stays at $64";
const BUDGET: &str = "The print run costs 1,250 dollars.";
const SUMMARY: &str = "Three vans, two drivers.";

fn judge(values: &str, events: &[PageEvent]) -> Option<String> {
    DocumentEdit::judge(&Variant::parse(values).unwrap(), events)
}

fn submit(notes: &str, budget: &str, summary: &str) -> PageEvent {
    PageEvent {
        at: Instant::from_millis(40_000),
        name: "submit".to_owned(),
        data: format!(
            r#"{{"form": "document", "values": {{"notes": {notes:?}, "budget": {budget:?}, "summary": {summary:?}}}}}"#
        ),
    }
}

fn scored(values: &str, page_events: Vec<PageEvent>) -> Result<Score, ScoreError> {
    let variant = Variant::parse(values)?;
    DocumentEdit::score_episode(
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

fn label(notes: &str, budget: &str, summary: &str) -> String {
    judge(VALUES, &[submit(notes, budget, summary)]).unwrap_or_default()
}

#[test]
fn most_words_and_every_entity() {
    assert_eq!(judge(VALUES, &[]), None);
    assert_eq!(label(NOTES, BUDGET, SUMMARY), "ok");
    // Two words of twenty-two may be missing, and "dollars" is.
    let close = NOTES.replace("please tell", "Kindly inform");
    assert_eq!(label(&close, BUDGET, SUMMARY), "wrong_text");
    let closer = NOTES.replace("please", "Kindly");
    assert_eq!(label(&closer, BUDGET, SUMMARY), "ok");
    for (part, other) in [
        ("maria lopez", "maria lopes"),
        ("March 3", "March 13"),
        ("$64", "$46"),
    ] {
        assert_eq!(
            label(&NOTES.replace(part, other), BUDGET, SUMMARY),
            "wrong_entity",
            "{other}"
        );
    }
    let twice = format!("{NOTES} {NOTES}");
    assert_eq!(label(&twice, BUDGET, SUMMARY), "wrong_text");
    assert_eq!(label("", BUDGET, SUMMARY), "wrong_text");
}

#[test]
fn a_correction_and_what_stays() {
    assert_eq!(
        label(NOTES, "The print run costs 1,520 dollars.", SUMMARY),
        "wrong_entity"
    );
    assert_eq!(
        label(
            NOTES,
            "The print run costs 1,250 dollars. It was 1,520 dollars.",
            SUMMARY
        ),
        "wrong_text"
    );
    assert_eq!(
        label(NOTES, BUDGET, "Three vans, two driver."),
        "other_changed"
    );
    let score = scored(VALUES, vec![submit(NOTES, BUDGET, "")]).unwrap();
    assert_eq!(score.explanation, "summary was changed.");
    let score = scored(
        VALUES,
        vec![submit(&NOTES.replace("$64", "$46"), BUDGET, SUMMARY)],
    )
    .unwrap();
    assert_eq!(score.explanation, "notes does not mention \"64\" (money).");
    assert_eq!(score.metrics[2].value, 1.0);
    let score = scored(VALUES, vec![submit(NOTES, BUDGET, SUMMARY)]).unwrap();
    assert!(score.passed, "{}", score.explanation);
}

#[test]
fn settings_that_do_not_fit_are_errors() {
    for (part, other) in [
        ("\"words\": 0.6", "\"words\": 60"),
        ("\"summary\"", "\"notes\""),
        ("\"budget\"", "\"notes\""),
        ("\"value\": 64", "\"value\": 65"),
        ("\"gone\"", "\"without\""),
    ] {
        let error = scored(
            &VALUES.replace(part, other),
            vec![submit(NOTES, BUDGET, SUMMARY)],
        );
        assert!(matches!(error, Err(ScoreError::Unscorable(_))), "{other}");
    }
}
