//! Scores what the page's microphone heard. Only utterances begun while the answer window was open count; the first
//! that names any possible answer commits. What was typed is never looked at. A phone number, a code or a list may be
//! said in several utterances, with at most two seconds of silence between them.
//!
//! ```toml
//! [scorer.settings]
//! window = "answer"
//! value = "{capital}"
//! type = "name"
//! others = ["Paris", "Rome"]     # the other possible answers, for text, name and lists; other types need none
//! success = "answer_correct"
//! failure = "wrong_answer"
//! missed = "missed_deadline"
//! ```

mod verdict;

use answers::{Kind, Written};
use dynacu_sdk::export_scorer;
use dynacu_sdk::scoring::{Episode, Metric, PageEvent, Score, ScoreError, Scorer, Variant};
use serde::Deserialize;

use verdict::{Outcome, Verdict, verdict};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    window: String,
    value: Written,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    others: Vec<Written>,
    success: String,
    failure: String,
    missed: String,
}

impl Settings {
    fn label(&self, outcome: &Outcome) -> Option<&str> {
        match outcome {
            Outcome::Pending => None,
            Outcome::Missed => Some(&self.missed),
            Outcome::Committed { right: true, .. } => Some(&self.success),
            Outcome::Committed { right: false, .. } => Some(&self.failure),
        }
    }
}

struct SpokenAnswer;

impl Scorer for SpokenAnswer {
    type Settings = Settings;

    fn judge(variant: &Variant<Settings>, page_events: &[PageEvent]) -> Option<String> {
        // What cannot be judged is reported when the episode is scored; until then nothing is decided.
        let settings = &variant.settings;
        let verdict = verdict(settings, page_events).ok()?;
        settings.label(&verdict.outcome).map(str::to_owned)
    }

    fn score_episode(variant: &Variant<Settings>, episode: &Episode) -> Result<Score, ScoreError> {
        let settings = &variant.settings;
        episode.expect_result(&[&settings.success, &settings.failure, &settings.missed])?;
        let verdict = verdict(settings, &episode.page_events)?;
        Ok(score(settings, &verdict))
    }
}

export_scorer!(SpokenAnswer);

fn score(settings: &Settings, verdict: &Verdict) -> Score {
    let mut metrics = vec![
        Metric::new("utterances", verdict.utterances as f64, None),
        Metric::new("received", f64::from(u8::from(verdict.received)), None),
    ];
    let expected = &settings.value.0;
    let (passed, explanation) = match &verdict.outcome {
        Outcome::Pending if verdict.opened => (false, "The window never closed.".to_owned()),
        Outcome::Pending => (false, "The window to answer never opened.".to_owned()),
        Outcome::Missed => (
            false,
            format!(
                "The window closed after {} utterances without an answer; expected {expected:?}.",
                verdict.utterances
            ),
        ),
        Outcome::Committed {
            right,
            text,
            after,
            confidence,
        } => {
            metrics.push(Metric::new("answered_after", after.as_seconds(), Some("s")));
            metrics.extend(confidence.map(|value| Metric::new("confidence", value, None)));
            let word = if *right { "right" } else { "wrong" };
            let kind = settings.kind.as_str();
            (
                *right,
                format!("The microphone heard {text:?}, expected {expected:?} ({kind}): {word}."),
            )
        }
    };
    Score {
        value: if passed { 1.0 } else { 0.0 },
        passed,
        metrics,
        explanation,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
