//! Text to speech, and playing it into the virtual microphone.

pub use crate::error::SpeechError;

pub mod kokoro;
mod phonemes;
pub mod piper;
pub mod playback;
pub mod resample;
mod written;

/// Mono sound, samples from -1 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Pcm {
    /// Samples a second.
    pub rate: u32,
    pub samples: Vec<f32>,
}

/// A voice that turns text into sound.
pub trait Voice: Send + Sync {
    /// Speaks a text.
    ///
    /// # Errors
    /// When there is nothing to speak in it, or a model fails.
    fn synthesize(&self, text: &str) -> Result<Pcm, SpeechError>;
}

impl Pcm {
    /// Length in milliseconds.
    #[must_use]
    pub fn millis(&self) -> u64 {
        if self.rate == 0 {
            0
        } else {
            self.samples.len() as u64 * 1000 / u64::from(self.rate)
        }
    }
}

/// Joins pieces of speech with a pause of `pause_ms`. The silence that a model leaves at the ends of a piece is cut to
/// 50 ms at the seams, so that the pause is the one asked for.
fn join(pieces: &[Vec<f32>], rate: u32, pause_ms: u32) -> Vec<f32> {
    let pause = (rate * pause_ms / 1000) as usize;
    let margin = (rate / 20) as usize;
    let mut joined = Vec::new();
    for (position, piece) in pieces.iter().enumerate() {
        let loud = |sample: &f32| sample.abs() > 0.01;
        let first = piece
            .iter()
            .position(loud)
            .unwrap_or(0)
            .saturating_sub(margin);
        let last = piece
            .iter()
            .rposition(loud)
            .map_or(piece.len(), |at| (at + margin).min(piece.len()));
        let from = if position == 0 { 0 } else { first };
        let to = if position + 1 == pieces.len() {
            piece.len()
        } else {
            last
        };
        if position > 0 {
            joined.extend(std::iter::repeat_n(0.0, pause.saturating_sub(2 * margin)));
        }
        joined.extend_from_slice(&piece[from..to]);
    }
    joined
}
