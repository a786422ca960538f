//! Scores the final state of a form's controls: settings, filters, a booking. The first submission of the form commits.
//!
//! ```toml
//! [scorer.settings]
//! form = "settings"
//! controls = [                    # what was to be set
//!   { control = "region", value = "{region}", type = "text" },
//!   { control = "alerts", value = "true", type = "text" },      # a switch or a check box
//!   { control = "days", value = "{days}", type = "list" },      # a choice of several
//! ]
//! kept = [{ control = "theme", value = "dark", type = "text" }] # what was to stay as it was
//! success = "settings_saved"
//! partial = "some_wrong"          # optional: some of what was to be set is right; else the failure's label
//! failure = "wrong_settings"
//! ```

mod settings;
mod verdict;

use dynacu_sdk::export_scorer;
use dynacu_sdk::scoring::{Episode, Metric, PageEvent, Score, ScoreError, Scorer, Variant};

use settings::Settings;
use verdict::{Verdict, verdict};

struct FormState;

impl Scorer for FormState {
    type Settings = Settings;

    fn judge(variant: &Variant<Settings>, page_events: &[PageEvent]) -> Option<String> {
        // What cannot be judged is reported when the episode is scored; until then nothing is decided.
        let settings = &variant.settings;
        let verdict = verdict(settings, page_events).ok()??;
        Some(verdict.label(settings).to_owned())
    }

    fn score_episode(variant: &Variant<Settings>, episode: &Episode) -> Result<Score, ScoreError> {
        let settings = &variant.settings;
        settings.check()?;
        episode.expect_result(&settings.labels())?;
        let verdict = verdict(settings, &episode.page_events)?;
        Ok(score(settings, verdict))
    }
}

export_scorer!(FormState);

fn score(settings: &Settings, verdict: Option<Verdict>) -> Score {
    let Some(verdict) = verdict else {
        return Score {
            value: 0.0,
            passed: false,
            metrics: Vec::new(),
            explanation: format!("The form {:?} was not submitted.", settings.form),
        };
    };
    let passed = verdict.right(settings);
    Score {
        value: if passed { 1.0 } else { 0.0 },
        passed,
        metrics: vec![
            Metric::new("controls_right", verdict.set as f64, None),
            Metric::new("controls", settings.controls.len() as f64, None),
            Metric::new("kept_right", verdict.kept as f64, None),
            Metric::new("submitted_after", verdict.at.as_seconds(), Some("s")),
        ],
        explanation: verdict.explanation,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
