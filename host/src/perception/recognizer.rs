//! Speech recognition.

/// A stretch of recognised speech. Times are milliseconds from the start of the clip that was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    pub start_ms: u64,
    pub end_ms: u64,
    pub text: String,
    /// Mean token probability, 0 to 1.
    pub confidence: f32,
}

/// Turns speech into text: 16 kHz mono samples from -1 to 1.
pub trait Transcribe: Send + Sync {
    fn transcribe(&self, samples: &[f32]) -> anyhow::Result<Vec<Segment>>;
}
