//! Tasks as data: their manifests, the values drawn for a seed, and the clips that they say.

use serde::{Deserialize, Serialize};

pub mod catalogue;
pub mod clips;
pub mod foreign;
pub mod home;
pub mod manifest;
pub mod prepare;
pub mod spoken;
pub mod template;
pub mod values;
pub mod variant;

/// One clip to be spoken, every placeholder already replaced by its spoken form.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeechClip {
    pub id: String,
    /// Who says what, one after the other; never empty.
    pub turns: Vec<Turn>,
    /// What is heard behind the voices.
    pub background: Option<Background>,
    /// Whether it comes over a telephone line, which passes 300 to 3400 Hz.
    pub telephone: bool,
    /// What a listener must be able to take from the clip: (written form, spoken form), for example ("$64", "sixty four dollars").
    pub entities: Vec<(String, String)>,
}

/// One speaker's words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Turn {
    /// A Kokoro voice, for example `am_michael`.
    pub voice: String,
    pub text: String,
    /// 1 is the voice's own speed.
    pub speed: f32,
    /// Silence before it, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pause: f32,
}

fn is_zero(seconds: &f32) -> bool {
    *seconds == 0.0
}

/// A sound behind the voices, made by the host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Background {
    pub sound: BackgroundSound,
    /// Decibels relative to the voices, below 0.
    pub level: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackgroundSound {
    /// Air and machines of a quiet room.
    Room,
    /// Many voices at once, none of which can be understood.
    Crowd,
    /// Slow chords.
    Music,
}

impl SpeechClip {
    /// A clip of one speaker, with nothing behind it and nothing that must be understood.
    #[must_use]
    pub fn plain(id: String, voice: String, text: String, speed: f32) -> Self {
        Self {
            id,
            turns: vec![Turn {
                voice,
                text,
                speed,
                pause: 0.0,
            }],
            background: None,
            telephone: false,
            entities: Vec::new(),
        }
    }

    /// Who speaks first.
    #[must_use]
    pub fn voice(&self) -> &str {
        self.turns.first().map_or("", |turn| &turn.voice)
    }

    /// How fast the first speaker speaks.
    #[must_use]
    pub fn speed(&self) -> f32 {
        self.turns.first().map_or(1.0, |turn| turn.speed)
    }

    /// All words, speaker after speaker.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.turns.iter().map(|turn| turn.text.as_str()).collect();
        texts.join(" ")
    }
}
