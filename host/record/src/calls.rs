//! What a policy's calls to the host came to, so that they can be answered again from the record.

use dynacu_vocabulary::{Sentence, StopCause, TextLine};
use serde::{Deserialize, Serialize};

/// What a policy got out of its mailbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Delivered {
    /// The outcome of an action, which has a line of its own.
    Action {
        /// The action's id.
        id: u64,
    },
    /// The end of a model call, which has a line of its own.
    Completion {
        /// The call's id.
        call: u64,
    },
    /// A keyframe, which has a line of its own.
    Keyframe {
        /// Blob of the whole frame, PNG.
        frame: String,
        /// When it was captured, ms on the episode's clock.
        captured_at: u64,
    },
    /// A sentence.
    Sentence {
        /// The sentence.
        sentence: Sentence,
    },
    /// The wait passed without an event.
    Nothing,
    /// The episode is over.
    Stopped {
        /// Why.
        cause: StopCause,
    },
}

/// A picture or a sound that was made for a policy, or why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BlobOutcome {
    /// SHA-256 of the bytes.
    Blob(String),
    /// The error's name, as the interface has it, and its text.
    Error(String),
}

/// What was read, or why nothing could be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReadOutcome {
    /// From top to bottom.
    Lines(Vec<TextLine>),
    /// The error's name, as the interface has it, and its text.
    Error(String),
}

/// Why a model call has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFailure {
    /// The error's name as the interface has it, such as `rate-limited`; or the cause that ended the episode.
    pub kind: String,
    /// Its text; empty where the error has none.
    pub text: String,
    /// The delay that the provider asked for, ms.
    pub delay_ms: Option<u64>,
}

impl std::fmt::Display for ModelFailure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.kind)?;
        if !self.text.is_empty() {
            write!(out, ": {}", self.text)?;
        }
        match self.delay_ms {
            Some(ms) => write!(out, " (wait {}s)", ms as f64 / 1000.0),
            None => Ok(()),
        }
    }
}
