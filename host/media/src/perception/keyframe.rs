//! Which captured frames are worth keeping.
//!
//! `spec` reads the specification to the letter: a frame is kept when at least 1 % of its pixels changed since the last
//! kept one and the whole frame's embedding moved by at least 0.04. That loses most small things, so `local` (the default)
//! keeps those frames and also what passes the same two thresholds inside the region that changed. The others are for
//! ablation: what a part of the gate is worth is seen by leaving it out.

use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::encoder::Encoder;
use crate::capture::screen::{Area, Frame};
use crate::error::ModelError;

mod beat;
mod boxes;
mod busy;
mod colour;
mod embeddings;
mod local;
mod pixels;
mod places;
mod random;
mod restless;
mod uniform;
mod whole;

/// Cosine distance from which two pictures count as different (the specification's number).
pub const SEMANTIC_DISTANCE: f32 = 0.04;

/// The gates a run can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateKind {
    /// The specification's two stages on the whole frame.
    Spec,
    /// `spec`, and the same two stages inside what changed.
    Local,
    /// The specification's first stage alone.
    Pixel,
    /// One frame a second, whatever it shows.
    Uniform1,
    /// Three frames a second, whatever they show.
    Uniform3,
    /// As many frames as `local` keeps, at random times.
    Random,
    /// Nothing is kept.
    None,
}

impl GateKind {
    pub const ALL: [Self; 7] = [
        Self::Spec,
        Self::Local,
        Self::Pixel,
        Self::Uniform1,
        Self::Uniform3,
        Self::Random,
        Self::None,
    ];

    /// The name in the record and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Local => "local",
            Self::Pixel => "pixel",
            Self::Uniform1 => "uniform-1",
            Self::Uniform3 => "uniform-3",
            Self::Random => "random",
            Self::None => "none",
        }
    }

    /// A fresh gate. `interval` is the time between two captured frames; `key` decides the times of `random`, and the
    /// same key gives the same ones.
    #[must_use]
    pub fn build(self, encoder: Arc<dyn Encoder>, interval: Duration, key: u64) -> Box<dyn Gate> {
        match self {
            Self::Spec => Box::new(whole::Whole::new(Some(encoder))),
            Self::Local => Box::new(local::Local::new(encoder, interval)),
            Self::Pixel => Box::new(whole::Whole::new(None)),
            Self::Uniform1 => Box::new(uniform::Uniform::new(1, interval)),
            Self::Uniform3 => Box::new(uniform::Uniform::new(3, interval)),
            Self::Random => Box::new(random::Random::new(
                local::Local::new(encoder, interval),
                key,
            )),
            Self::None => Box::new(uniform::Uniform::new(0, interval)),
        }
    }

    /// Share of pixels that must have changed, of the frame or of a tile; None where the gate does not look at it.
    #[must_use]
    pub fn pixel_threshold(self) -> Option<f32> {
        match self {
            Self::Spec | Self::Local | Self::Pixel | Self::Random => Some(pixels::CHANGED_SHARE),
            Self::Uniform1 | Self::Uniform3 | Self::None => None,
        }
    }

    /// Cosine distance that embeddings must have; None where the gate does not look at it.
    #[must_use]
    pub fn semantic_threshold(self) -> Option<f32> {
        match self {
            Self::Spec | Self::Local | Self::Random => Some(SEMANTIC_DISTANCE),
            Self::Pixel | Self::Uniform1 | Self::Uniform3 | Self::None => None,
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
    /// nothing new (a spinner elsewhere on the screen). The whole frame where nothing changed and it is kept all the same.
    pub changed: Area,
    /// Share of all pixels that changed since the last kept frame, 0 to 1.
    pub changed_fraction: f32,
    /// What decided: the cosine distance, 0 to 2, of the crop where `local` kept the frame, else of the whole frame; where
    /// `local` saw only another colour, its difference, 0 to 1.
    pub semantic_distance: Option<f32>,
    /// Kept because the screen had come to rest, not because of a new change.
    pub settled: bool,
}

/// Decides frame by frame. Only frames that differ from the one before are offered, unless the gate wants every frame.
pub trait Gate: Send {
    /// Whether frames that show what the one before did are offered too.
    fn wants_every_frame(&self) -> bool {
        false
    }

    /// Takes a frame as what is already known, without keeping it: until the episode begins.
    fn rebase(&mut self, frame: &Arc<Frame>);

    /// Judges a newly captured frame.
    ///
    /// # Errors
    /// When the encoder fails.
    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>, ModelError>;

    /// Called several times a second while nothing new is captured: the last frame offered is still on the screen.
    ///
    /// # Errors
    /// When the encoder fails.
    fn rest(&mut self, now: Instant) -> Result<Option<Decision>, ModelError>;

    /// Time spent on comparing pixels so far.
    fn pixel_time(&self) -> Duration;
}
