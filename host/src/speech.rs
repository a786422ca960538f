//! Text to speech, and playing it into the virtual microphone.

pub mod kokoro;
pub mod phonemes;
pub mod piper;
pub mod playback;

/// Mono sound, samples from -1 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Pcm {
    /// Samples a second.
    pub rate: u32,
    pub samples: Vec<f32>,
}

/// A voice that turns text into sound.
pub trait Voice: Send + Sync {
    fn synthesize(&self, text: &str) -> anyhow::Result<Pcm>;
}
