//! The values of a run's settings that have names.

use super::MOST_LANES;
use super::values::Named;
use crate::mode::{Mode, ModeChoice};
use crate::perception::keyframe::GateKind;
use crate::task::manifest::Tier;

impl Named for ModeChoice {
    const ALL: &'static [Self] = &[
        Self::Fixed(Mode::Standard),
        Self::Fixed(Mode::AoiVisual),
        Self::Fixed(Mode::AoiAudio),
        Self::Fixed(Mode::AoiFull),
        Self::Fixed(Mode::AoiInteractive),
        Self::Needs,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Fixed(mode) => mode.name(),
            Self::Needs => "needs",
        }
    }
}

impl Named for GateKind {
    const ALL: &'static [Self] = &GateKind::ALL;

    fn name(self) -> &'static str {
        GateKind::name(self)
    }
}

impl Named for Tier {
    const ALL: &'static [Self] = &[Self::Easy, Self::Medium, Self::Hard];

    fn name(self) -> &'static str {
        Tier::name(self)
    }
}

/// A letter of the specification's ten categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Category(&'static str);

impl Category {
    #[must_use]
    pub fn letter(self) -> Option<char> {
        self.0.chars().next()
    }
}

impl Named for Category {
    const ALL: &'static [Self] = &[
        Self("A"),
        Self("B"),
        Self("C"),
        Self("D"),
        Self("E"),
        Self("F"),
        Self("G"),
        Self("H"),
        Self("I"),
        Self("J"),
    ];

    fn name(self) -> &'static str {
        self.0
    }

    fn named(text: &str) -> Option<Self> {
        let fits = |one: &Self| one.0.eq_ignore_ascii_case(text);
        Self::ALL.iter().copied().find(fits)
    }
}

/// Who recognises speech for the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognizer {
    Base,
    Tiny,
    /// The server of the table `[remote-recognizer]`.
    Remote,
}

impl Named for Recognizer {
    const ALL: &'static [Self] = &[Self::Base, Self::Tiny, Self::Remote];

    fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Tiny => "tiny",
            Self::Remote => "remote",
        }
    }
}

/// How many isolated desktops run episodes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    Fixed(usize),
    /// As many as keep capture and recognition within their time on this machine.
    Auto,
}

impl std::str::FromStr for Lanes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Self::Auto),
            Ok(count) if (1..=MOST_LANES).contains(&count) => Ok(Self::Fixed(count)),
            Ok(_) | Err(_) => Err(format!("use a number from 1 to {MOST_LANES}, or auto")),
        }
    }
}

impl serde::Serialize for Lanes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(count) => count.serialize(serializer),
            Self::Auto => serializer.serialize_str("auto"),
        }
    }
}
