//! The judgement on all actions, and the count of false alarms.

use dynacu_sdk::Instant;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::marked;

use crate::action::{Deed, Deeds, Fit, What};
use crate::settings::{Action, Settings};

/// More faults than this are counted, not told.
const TOLD: usize = 12;

#[derive(Default)]
pub(crate) struct Verdict {
    /// Whether what ends the task has come: until then nothing is decided.
    pub(crate) ended: bool,
    /// Seconds from its moment to each action that was done in time.
    pub(crate) done: Vec<f64>,
    pub(crate) missed: usize,
    pub(crate) wrong: usize,
    pub(crate) false_alarms: usize,
    faults: Vec<String>,
}

impl Verdict {
    pub(crate) fn right(&self, settings: &Settings) -> bool {
        self.wrong == 0
            && self.missed <= settings.misses
            && self.false_alarms <= settings.false_alarms
    }

    pub(crate) fn label<'s>(&self, settings: &'s Settings) -> &'s str {
        let own = if self.right(settings) {
            Some(&settings.success)
        } else if self.wrong > 0 {
            None
        } else if self.missed > settings.misses {
            settings.missed.as_ref()
        } else {
            settings.false_alarm.as_ref()
        };
        own.unwrap_or(&settings.failure)
    }

    pub(crate) fn explanation(&self) -> String {
        let done = self.done.len();
        let all = done + self.missed + self.wrong;
        let mut text = format!(
            "{done} of {all} actions in time, {} missed, {} wrong; {} false alarms.",
            self.missed, self.wrong, self.false_alarms
        );
        if !self.ended {
            text.push_str(" It was not ended.");
        }
        for fault in self.faults.iter().take(TOLD) {
            text.push_str(&format!(" {fault}."));
        }
        if self.faults.len() > TOLD {
            text.push_str(&format!(" And {} more.", self.faults.len() - TOLD));
        }
        text
    }
}

/// One time at which an action is asked for.
struct Chance<'a> {
    action: &'a Action,
    marked: Instant,
    /// Milliseconds after the start signal; an action may count before its moment, even before the signal.
    from: i64,
    until: i64,
}

pub(crate) fn verdict(
    settings: &Settings,
    page_events: &[PageEvent],
) -> Result<Verdict, ScoreError> {
    let end = settings.ends.at(page_events)?;
    let mut deeds = Deeds::of(page_events, end)?;
    let mut verdict = Verdict {
        ended: end.is_some(),
        ..Verdict::default()
    };
    let mut chances = Vec::new();
    for action in &settings.actions {
        let mut times = marked(page_events, &action.moment);
        times.retain(|at| end.is_none_or(|end| *at <= end));
        for _ in times.len()..action.times {
            verdict.missed += 1;
            verdict
                .faults
                .push(format!("{} did not come", action.moment));
        }
        chances.extend(times.into_iter().map(|marked| Chance::new(action, marked)));
    }
    // What ends first is served first, so that one deed is not taken from the action that it was for.
    chances.sort_by_key(|chance| (chance.until, chance.marked));
    for chance in &chances {
        chance.serve(&mut deeds, &mut verdict)?;
    }
    for deed in deeds.all.iter().filter(|deed| !deed.served) {
        if let What::Use(used) = &deed.what
            && settings.decoys.contain(&used.control)
            && !chances.iter().any(|chance| chance.takes(deed))
        {
            verdict.false_alarms += 1;
            verdict.faults.push(format!(
                "{:?} was used at {} s, which nothing asked for",
                used.control,
                seconds(deed.at)
            ));
        }
    }
    Ok(verdict)
}

impl<'a> Chance<'a> {
    fn new(action: &'a Action, marked: Instant) -> Self {
        let at = i64::try_from(marked.as_millis()).unwrap_or(i64::MAX);
        let milliseconds = |seconds: f64| (seconds * 1000.0).round() as i64;
        Self {
            action,
            marked,
            from: at.saturating_add(milliseconds(action.after)),
            until: at.saturating_add(milliseconds(action.within)),
        }
    }

    fn holds(&self, at: Instant) -> bool {
        i64::try_from(at.as_millis()).is_ok_and(|at| (self.from..=self.until).contains(&at))
    }

    /// A second use of the right control in its time is a double click, not an alarm.
    fn takes(&self, deed: &Deed) -> bool {
        self.holds(deed.at)
            && matches!(&deed.what, What::Use(used) if self.action.click.contain(&used.control))
    }

    /// The first deed in time that says anything decides.
    fn serve(&self, deeds: &mut Deeds, verdict: &mut Verdict) -> Result<(), ScoreError> {
        let moment = &self.action.moment;
        for place in 0..deeds.all.len() {
            let deed = &deeds.all[place];
            let at = deed.at;
            if deed.served || !self.holds(at) {
                continue;
            }
            match deeds.try_for(self.action, place)? {
                Fit::Other => continue,
                Fit::Right => {
                    // An action that may come before its moment has a delay below zero.
                    let milliseconds = at.as_millis() as f64 - self.marked.as_millis() as f64;
                    verdict.done.push(milliseconds / 1000.0);
                }
                Fit::Wrong => {
                    verdict.wrong += 1;
                    let told = deeds.told(self.action, place);
                    let value = self
                        .action
                        .value
                        .as_ref()
                        .map_or("", |value| value.0.as_str());
                    verdict
                        .faults
                        .push(format!("For {moment}, {told}, expected {value:?}"));
                }
            }
            return Ok(());
        }
        verdict.missed += 1;
        verdict.faults.push(format!(
            "For {moment} at {} s, nothing was done from {} to {} s after it",
            seconds(self.marked),
            self.action.after,
            self.action.within
        ));
        Ok(())
    }
}

fn seconds(at: Instant) -> String {
    format!("{:.1}", at.as_seconds())
}
