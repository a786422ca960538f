//! The specification's gate to the letter, and its first stage alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::encoder::{Encoder, cosine_distance};
use super::pixels::{CHANGED_SHARE, Since, different_tiles};
use super::{Decision, Gate, SEMANTIC_DISTANCE};
use crate::capture::screen::Frame;
use crate::error::ModelError;

/// Judges the whole frame: by both stages, or by the first alone where there is no encoder.
pub(crate) struct Whole {
    encoder: Option<Arc<dyn Encoder>>,
    anchor: Option<Anchor>,
    /// The last frame offered.
    last: Option<Arc<Frame>>,
    pixel_time: Duration,
}

struct Anchor {
    since: Since,
    /// Made when first needed.
    embedding: Option<Vec<f32>>,
}

impl Whole {
    pub(crate) fn new(encoder: Option<Arc<dyn Encoder>>) -> Self {
        Self {
            encoder,
            anchor: None,
            last: None,
            pixel_time: Duration::ZERO,
        }
    }

    /// Judges a frame that differs from the one before in these tiles.
    pub(crate) fn judge(
        &mut self,
        frame: &Arc<Frame>,
        different: &[usize],
    ) -> Result<Option<Decision>, ModelError> {
        let Some(Anchor { since, embedding }) = &mut self.anchor else {
            self.rebase(frame);
            return Ok(None);
        };
        let started = Instant::now();
        since.update(frame, different);
        self.pixel_time += started.elapsed();
        let (fraction, bounds) = (since.change.fraction(), since.change.bounds());
        if fraction < CHANGED_SHARE {
            return Ok(None);
        }
        let (after, distance) = match &self.encoder {
            None => (None, None),
            Some(encoder) => {
                let before = match embedding {
                    Some(embedding) => embedding,
                    empty => empty.insert(encoder.embed(&since.frame.rgb()?)?),
                };
                let after = encoder.embed(&frame.rgb()?)?;
                let distance = cosine_distance(before, &after);
                if distance < SEMANTIC_DISTANCE {
                    return Ok(None);
                }
                (Some(after), Some(distance))
            }
        };
        self.anchor = Some(Anchor {
            since: Since::new(frame),
            embedding: after,
        });
        Ok(Some(Decision {
            frame: frame.clone(),
            changed: bounds.unwrap_or((0, 0, frame.width, frame.height)),
            changed_fraction: fraction,
            semantic_distance: distance,
            settled: false,
        }))
    }
}

impl Gate for Whole {
    fn rebase(&mut self, frame: &Arc<Frame>) {
        self.last = Some(frame.clone());
        self.anchor = Some(Anchor {
            since: Since::new(frame),
            embedding: None,
        });
    }

    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>, ModelError> {
        let started = Instant::now();
        let different = self
            .last
            .replace(frame.clone())
            .map(|last| different_tiles(&last, frame));
        self.pixel_time += started.elapsed();
        self.judge(frame, &different.unwrap_or_default())
    }

    fn rest(&mut self, _now: Instant) -> Result<Option<Decision>, ModelError> {
        Ok(None)
    }

    fn pixel_time(&self) -> Duration {
        self.pixel_time
    }
}
