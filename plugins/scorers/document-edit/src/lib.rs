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
    type Settings = Settings;

    fn judge(variant: &Variant<Settings>, page_events: &[PageEvent]) -> Option<String> {
        // What cannot be judged is reported when the episode is scored; until then nothing is decided.
        let settings = &variant.settings;
        settings.check().ok()?;
        let verdict = verdict(settings, page_events).ok()??;
        Some(settings.label(verdict.outcome).to_owned())
    }

    fn score_episode(variant: &Variant<Settings>, episode: &Episode) -> Result<Score, ScoreError> {
        let settings = &variant.settings;
        settings.check()?;
        episode.expect_result(&settings.labels())?;
        let verdict = verdict(settings, &episode.page_events)?;
        Ok(score(settings, verdict))
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
    Score {
        value: if passed { 1.0 } else { 0.0 },
        passed,
        metrics: vec![
            Metric::new("words_found", verdict.words_found, None),
            Metric::new("words_added", verdict.words_added, None),
            Metric::new("entity_faults", verdict.entity_faults as f64, None),
            Metric::new("sections_disturbed", verdict.disturbed as f64, None),
            Metric::new("submitted_after", verdict.at.as_seconds(), Some("s")),
        ],
        explanation: verdict.explanation,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
