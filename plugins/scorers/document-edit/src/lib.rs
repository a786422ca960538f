//! Scores the sections of a shared document when it is handed in: text that was dictated, a correction that was asked
//! for, and that nothing else was touched.
//!
//! ```toml
//! [scorer.settings]
//! form = "document"               # submitted with one value a section: the section's text
//! sections = [
//!   { section = "notes", text = "{dictated}", entities = [{ value = "{client}", type = "name" }, { value = "{fee}", type = "money" }] },
//!   { section = "budget", text = "{corrected}", words = 0.95, gone = [{ value = "{old}", type = "money" }] },
//! ]
//! unchanged = { summary = "{summary}" }   # optional: what other sections hold at the end, a collaborator's edits included
//! success = "paragraph_typed"
//! failure = "wrong_text"
//! entity = "wrong_entity"         # optional: enough words, but a named entity is missing or an old one left
//! disturbed = "other_text_changed"   # optional: the sections are right, but another was changed
//! ```
//!
//! `words` is the share of the expected words, from 0 to 1, that must be there in order (0.9 unless given); no more
//! than the rest of them may be added. Case, punctuation and layout do not matter. Every one of `entities` must be
//! mentioned, and none of `gone`.

mod settings;
mod verdict;
mod words;

use dynacu_sdk::export_scorer;
use dynacu_sdk::scoring::{Episode, Metric, PageEvent, Score, ScoreError, Scorer, Variant};

use settings::Settings;
use verdict::{Verdict, verdict};

struct DocumentEdit;

impl Scorer for DocumentEdit {
    fn judge(variant_values: &str, page_events: &[PageEvent]) -> Option<String> {
        // Settings that do not fit are reported when the episode is scored; until then nothing is decided.
        let settings = Variant::<Settings>::parse(variant_values).ok()?.settings;
        settings.check().ok()?;
        let verdict = verdict(&settings, page_events).ok()??;
        Some(settings.label(verdict.outcome).to_owned())
    }

    fn score_episode(episode: &Episode) -> Result<Score, ScoreError> {
        let settings = Variant::<Settings>::parse(&episode.variant_values)?.settings;
        settings.check()?;
        episode.expect_result(&settings.labels())?;
        let verdict = verdict(&settings, &episode.page_events)?;
        Ok(score(&settings, verdict))
    }
}

export_scorer!(DocumentEdit);

fn score(settings: &Settings, verdict: Option<Verdict>) -> Score {
    let Some(verdict) = verdict else {
        return Score {
            value: 0.0,
            passed: false,
            metrics: Vec::new(),
            explanation: format!("The form {:?} was not submitted.", settings.form),
        };
    };
    let passed = verdict.outcome == verdict::Outcome::Right;
    let seconds = verdict.at as f64 / 1000.0;
    Score {
        value: if passed { 1.0 } else { 0.0 },
        passed,
        metrics: vec![
            Metric::new("words_found", verdict.words_found, None),
            Metric::new("words_added", verdict.words_added, None),
            Metric::new("entity_faults", verdict.entity_faults as f64, None),
            Metric::new("sections_disturbed", verdict.disturbed as f64, None),
            Metric::new("submitted_after", seconds, Some("s")),
        ],
        explanation: verdict.explanation,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
