//! The same chain for samples that somebody else brings.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::chain::{Chain, Said};
use super::shared::Shared;
use super::stats::HearingStats;
use crate::capture::timebase::Timebase;
use crate::error::{HearingError, ThreadError};
use crate::perception::recognizer::Transcribe;
use crate::perception::transcript::Sentence;
use crate::perception::voice_activity::{Silero, VoiceActivity};

const RING_SECONDS: u32 = 60;
/// A page sends its sound in uneven packets; a pause of this length is a pause.
const GAP: Duration = Duration::from_millis(1000);
const UTTERANCES: usize = 256;

/// What was said between two pauses. Times are milliseconds on the episode's clock.
#[derive(Debug, Clone, PartialEq)]
pub struct Utterance {
    pub text: String,
    pub start_ms: u64,
    pub end_ms: u64,
    /// Mean token probability, 0 to 1.
    pub confidence: f32,
}

/// Recognises pushed samples, one utterance at a time.
pub struct Listener {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<Vec<Sentence>>>,
}

impl Listener {
    /// Starts a listener on a thread named `asr-listener`. The receiver ends after [`Listener::finish`].
    pub fn start(
        timebase: Arc<Timebase>,
        recognizer: Arc<dyn Transcribe>,
        voice_activity_model: &Path,
    ) -> Result<(Self, mpsc::Receiver<Utterance>), HearingError> {
        Self::with_detector(
            timebase,
            recognizer,
            Box::new(Silero::open(voice_activity_model)?),
        )
    }

    pub(super) fn with_detector(
        timebase: Arc<Timebase>,
        recognizer: Arc<dyn Transcribe>,
        detector: Box<dyn VoiceActivity>,
    ) -> Result<(Self, mpsc::Receiver<Utterance>), HearingError> {
        let (sender, receiver) = mpsc::channel(UTTERANCES);
        let shared = Arc::new(Shared::new(RING_SECONDS, GAP));
        let counts = Arc::clone(&shared);
        let worker = Chain::new(Arc::clone(&shared), timebase, recognizer, detector)
            .whole_utterances()
            .spawn("asr-listener", move |what| {
                if let Said::Utterance(utterance) = what
                    && sender.try_send(utterance).is_err()
                {
                    counts.count(|stats| stats.events_dropped += 1);
                }
            })
            .map_err(ThreadError::of("asr-listener"))?;
        Ok((
            Self {
                shared,
                worker: Some(worker),
            },
            receiver,
        ))
    }

    /// Takes 16 kHz mono samples of which the first sounded at `at`. Never waits.
    pub fn push(&self, at: Instant, samples: &[f32]) {
        self.shared.push(at, samples);
    }

    /// Whether somebody is speaking, or something said may not have been reported yet.
    #[must_use]
    pub fn listening(&self) -> bool {
        self.shared.busy()
    }

    #[must_use]
    pub fn stats(&self) -> HearingStats {
        self.shared.stats()
    }

    /// Recognises what is left, then ends the receiver. Blocks for as long as that takes.
    pub fn finish(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.shared.end();
        if let Some(worker) = self.worker.take() {
            // Its panic has been reported by the panic hook already.
            let _ = worker.join();
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end();
    }
}
