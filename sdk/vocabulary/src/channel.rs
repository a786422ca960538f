//! What a policy may be granted, and why its episode ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a policy perceives and produces beyond one screenshot a step. A mode grants some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// Frames kept because the screen changed.
    Keyframes,
    /// What the speakers play: transcripts and the sound itself.
    Audio,
    /// The microphone.
    Speech,
}

impl Channel {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Keyframes, Self::Audio, Self::Speech];

    /// As it stands in manifests and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keyframes => "keyframes",
            Self::Audio => "audio",
            Self::Speech => "speech",
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Help that no person at a screen has: granted by name, written into the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Assist {
    /// Text read out of frames.
    Reading,
    /// The task's own solution script.
    Solution,
}

impl Assist {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Reading, Self::Solution];

    /// As it stands in manifests and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Solution => "solution",
        }
    }
}

impl fmt::Display for Assist {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What a policy is told when its episode is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StopCause {
    /// It said so, or returned.
    Done,
    /// The page's result is decided.
    TaskEnded,
    /// The task's time is over.
    TimeLimit,
    /// The task's observations are used up.
    StepLimit,
    /// The run's money is used up.
    Budget,
    /// The browser is on another page.
    LeftPage,
    /// A person, or a signal, ended the run.
    Operator,
    /// The host, the browser, the sound or the screen failed.
    Infrastructure,
}
