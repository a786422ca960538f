//! Knows regions that only go back and forth: a caret, a blinking lamp.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::capture::screen::Area;

/// So many switches between the same two states make a region restless.
const SWITCHES: usize = 4;
/// How many regions are watched.
const WATCHED: usize = 32;

struct Pair {
    bounds: Area,
    states: [u64; 2],
    /// When it switched, the latest last; at most [`SWITCHES`].
    switches: VecDeque<Instant>,
    quiet: bool,
}

pub(crate) struct Restless {
    pairs: VecDeque<Pair>,
    /// How much the times between switches may differ and still count as equal: sampling alone moves each by one interval.
    tolerance: Duration,
}

impl Restless {
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            pairs: VecDeque::new(),
            tolerance: interval.mul_f32(1.5),
        }
    }

    /// Whether a switch of this region between these states is an old story.
    pub(crate) fn is_quiet(&self, bounds: Area, before: u64, after: u64) -> bool {
        self.pairs
            .iter()
            .any(|pair| pair.quiet && pair.is(bounds, before, after))
    }

    /// How long the region rested between its last two switches, if it is restless.
    pub(crate) fn period(&self, bounds: Area, before: u64, after: u64) -> Option<Duration> {
        let pair = self
            .pairs
            .iter()
            .find(|pair| pair.quiet && pair.is(bounds, before, after))?;
        let mut latest = pair.switches.iter().rev();
        Some(latest.next()?.duration_since(*latest.next()?))
    }

    /// Takes down that a frame was kept because this region went from one state to another.
    pub(crate) fn note(&mut self, bounds: Area, before: u64, after: u64, at: Instant) {
        let place = self
            .pairs
            .iter()
            .position(|pair| pair.is(bounds, before, after));
        let mut pair = place
            .and_then(|place| self.pairs.remove(place))
            .unwrap_or_else(|| Pair {
                bounds,
                states: [before, after],
                switches: VecDeque::new(),
                quiet: false,
            });
        if pair.switches.len() == SWITCHES {
            pair.switches.pop_front();
        }
        pair.switches.push_back(at);
        let pauses = || {
            pair.switches
                .iter()
                .zip(pair.switches.iter().skip(1))
                .map(|(from, to)| to.duration_since(*from))
        };
        let (longest, shortest) = (
            pauses().max().unwrap_or_default(),
            pauses().min().unwrap_or_default(),
        );
        pair.quiet = pair.switches.len() == SWITCHES && longest - shortest <= self.tolerance;
        if self.pairs.len() == WATCHED {
            self.pairs.pop_front();
        }
        self.pairs.push_back(pair);
    }
}

impl Pair {
    fn is(&self, bounds: Area, before: u64, after: u64) -> bool {
        self.bounds == bounds && (self.states == [before, after] || self.states == [after, before])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAMP: Area = (10, 10, 18, 18);

    fn after(switches: &[u64]) -> Restless {
        let mut restless = Restless::new(Duration::from_millis(333));
        let start = Instant::now();
        for (count, &millis) in switches.iter().enumerate() {
            let (before, after) = if count % 2 == 0 { (1, 2) } else { (2, 1) };
            restless.note(LAMP, before, after, start + Duration::from_millis(millis));
        }
        restless
    }

    #[test]
    fn four_even_switches_are_enough() {
        assert!(!after(&[0, 667, 1000]).is_quiet(LAMP, 1, 2));
        let restless = after(&[0, 667, 1000, 1667]);
        assert!(restless.is_quiet(LAMP, 1, 2) && restless.is_quiet(LAMP, 2, 1));
        assert!(!restless.is_quiet(LAMP, 1, 3), "a new state is news");
        assert!(
            !restless.is_quiet((90, 10, 18, 18), 1, 2),
            "so is another place"
        );
    }

    #[test]
    fn uneven_switches_are_content() {
        assert!(!after(&[0, 667, 4000, 4667]).is_quiet(LAMP, 1, 2));
    }
}
