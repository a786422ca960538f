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
    fn judge(variant_values: &str, page_events: &[PageEvent]) -> Option<String> {
        // Settings that do not fit are reported when the episode is scored; until then nothing is decided.
        let settings = Variant::<Settings>::parse(variant_values).ok()?.settings;
        let verdict = verdict(&settings, page_events).ok()??;
        Some(settings.label(verdict.right).to_owned())
    }

    fn score_episode(episode: &Episode) -> Result<Score, ScoreError> {
        let settings = Variant::<Settings>::parse(&episode.variant_values)?.settings;
        episode.expect_result(&[&settings.success, &settings.failure])?;
        let verdict = verdict(&settings, &episode.page_events)?;
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
    let seconds = verdict.at as f64 / 1000.0;
    metrics.push(Metric::new("answered_after", seconds, Some("s")));
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
