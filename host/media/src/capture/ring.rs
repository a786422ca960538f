//! Samples by position: a ring of the last seconds, the whole recording beside it, and the time of each sample.

use std::time::{Duration, Instant};

/// Samples a second everywhere in hearing.
pub(crate) const RATE: u32 = 16_000;

/// The recording stops growing here (two hours, 230 MB), so that a forgotten episode cannot eat the machine.
const RECORDING_LIMIT: usize = RATE as usize * 7200;
/// How fast the clock follows the times that buffers claim: their jitter is larger than the clocks' drift.
const FOLLOW: f64 = 0.02;

/// A number of samples as time.
#[must_use]
pub(crate) fn duration(samples: u64) -> Duration {
    Duration::from_nanos(samples * 1_000_000_000 / u64::from(RATE))
}

/// A stretch for which no samples came; it was filled with silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Position of the first missing sample.
    pub at: u64,
    pub samples: u64,
}

/// 16 kHz mono samples, addressed by their position since the first one.
///
/// Positions are continuous: a hole in what arrives is filled with silence and noted, so that position and
/// time stay in step over a whole episode.
#[derive(Debug)]
pub(crate) struct Ring {
    /// The sample at position p lies at p modulo the length.
    latest: Vec<f32>,
    recording: Vec<i16>,
    end: u64,
    /// The instant of position 0.
    origin: Option<Instant>,
    gap_after: Duration,
    gaps: Vec<Gap>,
}

impl Ring {
    /// Keeps `seconds` of samples. A buffer that comes more than `gap_after` later than the samples before it
    /// account for leaves a gap; less is jitter.
    #[must_use]
    pub(crate) fn new(seconds: u32, gap_after: Duration) -> Self {
        Self {
            latest: vec![0.0; seconds as usize * RATE as usize],
            recording: Vec::new(),
            end: 0,
            origin: None,
            gap_after,
            gaps: Vec::new(),
        }
    }

    /// Adds samples of which the first one sounded at `at`.
    pub(crate) fn push(&mut self, at: Instant, samples: &[f32]) {
        let origin = *self.origin.get_or_insert(at);
        let expected = origin + duration(self.end);
        if at > expected + self.gap_after {
            let missing = ((at - expected).as_nanos() * u128::from(RATE) / 1_000_000_000) as u64;
            self.gaps.push(Gap {
                at: self.end,
                samples: missing,
            });
            self.fill(missing);
        } else {
            let follow = |difference: Duration| difference.mul_f64(FOLLOW);
            self.origin = Some(if at >= expected {
                origin + follow(at - expected)
            } else {
                origin.checked_sub(follow(expected - at)).unwrap_or(origin)
            });
        }
        for sample in samples {
            self.append(*sample);
        }
    }

    fn fill(&mut self, mut missing: u64) {
        // A machine that slept for a day must not write a day of silence sample by sample.
        let longest = RECORDING_LIMIT as u64;
        if missing > longest {
            self.end += missing - longest;
            missing = longest;
        }
        for _ in 0..missing {
            self.append(0.0);
        }
    }

    fn append(&mut self, sample: f32) {
        let length = self.latest.len() as u64;
        self.latest[(self.end % length) as usize] = sample;
        self.end += 1;
        if self.recording.len() < RECORDING_LIMIT {
            self.recording
                .push((sample.clamp(-1.0, 1.0) * 32767.0).round() as i16);
        }
    }

    /// The position after the newest sample.
    #[must_use]
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The oldest position that is still held.
    #[must_use]
    pub(crate) fn start(&self) -> u64 {
        self.end.saturating_sub(self.latest.len() as u64)
    }

    /// Copies the samples from one position to another, if all of them are still (and already) held.
    #[must_use]
    pub(crate) fn read(&self, from: u64, to: u64) -> Option<Vec<f32>> {
        if from > to || from < self.start() || to > self.end {
            return None;
        }
        let length = self.latest.len();
        let (first, count) = ((from % length as u64) as usize, (to - from) as usize);
        let until_wrap = count.min(length - first);
        let mut out = Vec::with_capacity(count);
        out.extend_from_slice(&self.latest[first..first + until_wrap]);
        out.extend_from_slice(&self.latest[..count - until_wrap]);
        Some(out)
    }

    /// When the sample at a position sounded (or will); nothing before the first buffer.
    #[must_use]
    pub(crate) fn instant(&self, position: u64) -> Option<Instant> {
        self.origin.map(|origin| origin + duration(position))
    }

    /// The position that sounded at an instant; 0 for instants before the first sample.
    #[must_use]
    pub(crate) fn position(&self, at: Instant) -> Option<u64> {
        let nanos = at.saturating_duration_since(self.origin?).as_nanos();
        Some(u64::try_from(nanos * u128::from(RATE) / 1_000_000_000).unwrap_or(u64::MAX))
    }

    #[must_use]
    pub(crate) fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Takes the whole recording out.
    pub(crate) fn take_recording(&mut self) -> Vec<i16> {
        std::mem::take(&mut self.recording)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(from: usize, count: usize) -> Vec<f32> {
        (from..from + count).map(|i| i as f32 / 1e6).collect()
    }

    #[test]
    fn positions_survive_the_wrap() {
        let mut ring = Ring::new(1, Duration::from_millis(200));
        let start = Instant::now();
        for i in 0..5 {
            ring.push(
                start + Duration::from_millis(i * 500),
                &ramp(i as usize * 8000, 8000),
            );
        }
        assert_eq!((ring.start(), ring.end()), (24_000, 40_000));
        assert_eq!(ring.read(31_000, 33_000), Some(ramp(31_000, 2000)));
        assert_eq!(ring.read(23_999, 24_001), None);
        assert_eq!(ring.read(39_999, 40_001), None);
        assert_eq!(ring.read(40_000, 40_000), Some(vec![]));
        assert_eq!(ring.take_recording().len(), 40_000);
    }

    #[test]
    fn time_and_position_agree() {
        let mut ring = Ring::new(2, Duration::from_millis(200));
        let start = Instant::now();
        ring.push(start, &[0.0; 1600]);
        assert_eq!(ring.instant(1600), Some(start + Duration::from_millis(100)));
        assert_eq!(ring.position(start + Duration::from_millis(50)), Some(800));
        assert_eq!(ring.position(start - Duration::from_millis(50)), Some(0));
    }

    #[test]
    fn a_late_buffer_leaves_a_gap_and_jitter_does_not() {
        let mut ring = Ring::new(2, Duration::from_millis(200));
        let start = Instant::now();
        ring.push(start, &[0.5; 1600]);
        ring.push(start + Duration::from_millis(130), &[0.5; 1600]);
        assert!(ring.gaps().is_empty());
        assert_eq!(ring.end(), 3200);
        ring.push(start + Duration::from_millis(700), &[0.5; 1600]);
        let gap = ring.gaps()[0];
        assert_eq!(gap.at, 3200);
        assert!((7900..=8000).contains(&gap.samples), "{gap:?}");
        assert_eq!(ring.read(gap.at, gap.at + 2), Some(vec![0.0, 0.0]));
        assert_eq!(ring.end(), 4800 + gap.samples);
    }
}
