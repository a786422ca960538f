//! Did the lane keep up? An episode in which the host captured or recognised too late says nothing about a policy, unless
//! it was the policy itself that kept the machine busy.

use std::time::Duration;

use crate::perception::seeing::SeeingStats;

/// Share of capture intervals that may be more than a quarter too long. The specification's targets are shown for 700 ms
/// and more: with one interval in five late, most of them are still captured.
const LATE_SHARE: f64 = 0.2;
/// Fewer intervals than this say nothing.
const FEWEST: u64 = 15;
/// Sound that may be lost before the recogniser, milliseconds: more than a word.
const LOST_SOUND_MS: u64 = 1000;
/// How long an observation may wait for its tail to be recognised: three paces of the specification's five seconds. What a
/// policy hears then is older than what it sees by more than any answer window.
const TAIL: Duration = Duration::from_secs(15);
/// CPU time of the policy by its episode's length from which a late lane is the policy's own doing.
const BUSY: f64 = 0.5;

/// What an episode's perception came to, from t = 0 on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Load<'a> {
    pub intervals: u64,
    pub late_intervals: u64,
    /// Captures a second that there should have been.
    pub fps: f32,
    pub lost_sound_ms: u64,
    /// Waits of observations for their tail.
    pub tail_ms: &'a [u64],
    pub duration_ms: u64,
    /// CPU time of the policy's thread.
    pub policy_cpu_ms: u64,
}

/// Whose fault it is that a lane fell behind, and what was seen of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Late {
    Host(String),
    Policy(String),
}

impl Load<'_> {
    /// None where the lane kept up.
    #[must_use]
    pub(super) fn late(&self) -> Option<Late> {
        let mut seen = Vec::new();
        // One hole of five seconds is one late interval, and fifteen captures that never came.
        let due = (self.duration_ms as f64 * f64::from(self.fps) / 1000.0) as u64;
        let due = due.max(self.intervals);
        let late = self.late_intervals + (due - self.intervals);
        if due >= FEWEST && late as f64 > LATE_SHARE * due as f64 {
            seen.push(format!("{late} of {due} captures came late or never"));
        }
        if self.lost_sound_ms > LOST_SOUND_MS {
            seen.push(format!("{} ms of sound were lost", self.lost_sound_ms));
        }
        let longest = self.tail_ms.iter().copied().max().unwrap_or(0);
        if u128::from(longest) > TAIL.as_millis() {
            seen.push(format!("an observation waited {longest} ms for its sound"));
        }
        if seen.is_empty() {
            return None;
        }
        let seen = seen.join(", ");
        let busy = self.policy_cpu_ms as f64 / self.duration_ms.max(1) as f64;
        Some(if busy >= BUSY {
            Late::Policy(format!(
                "{seen}, while the policy computed for {} of {} ms",
                self.policy_cpu_ms, self.duration_ms
            ))
        } else {
            Late::Host(format!("the lane fell behind: {seen}"))
        })
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
mod tests {
    use super::*;

    const QUIET: Load<'_> = Load {
        intervals: 90,
        late_intervals: 18,
        fps: 3.0,
        lost_sound_ms: 1000,
        tail_ms: &[400, 15_000],
        duration_ms: 30_000,
        policy_cpu_ms: 29_000,
    };

    #[test]
    fn a_lane_that_keeps_up_is_not_late_however_busy_the_policy() {
        assert_eq!(QUIET.late(), None);
        // A handful of intervals says nothing.
        let short = Load {
            intervals: 10,
            late_intervals: 10,
            duration_ms: 3600,
            ..QUIET
        };
        assert_eq!(short.late(), None);
    }

    #[test]
    fn a_late_lane_is_the_host_s_fault_unless_the_policy_kept_it_busy() {
        let late = [
            (
                Load {
                    late_intervals: 19,
                    ..QUIET
                },
                "19 of 90 captures",
            ),
            (
                Load {
                    intervals: 75,
                    late_intervals: 4,
                    ..QUIET
                },
                "19 of 90 captures came late or never",
            ),
            (
                Load {
                    lost_sound_ms: 1001,
                    ..QUIET
                },
                "1001 ms of sound",
            ),
            (
                Load {
                    tail_ms: &[15_001],
                    ..QUIET
                },
                "15001 ms for its sound",
            ),
        ];
        for (load, words) in late {
            let Some(Late::Policy(why)) = load.late() else {
                panic!("{load:?}")
            };
            assert!(why.contains(words) && why.contains("29000 of 30000 ms"));
            let idle = Load {
                policy_cpu_ms: 14_999,
                ..load
            };
            let Some(Late::Host(why)) = idle.late() else {
                panic!("{idle:?}")
            };
            assert!(why.contains(words) && !why.contains("policy"));
        }
    }
}
