//! Scores the order in which controls were used: a pattern of lights, a combination, steps of a procedure. Keys count
//! like clicks where the page reports them as uses of a control.
//!
//! ```toml
//! [scorer.settings]
//! expected = "{pattern}"          # names in order, a list or a text with spaces or commas
//! # rounds = [["red"], ["red", "blue"]]   instead: several sequences, one after the other
//! prefix = "pad-"                 # optional: stands before each name in the page's names of controls
//! controls = "pad-*"              # optional: the controls that count; others are free. Default: the expected ones
//! restarts = 1                    # optional, 0: how many times a round may be begun anew
//! restart = "clear"               # optional: a control that begins the round anew, as a mistake does
//! ends = { window = "replay" }    # or { form = "pattern" }: when it is judged
//! success = "pattern_repeated"
//! failure = "wrong_order"
//! incomplete = "not_finished"     # optional: no mistake too many, but not all of it; else the failure's label
//! ```

mod settings;
mod verdict;

use dynacu_sdk::export_scorer;
use dynacu_sdk::scoring::{Episode, Metric, PageEvent, Score, ScoreError, Scorer, Variant};

use settings::{Rules, Settings};
use verdict::{Outcome, Verdict, verdict};

struct Sequence;

impl Scorer for Sequence {
    type Settings = Settings;

    fn judge(variant: &Variant<Settings>, page_events: &[PageEvent]) -> Option<String> {
        // What cannot be judged is reported when the episode is scored; until then nothing is decided.
        let settings = &variant.settings;
        let rules = settings.rules().ok()?;
        let verdict = verdict(&rules, page_events).ok()?;
        let outcome = verdict.ended.then_some(verdict.outcome)?;
        Some(settings.label(outcome).to_owned())
    }

    fn score_episode(variant: &Variant<Settings>, episode: &Episode) -> Result<Score, ScoreError> {
        let settings = &variant.settings;
        let rules = settings.rules()?;
        episode.expect_result(&settings.labels())?;
        Ok(score(&rules, &verdict(&rules, &episode.page_events)?))
    }
}

export_scorer!(Sequence);

fn score(rules: &Rules, verdict: &Verdict) -> Score {
    let passed = verdict.ended && verdict.outcome == Outcome::Whole;
    let explanation = if verdict.ended {
        verdict.explanation.clone()
    } else {
        format!("It was not ended. {}", verdict.explanation)
    };
    Score {
        value: if passed { 1.0 } else { 0.0 },
        passed,
        metrics: vec![
            Metric::new("uses", verdict.uses as f64, None),
            Metric::new("rounds_done", verdict.rounds_done as f64, None),
            Metric::new("rounds", rules.rounds.len() as f64, None),
            Metric::new("restarts", verdict.restarts as f64, None),
        ],
        explanation,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
