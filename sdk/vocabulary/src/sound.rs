//! What was heard, as a policy gets it.

use serde::{Deserialize, Serialize};

/// One sentence as the recognizer gave it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sentence {
    /// When its sound began, ms on the episode's clock.
    pub started_at: u64,
    /// When its sound ended, ms on the episode's clock.
    pub ended_at: u64,
    /// The words.
    pub text: String,
    /// Mean token probability, 0 to 1.
    pub confidence: f32,
    /// False while the recognizer may still change its mind.
    pub is_final: bool,
    /// A new voice or, where voices are not told apart, a long pause begins here.
    pub starts_turn: bool,
}

/// Layer 1: what was heard since the last observation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecentAudio {
    /// Where the window begins, ms on the episode's clock.
    pub started_at: u64,
    /// Where the window ends, ms on the episode's clock.
    pub ended_at: u64,
    /// The words; empty where nothing was heard.
    pub transcript: String,
    /// Indices into the observation's keyframes: those captured in this window.
    pub keyframes: Vec<u32>,
}

/// Layer 2: the last 60 seconds as one coherent transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AudioContext {
    /// Where the window begins, ms on the episode's clock.
    pub started_at: u64,
    /// Where the window ends, ms on the episode's clock.
    pub ended_at: u64,
    /// Oldest first.
    pub sentences: Vec<Sentence>,
}
