//! Did the lane keep up? An episode in which the host captured or recognised too late says nothing about a policy, unless
//! it was the policy itself that kept the machine busy.
//!
//! Who is to blame is told for each delay by itself: a policy that computes for a minute and then waits for another was not
//! idle during the first, and a machine that stalls while the policy waits is not excused by what the policy did before.

use crate::perception::seeing::SeeingStats;

/// Share of capture intervals that may be more than a quarter too long. The specification's targets are shown for 700 ms
/// and more: with one interval in five late, most of them are still captured.
const LATE_SHARE: f64 = 0.2;
/// Fewer intervals than this say nothing.
const FEWEST: f64 = 15.0;
/// Sound that may be lost before the recogniser, milliseconds: more than a word.
const LOST_SOUND_MS: u64 = 1000;
/// How long an observation may wait for its tail to be recognised: three paces of the specification's five seconds. What a
/// policy hears then is older than what it sees by more than any answer window.
const TAIL_MS: u64 = 15_000;
/// Processor time of the policy, by the time that passed, from which it keeps the machine busy.
const BUSY: f64 = 0.5;
/// How often the episode is looked at.
const EVERY_MS: u64 = 1000;

/// What an episode had come to at some time, counted from t = 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Look {
    pub at: u64,
    pub intervals: u64,
    pub late_intervals: u64,
    /// Processor time of the policy, other threads' on its behalf included.
    pub policy_ms: u64,
}

/// Looks at a running episode, about one a second.
#[derive(Debug)]
pub(super) struct Watch(Vec<Look>);

impl Watch {
    /// From t = 0 on.
    pub(super) fn new() -> Self {
        Self(vec![Look::default()])
    }

    pub(super) fn is_due(&self, now: u64) -> bool {
        now >= self.last().at + EVERY_MS
    }

    pub(super) fn add(&mut self, look: Look) {
        self.0.push(look);
    }

    pub(super) fn last(&self) -> Look {
        self.0.last().copied().unwrap_or_default()
    }

    /// Processor time of the policy up to a time, as if it went on evenly between two looks.
    fn policy_ms(&self, at: u64) -> f64 {
        let at = at.min(self.last().at);
        let after = self.0.partition_point(|look| look.at < at);
        let look = |index: usize| self.0.get(index).copied().unwrap_or_default();
        let (from, to) = (look(after.saturating_sub(1)), look(after));
        let passed = (to.at - from.at).max(1) as f64;
        let share = (at - from.at) as f64 / passed;
        from.policy_ms as f64 + share * (to.policy_ms - from.policy_ms) as f64
    }

    /// Whether the policy kept the machine busy between two times.
    fn busy(&self, from: u64, to: u64) -> bool {
        let passed = to.saturating_sub(from).max(1) as f64;
        self.policy_ms(to) - self.policy_ms(from) >= BUSY * passed
    }

    /// Captures that came late or never while the policy kept the machine busy.
    fn late_while_busy(&self, fps: f64) -> f64 {
        let (mut late, mut missing) = (0.0, 0.0);
        let mut before_was_busy = false;
        for pair in self.0.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let busy = self.busy(from.at, to.at);
            // A late capture ends the interval that began before it.
            if busy || before_was_busy {
                let intervals = (to.intervals - from.intervals) as f64;
                late += (to.late_intervals - from.late_intervals) as f64;
                missing += (to.at - from.at) as f64 * fps / 1000.0 - intervals;
            }
            before_was_busy = busy;
        }
        late + missing.max(0.0)
    }
}

/// An episode's perception, from t = 0 to its end.
#[derive(Debug)]
pub(super) struct Load<'a> {
    pub watch: &'a Watch,
    /// Captures a second that there should have been.
    pub fps: f32,
    /// Sound that was lost: since when and how long (ms).
    pub gaps: &'a [(u64, u64)],
    /// Waits of observations for their sound: when they were over and how long they were (ms).
    pub tails: &'a [(u64, u64)],
}

/// Whose fault it is that a lane fell behind, and what was seen of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Late {
    Host(String),
    Policy(String),
}

/// Delays, all of an episode or those of one cause.
struct Delays {
    due: f64,
    late: f64,
    lost_sound_ms: u64,
    longest_tail_ms: u64,
}

impl Delays {
    /// What of it an episode cannot bear; empty where it can.
    fn unbearable(&self) -> String {
        let mut seen = Vec::new();
        if self.due >= FEWEST && self.late > LATE_SHARE * self.due {
            seen.push(format!(
                "{:.0} of {:.0} captures came late or never",
                self.late, self.due
            ));
        }
        if self.lost_sound_ms > LOST_SOUND_MS {
            seen.push(format!("{} ms of sound were lost", self.lost_sound_ms));
        }
        if self.longest_tail_ms > TAIL_MS {
            let longest = self.longest_tail_ms;
            seen.push(format!("an observation waited {longest} ms for its sound"));
        }
        seen.join(", ")
    }
}

impl Load<'_> {
    /// None where the lane kept up.
    #[must_use]
    pub(super) fn late(&self) -> Option<Late> {
        let all = self.delays(false);
        let seen = all.unbearable();
        if seen.is_empty() {
            return None;
        }
        let hosts = self.delays(true).unbearable();
        if !hosts.is_empty() {
            return Some(Late::Host(format!("the lane fell behind: {hosts}")));
        }
        let Look { at, policy_ms, .. } = self.watch.last();
        Some(Late::Policy(format!(
            "{seen}, while the policy kept the machine busy: it took {policy_ms} ms of processor time in {at} ms, the host's work for it included"
        )))
    }

    /// All delays, or those without the ones that the policy caused.
    fn delays(&self, without_the_policy: bool) -> Delays {
        let end = self.watch.last();
        let fps = f64::from(self.fps);
        // One hole of five seconds is one late interval, and fifteen captures that never came.
        let due = (end.at as f64 * fps / 1000.0).floor();
        let due = due.max(end.intervals as f64);
        let mut late = end.late_intervals as f64 + due - end.intervals as f64;
        if without_the_policy {
            late -= self.watch.late_while_busy(fps);
        }
        let counts = |from: u64, to: u64| !(without_the_policy && self.watch.busy(from, to));
        let gaps = self.gaps.iter();
        let gaps = gaps.filter(|(at, ms)| counts(at.saturating_sub(EVERY_MS), at + ms));
        let tails = self.tails.iter();
        let tails = tails.filter(|(over, ms)| counts(over.saturating_sub(*ms), *over));
        Delays {
            due,
            late,
            lost_sound_ms: gaps.map(|(_, ms)| ms).sum(),
            longest_tail_ms: tails.map(|(_, ms)| *ms).max().unwrap_or(0),
        }
    }
}

/// What was seen between two looks at the same capture: intervals, and how many of them were late.
#[must_use]
pub(super) fn intervals(before: &SeeingStats, after: &SeeingStats) -> (u64, u64) {
    (
        after
            .intervals_ms
            .count
            .saturating_sub(before.intervals_ms.count),
        after.late_intervals.saturating_sub(before.late_intervals),
    )
}

#[cfg(test)]
mod tests;
