//! Which captured frames are worth keeping.
//!
//! `spec` reads the specification to the letter: a frame is kept when at least 1 % of its pixels changed since the last
//! kept one and the whole frame's embedding moved by at least 0.04. That loses most small things, so `local` (the default)
//! keeps those frames and also what passes the same two thresholds inside the region that changed.

use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::encoder::{Encoder, cosine_distance};
use crate::capture::screen::{Area, Frame};

pub mod boxes;
mod busy;
mod embeddings;
mod local;
pub mod pixels;
mod restless;

use pixels::{CHANGED_SHARE, Since, different_tiles};

/// Cosine distance from which two pictures count as different (the specification's number).
pub const SEMANTIC_DISTANCE: f32 = 0.04;

/// The gates a run can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateKind {
    /// The specification's two stages on the whole frame.
    Spec,
    /// `spec`, and the same two stages inside what changed.
    Local,
}

impl GateKind {
    pub const ALL: [Self; 2] = [Self::Spec, Self::Local];

    /// The name in the record and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Local => "local",
        }
    }

    /// A fresh gate. `interval` is the time between two captured frames.
    #[must_use]
    pub fn build(self, encoder: Arc<dyn Encoder>, interval: Duration) -> Box<dyn Gate> {
        match self {
            Self::Spec => Box::new(Spec::new(encoder)),
            Self::Local => Box::new(local::Local::new(encoder, interval)),
        }
    }
}

impl FromStr for GateKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| {
                format!(
                    "there is no keyframe gate {name}: choose one of {}",
                    known()
                )
            })
    }
}

/// A frame that is to be kept, and why.
#[derive(Debug, Clone)]
pub struct Decision {
    pub frame: Arc<Frame>,
    /// The box around what changed since the last kept frame; with `local` without the changes that were judged as
    /// nothing new (a spinner elsewhere on the screen).
    pub changed: Area,
    /// Share of all pixels that changed since the last kept frame, 0 to 1.
    pub changed_fraction: f32,
    /// Cosine distance that decided, 0 to 2: of the crop where `local` kept the frame, else of the whole frame.
    pub semantic_distance: Option<f32>,
    /// Kept because the screen had come to rest, not because of a new change.
    pub settled: bool,
}

/// Decides frame by frame. Only frames that differ from the one before are offered.
pub trait Gate: Send {
    /// Takes a frame as what is already known, without keeping it: until the episode begins.
    fn rebase(&mut self, frame: &Arc<Frame>);

    /// Judges a newly captured frame.
    ///
    /// # Errors
    /// When the encoder fails.
    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>>;

    /// Called several times a second while nothing new is captured: the last frame offered is still on the screen.
    ///
    /// # Errors
    /// When the encoder fails.
    fn rest(&mut self, now: Instant) -> Result<Option<Decision>>;

    /// Time spent on comparing pixels so far.
    fn pixel_time(&self) -> Duration;
}

/// The specification's gate, to the letter.
pub struct Spec {
    encoder: Arc<dyn Encoder>,
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

impl Spec {
    #[must_use]
    pub fn new(encoder: Arc<dyn Encoder>) -> Self {
        Self {
            encoder,
            anchor: None,
            last: None,
            pixel_time: Duration::ZERO,
        }
    }

    /// Judges a frame that differs from the one before in these tiles.
    fn judge(&mut self, frame: &Arc<Frame>, different: &[usize]) -> Result<Option<Decision>> {
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
        let before = match embedding {
            Some(embedding) => embedding,
            empty => empty.insert(self.encoder.embed(&since.frame.rgb()?)?),
        };
        let after = self.encoder.embed(&frame.rgb()?)?;
        let distance = cosine_distance(before, &after);
        if distance < SEMANTIC_DISTANCE {
            return Ok(None);
        }
        self.anchor = Some(Anchor {
            since: Since::new(frame),
            embedding: Some(after),
        });
        Ok(Some(Decision {
            frame: frame.clone(),
            changed: bounds.unwrap_or((0, 0, frame.width, frame.height)),
            changed_fraction: fraction,
            semantic_distance: Some(distance),
            settled: false,
        }))
    }
}

impl Gate for Spec {
    fn rebase(&mut self, frame: &Arc<Frame>) {
        self.last = Some(frame.clone());
        self.anchor = Some(Anchor {
            since: Since::new(frame),
            embedding: None,
        });
    }

    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>> {
        let started = Instant::now();
        let different = self
            .last
            .replace(frame.clone())
            .map(|last| different_tiles(&last, frame));
        self.pixel_time += started.elapsed();
        self.judge(frame, &different.unwrap_or_default())
    }

    fn rest(&mut self, _now: Instant) -> Result<Option<Decision>> {
        Ok(None)
    }

    fn pixel_time(&self) -> Duration {
        self.pixel_time
    }
}
