//! Scores what was done within which time of which moment: alerts to be acknowledged, a target that comes up, a call
//! whose questions are to be answered. Times are the page's, in seconds after it marked the moment.
//!
//! ```toml
//! [scorer.settings]
//! ends = { window = "shift" }     # or { form = "report" }: when it is judged
//! actions = [
//!   { moment = "alert-2", click = "ack-2", within = 5.0 },
//!   { moment = "cue", click = "pause", after = 0.5, within = 3.0 },
//!   { moment = "mole-up", click = "{hole}", within = 1.5, times = 4 },    # the page marks it four times
//!   { moment = "asked", submit = "chat", field = "reply", value = "{order}", type = "code", within = 20.0 },
//!   { moment = "asked", submit = "chat", field = "reply", spoken = true, value = "{order}", type = "code", within = 20.0 },
//! ]
//! decoys = ["ack-*"]              # optional: controls whose use outside of an action is a false alarm
//! misses = 0                      # optional, 0: how many actions may be missed
//! false-alarms = 1                # optional, 0: how many false alarms are forgiven
//! success = "alerts_handled"
//! failure = "wrong_answer"        # an action had a wrong value
//! missed = "missed_alert"         # optional: too many were missed; else the failure's label
//! false-alarm = "false_alarm"     # optional: too many false alarms; else the failure's label
//! ```
//!
//! An action is done by any of what it names: one of the controls of `click`, the form of `submit`, an utterance with
//! `spoken`. With a value, the first that says anything of its type decides; it is never forgiven when that is wrong.

mod action;
mod settings;
mod verdict;

use dynacu_sdk::export_scorer;
use dynacu_sdk::scoring::{Episode, Metric, PageEvent, Score, ScoreError, Scorer, Variant};

use settings::Settings;
use verdict::{Verdict, verdict};

struct TimedActions;

impl Scorer for TimedActions {
    type Settings = Settings;

    fn judge(variant: &Variant<Settings>, page_events: &[PageEvent]) -> Option<String> {
        // What cannot be judged is reported when the episode is scored; until then nothing is decided.
        let settings = &variant.settings;
        settings.check().ok()?;
        let verdict = verdict(settings, page_events).ok()?;
        let label = verdict.label(settings);
        verdict.ended.then(|| label.to_owned())
    }

    fn score_episode(variant: &Variant<Settings>, episode: &Episode) -> Result<Score, ScoreError> {
        let settings = &variant.settings;
        settings.check()?;
        episode.expect_result(&settings.labels())?;
        Ok(score(settings, &verdict(settings, &episode.page_events)?))
    }
}

export_scorer!(TimedActions);

fn score(settings: &Settings, verdict: &Verdict) -> Score {
    let passed = verdict.ended && verdict.right(settings);
    let mut metrics = vec![
        Metric::new("done", verdict.done.len() as f64, None),
        Metric::new("missed", verdict.missed as f64, None),
        Metric::new("wrong", verdict.wrong as f64, None),
        Metric::new("false_alarms", verdict.false_alarms as f64, None),
    ];
    // Seconds from the moment to the action.
    if let Some(slowest) = verdict.done.iter().copied().reduce(f64::max) {
        let mean = verdict.done.iter().sum::<f64>() / verdict.done.len() as f64;
        metrics.push(Metric::new("mean_delay", mean, Some("s")));
        metrics.push(Metric::new("longest_delay", slowest, Some("s")));
    }
    Score {
        value: if passed { 1.0 } else { 0.0 },
        passed,
        metrics,
        explanation: verdict.explanation(),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
