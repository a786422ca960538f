//! Tasks: their manifests, the values drawn for a seed, their sound, and the server that their page talks to.

pub mod catalogue;
pub mod clips;
pub mod home;
pub mod manifest;
pub mod prepare;
pub mod render;
pub mod server;
pub mod spoken;
pub mod studio;
pub mod template;
pub mod values;
pub mod variant;

/// One clip to be spoken, every placeholder already replaced by its spoken form.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeechClip {
    pub id: String,
    /// A Kokoro voice, for example `am_michael`.
    pub voice: String,
    pub text: String,
    /// 1 is the voice's own speed.
    pub speed: f32,
    /// What a listener must be able to take from the clip: (written form, spoken form), for example ("$64", "sixty four dollars").
    pub entities: Vec<(String, String)>,
}
