//! The first link of the chain: is somebody speaking? It goes on while a pass keeps the rest waiting.

use std::collections::VecDeque;
use std::sync::Arc;

use super::shared::Shared;
use crate::perception::voice_activity::{Cutting, VoiceActivity, WINDOW, level};

/// A window that was judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    pub probability: f32,
    pub level: f32,
}

/// Judges window after window as they come.
pub(super) struct Ear {
    shared: Arc<Shared>,
    detector: Box<dyn VoiceActivity>,
    leave: f32,
    /// Judged, and not taken yet.
    waiting: VecDeque<Window>,
    /// The position up to which windows have been judged, and up to which they have been taken.
    judged: u64,
    taken: u64,
    /// Where the last window of speech ended.
    spoken: u64,
}

impl Ear {
    pub(super) fn new(
        shared: Arc<Shared>,
        detector: Box<dyn VoiceActivity>,
        cutting: &Cutting,
    ) -> Self {
        Self {
            shared,
            detector,
            leave: cutting.leave,
            waiting: VecDeque::new(),
            judged: 0,
            taken: 0,
            spoken: 0,
        }
    }

    /// Judges all windows that are there.
    pub(super) fn judge(&mut self) {
        const STEP: u64 = WINDOW as u64;
        loop {
            let (end, window) = self
                .shared
                .with_ring(|ring| (ring.end(), ring.read(self.judged, self.judged + STEP)));
            if end < self.judged + STEP {
                break;
            }
            self.judged += STEP;
            let window = match window {
                Some(window) => Window {
                    probability: self.probability(&window),
                    level: level(&window),
                },
                // It left the ring unheard: silence, so that positions stay right.
                None => {
                    self.shared.count(|stats| stats.overrun_samples += STEP);
                    Window {
                        probability: 0.0,
                        level: 0.0,
                    }
                }
            };
            if window.probability >= self.leave {
                self.spoken = self.judged;
            }
            self.waiting.push_back(window);
        }
    }

    fn probability(&mut self, window: &[f32]) -> f32 {
        self.detector.probability(window).unwrap_or_else(|error| {
            tracing::warn!("{error:#}");
            self.shared.count(|stats| stats.failures += 1);
            0.0
        })
    }

    /// The next window, in order.
    pub(super) fn next(&mut self) -> Option<Window> {
        let window = self.waiting.pop_front()?;
        self.taken += WINDOW as u64;
        Some(window)
    }

    /// The position up to which windows have been judged.
    pub(super) fn judged(&self) -> u64 {
        self.judged
    }

    /// The position up to which windows have been taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Where the last speech ended, as far as it was judged; the silence after it is what follows up to there.
    pub(super) fn spoken(&self) -> u64 {
        self.spoken
    }
}
