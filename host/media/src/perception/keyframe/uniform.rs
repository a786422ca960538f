//! Frames at a fixed rate, whatever they show: the plain alternative that a gate must beat.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pixels::Change;
use super::{Decision, Gate};
use crate::capture::screen::Frame;
use crate::error::ModelError;

pub(crate) struct Uniform {
    /// Between two kept frames; None keeps nothing.
    period: Option<Duration>,
    /// A frame is due from half a capture's interval before its time on, so that the pace is kept on the average.
    early: Duration,
    due: Option<Instant>,
    kept: Kept,
}

impl Uniform {
    pub(crate) fn new(per_second: u32, interval: Duration) -> Self {
        Self {
            period: Duration::from_secs(1).checked_div(per_second),
            early: interval / 2,
            due: None,
            kept: Kept::default(),
        }
    }
}

impl Gate for Uniform {
    fn wants_every_frame(&self) -> bool {
        self.period.is_some()
    }

    fn rebase(&mut self, frame: &Arc<Frame>) {
        self.kept.rebase(frame);
    }

    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>, ModelError> {
        let Some(period) = self.period else {
            return Ok(None);
        };
        let due = *self.due.get_or_insert(frame.captured);
        if frame.captured + self.early < due {
            return Ok(None);
        }
        // What was missed is not made up for: two frames at once would show the same.
        self.due = Some((due + period).max(frame.captured + period / 2));
        Ok(Some(self.kept.keep(frame)))
    }

    fn rest(&mut self, _now: Instant) -> Result<Option<Decision>, ModelError> {
        Ok(None)
    }

    fn pixel_time(&self) -> Duration {
        self.kept.pixel_time
    }
}

/// The last kept frame of a gate that keeps without looking, to say what changed since.
#[derive(Default)]
pub(crate) struct Kept {
    last: Option<Arc<Frame>>,
    pub pixel_time: Duration,
}

impl Kept {
    pub(crate) fn rebase(&mut self, frame: &Arc<Frame>) {
        self.last = Some(frame.clone());
    }

    pub(crate) fn keep(&mut self, frame: &Arc<Frame>) -> Decision {
        let started = Instant::now();
        let change = self
            .last
            .replace(frame.clone())
            .map(|last| Change::between(&last, frame));
        self.pixel_time += started.elapsed();
        let whole = (0, 0, frame.width, frame.height);
        Decision {
            frame: frame.clone(),
            changed: change.as_ref().and_then(Change::bounds).unwrap_or(whole),
            changed_fraction: change.map_or(1.0, |change| change.fraction()),
            semantic_distance: None,
            settled: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    /// Offers the same picture every 333 ms for ten seconds; gives the milliseconds of the kept frames.
    fn kept(per_second: u32) -> Vec<u64> {
        let interval = Duration::from_millis(333);
        let (mut gate, start) = (Uniform::new(per_second, interval), Instant::now());
        let picture = RgbImage::from_pixel(64, 64, Rgb([9; 3]));
        (0..30)
            .filter_map(|index| {
                let at = start + interval * index;
                let kept = gate.offer(&Arc::new(Frame::from_rgb(at, &picture)));
                kept.unwrap().map(|_| 333 * u64::from(index))
            })
            .collect()
    }

    #[test]
    fn the_rate_is_kept_on_the_average() {
        assert_eq!(kept(3).len(), 30);
        assert!(kept(0).is_empty());
        let once = kept(1);
        assert_eq!(once.len(), 10, "{once:?}");
        for (second, at) in once.iter().enumerate() {
            assert!(at.abs_diff(second as u64 * 1000) <= 170, "{once:?}");
        }
    }
}
