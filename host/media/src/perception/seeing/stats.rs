//! What seeing costs, for the record.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dynacu_figures::percentile;
use image::RgbImage;
use serde::Serialize;

use super::super::encoder::Encoder;
use super::Shared;
use crate::error::ModelError;

/// Measurements that are remembered of each kind: over half an hour at 3 a second; then the oldest go.
const REMEMBERED: usize = 6000;

/// Counts and times of one [`super::Seeing`].
#[derive(Debug, Clone, Default, Serialize)]
pub struct SeeingStats {
    /// Frames captured.
    pub frames: u64,
    /// Those of them that came before their time because something was drawn.
    pub on_damage: u64,
    /// Intervals between captures that were more than a quarter too long.
    pub late_intervals: u64,
    pub intervals_ms: Summary,
    /// Reading the screen.
    pub grab_ms: Summary,
    /// All pixel comparisons for one captured frame (stage 1), in microseconds.
    pub gate_us: Summary,
    /// One embedding (stage 2).
    pub encode_ms: Summary,
    /// Encoding a kept frame as PNG.
    pub compact_ms: Summary,
    /// From capture to the gate's word on it.
    pub decision_delay_ms: Summary,
    /// Frames kept and delivered.
    pub kept: u64,
    /// Changed frames that were given up because the gate was behind.
    pub dropped: u64,
    /// Kept frames that nobody took in time.
    pub undelivered: u64,
}

/// Count, mean and percentiles of one kind of measurement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Summary {
    pub count: u64,
    pub mean: f32,
    pub p50: f32,
    pub p95: f32,
    pub max: f32,
}

/// Where the threads put what they measure.
#[derive(Debug, Default)]
pub(super) struct Meters {
    pub frames: u64,
    pub on_damage: u64,
    pub late_intervals: u64,
    pub intervals: Times,
    pub grab: Times,
    pub gate: Times,
    pub encode: Times,
    pub compact: Times,
    pub decision_delay: Times,
    pub kept: u64,
    pub dropped: u64,
    pub undelivered: u64,
}

impl Meters {
    pub(super) fn stats(&self) -> SeeingStats {
        const MILLISECONDS: f64 = 1e3;
        const MICROSECONDS: f64 = 1e6;
        SeeingStats {
            frames: self.frames,
            on_damage: self.on_damage,
            late_intervals: self.late_intervals,
            intervals_ms: self.intervals.summary(MILLISECONDS),
            grab_ms: self.grab.summary(MILLISECONDS),
            gate_us: self.gate.summary(MICROSECONDS),
            encode_ms: self.encode.summary(MILLISECONDS),
            compact_ms: self.compact.summary(MILLISECONDS),
            decision_delay_ms: self.decision_delay.summary(MILLISECONDS),
            kept: self.kept,
            dropped: self.dropped,
            undelivered: self.undelivered,
        }
    }
}

/// The latest measurements of one kind, and the count, sum and maximum of all.
#[derive(Debug, Default)]
pub(super) struct Times {
    latest: Vec<Duration>,
    count: u64,
    sum: Duration,
    max: Duration,
}

impl Times {
    pub(super) fn add(&mut self, time: Duration) {
        if self.latest.len() < REMEMBERED {
            self.latest.push(time);
        } else {
            self.latest[(self.count % REMEMBERED as u64) as usize] = time;
        }
        self.count += 1;
        self.sum += time;
        self.max = self.max.max(time);
    }

    /// `unit` is how many of the wanted unit make a second.
    fn summary(&self, unit: f64) -> Summary {
        let mut sorted = self.latest.clone();
        sorted.sort_unstable();
        let value = |time: Duration| (time.as_secs_f64() * unit) as f32;
        let at = |percent| percentile(&sorted, percent).map_or(0.0, value);
        let mean = if self.count == 0 {
            0.0
        } else {
            (self.sum.as_secs_f64() * unit / self.count as f64) as f32
        };
        Summary {
            count: self.count,
            mean,
            p50: at(50),
            p95: at(95),
            max: value(self.max),
        }
    }
}

/// An encoder that takes down how long each embedding took.
pub(super) struct Timed {
    pub encoder: Arc<dyn Encoder>,
    pub shared: Arc<Shared>,
}

impl Encoder for Timed {
    fn name(&self) -> &str {
        self.encoder.name()
    }

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError> {
        let started = Instant::now();
        let embedding = self.encoder.embed(image);
        self.shared.meters.lock().encode.add(started.elapsed());
        embedding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_what_was_added() {
        let mut times = Times::default();
        assert_eq!(times.summary(1e3), Summary::default());
        for millis in (1..=101).rev() {
            times.add(Duration::from_millis(millis));
        }
        let summary = times.summary(1e3);
        assert_eq!(
            (summary.count, summary.p50, summary.p95, summary.max),
            (101, 51.0, 96.0, 101.0)
        );
        assert_eq!(summary.mean, 51.0);
    }
}
