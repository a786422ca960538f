//! The five modes: named grants of channels, enforced by the host whatever a plugin asks.

use std::fmt;
use std::str::FromStr;

use dynacu_vocabulary::Channel;
use serde::{Deserialize, Serialize};

/// What a policy perceives and produces beyond one screenshot a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grants {
    pub keyframes: bool,
    pub audio: bool,
    pub speech: bool,
}

impl Grants {
    /// What both sides allow.
    #[must_use]
    pub fn and(self, other: Grants) -> Grants {
        Grants {
            keyframes: self.keyframes && other.keyframes,
            audio: self.audio && other.audio,
            speech: self.speech && other.speech,
        }
    }

    /// The granted channels.
    #[must_use]
    pub fn channels(self) -> Vec<Channel> {
        let granted = |channel: &Channel| match channel {
            Channel::Keyframes => self.keyframes,
            Channel::Audio => self.audio,
            Channel::Speech => self.speech,
        };
        Channel::ALL.into_iter().filter(granted).collect()
    }
}

/// A mode of the specification's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Standard,
    AoiVisual,
    AoiAudio,
    AoiFull,
    AoiInteractive,
}

impl Mode {
    pub const ALL: [Mode; 5] = [
        Mode::Standard,
        Mode::AoiVisual,
        Mode::AoiAudio,
        Mode::AoiFull,
        Mode::AoiInteractive,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Standard => "standard",
            Mode::AoiVisual => "aoi_visual",
            Mode::AoiAudio => "aoi_audio",
            Mode::AoiFull => "aoi_full",
            Mode::AoiInteractive => "aoi_interactive",
        }
    }

    #[must_use]
    pub fn grants(self) -> Grants {
        let (keyframes, audio, speech) = match self {
            Mode::Standard => (false, false, false),
            Mode::AoiVisual => (true, false, false),
            Mode::AoiAudio => (false, true, false),
            Mode::AoiFull => (true, true, false),
            Mode::AoiInteractive => (true, true, true),
        };
        Grants {
            keyframes,
            audio,
            speech,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("there is no mode {0}: use standard, aoi_visual, aoi_audio, aoi_full, or aoi_interactive")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Mode, UnknownMode> {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.name() == text)
            .ok_or_else(|| UnknownMode(text.to_owned()))
    }
}

/// A mode, or the least one that can solve the task at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeChoice {
    Fixed(Mode),
    Needs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_the_specifications_table() {
        use Channel::{Audio, Keyframes, Speech};
        let table = Mode::ALL.map(|mode| (mode.name(), mode.grants().channels()));
        assert_eq!(
            table,
            [
                ("standard", vec![]),
                ("aoi_visual", vec![Keyframes]),
                ("aoi_audio", vec![Audio]),
                ("aoi_full", vec![Keyframes, Audio]),
                ("aoi_interactive", vec![Keyframes, Audio, Speech]),
            ]
        );
    }

    #[test]
    fn an_unknown_mode_is_told_the_known_ones() {
        assert!(
            "fast"
                .parse::<Mode>()
                .unwrap_err()
                .to_string()
                .contains("aoi_interactive")
        );
    }
}
