//! A scorer: judges the page's events. This one expects a form field to hold a value.
//!
//! ```toml
//! [scorer.settings]
//! field = "code"
//! value = "{code}"
//! ```

use dynacu_sdk::export_scorer;
use dynacu_sdk::scoring::{Episode, Metric, PageEvent, Score, ScoreError, Scorer, Variant};
use serde::Deserialize;

const RIGHT: &str = "code_entered";
const WRONG: &str = "wrong_code";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    field: String,
    value: String,
}

/// What the page's server records when a form is submitted: texts, numbers, switches and lists by their fields.
#[derive(Deserialize)]
struct Submission {
    values: serde_json::Map<String, serde_json::Value>,
}

struct FieldHolds;

impl Scorer for FieldHolds {
    type Settings = Settings;

    fn judge(variant: &Variant<Settings>, page_events: &[PageEvent]) -> Option<String> {
        let label = match first(&variant.settings, page_events)? {
            true => RIGHT,
            false => WRONG,
        };
        Some(label.to_owned())
    }

    fn score_episode(variant: &Variant<Settings>, episode: &Episode) -> Result<Score, ScoreError> {
        let settings = &variant.settings;
        episode.expect_result(&[RIGHT, WRONG])?;
        let score = match first(settings, &episode.page_events) {
            Some(true) => Score::pass(format!("`{}` held the value.", settings.field)),
            Some(false) => Score::fail(format!("`{}` held something else.", settings.field)),
            None => Score::fail("Nothing was submitted."),
        };
        let seconds = episode.duration.as_seconds();
        Ok(score.with_metric(Metric::new("duration", seconds, Some("s"))))
    }
}

/// Whether the first submission is right; none before there is one.
fn first(settings: &Settings, events: &[PageEvent]) -> Option<bool> {
    let submitted = events.iter().find(|event| event.name == "submit")?;
    let values = submitted.data_as::<Submission>()?.values;
    let held = values.get(&settings.field)?.as_str()?;
    Some(held.trim() == settings.value)
}

export_scorer!(FieldHolds);

#[cfg(test)]
mod tests {
    use dynacu_sdk::Instant;

    use super::*;

    #[test]
    fn the_first_submission_counts() {
        let settings = Settings {
            field: "code".into(),
            value: "4711".into(),
        };
        let submit = |value: &str| PageEvent {
            at: Instant::from_millis(1_000),
            name: "submit".into(),
            data: serde_json::json!({"form": "answer", "values": {"agreed": true, "code": value}})
                .to_string(),
        };
        assert_eq!(first(&settings, &[]), None);
        assert_eq!(
            first(&settings, &[submit("12"), submit("4711")]),
            Some(false)
        );
        assert_eq!(first(&settings, &[submit(" 4711 ")]), Some(true));
    }
}
