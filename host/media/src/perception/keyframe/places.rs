//! Where and when something was, so that what happens there next is seen with it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::boxes::near;
use crate::capture::screen::Area;

/// How many places are remembered; then the oldest go.
const REMEMBERED: usize = 32;

#[derive(Default)]
pub(crate) struct Places(VecDeque<(Area, Instant)>);

impl Places {
    pub(crate) fn note(&mut self, area: Area, at: Instant) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((area, at));
    }

    /// Whether something less than so many pixels apart was noted less than so long ago.
    pub(crate) fn is_near(&self, area: Area, apart: u32, ago: Duration, now: Instant) -> bool {
        self.recent(area, apart, ago, now).next().is_some()
    }

    /// Those places.
    pub(crate) fn recent(
        &self,
        area: Area,
        apart: u32,
        ago: Duration,
        now: Instant,
    ) -> impl Iterator<Item = Area> {
        self.0
            .iter()
            .filter(move |(place, at)| {
                now.saturating_duration_since(*at) < ago && near(*place, area, apart)
            })
            .map(|(place, _)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_or_long_ago_does_not_count() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut places = Places::default();
        places.note((100, 100, 50, 50), start);
        let is_near = |area, now| places.is_near(area, 10, second * 3, now);
        assert!(is_near((155, 100, 9, 9), start + second));
        assert!(!is_near((165, 100, 9, 9), start + second));
        assert!(!is_near((155, 100, 9, 9), start + second * 3));
        for place in 0..100 {
            places.note((place, 0, 1, 1), start);
        }
        assert_eq!(places.0.len(), REMEMBERED);
    }
}
