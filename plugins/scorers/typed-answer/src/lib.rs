//! Scores what was typed into a form. The first submission commits; every expected field must hold its value.
//!
//! ```toml
//! [scorer.settings]
//! field = "price"            # or fields = [{ field, value, type }, …]
//! value = "{price}"
//! type = "money"
//! form = "answer"            # optional: submissions of other forms are ignored
//! success = "price_correct"
//! failure = "wrong_answer"
//! ```

mod settings;
mod verdict;

use dynacu_sdk::export_scorer;
use dynacu_sdk::scoring::{Episode, Metric, PageEvent, Score, ScoreError, Scorer, Variant};

use settings::Settings;
use verdict::{Verdict, verdict};

struct TypedAnswer;

impl Scorer for TypedAnswer {
    type Settings = Settings;

    fn judge(variant: &Variant<Settings>, page_events: &[PageEvent]) -> Option<String> {
        // What cannot be judged is reported when the episode is scored; until then nothing is decided.
        let settings = &variant.settings;
        let verdict = verdict(settings, page_events).ok()??;
        Some(settings.label(verdict.right).to_owned())
    }

    fn score_episode(variant: &Variant<Settings>, episode: &Episode) -> Result<Score, ScoreError> {
        let settings = &variant.settings;
        episode.expect_result(&[&settings.success, &settings.failure])?;
        let verdict = verdict(settings, &episode.page_events)?;
        Ok(score(verdict, episode))
    }
}

export_scorer!(TypedAnswer);

fn score(verdict: Option<Verdict>, episode: &Episode) -> Score {
    let submissions = episode
        .page_events
        .iter()
        .filter(|event| event.name == "submit")
        .count();
    let mut metrics = vec![Metric::new("submissions", submissions as f64, None)];
    let Some(verdict) = verdict else {
        return Score {
            value: 0.0,
            passed: false,
            metrics,
            explanation: "Nothing was submitted.".to_owned(),
        };
    };
    metrics.push(Metric::new(
        "fields_right",
        verdict.fields_right as f64,
        None,
    ));
    metrics.push(Metric::new(
        "answered_after",
        verdict.at.as_seconds(),
        Some("s"),
    ));
    Score {
        value: if verdict.right { 1.0 } else { 0.0 },
        passed: verdict.right,
        metrics,
        explanation: verdict.explanation,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
