//! What the desktop's speakers play, heard continuously: monitor → ring → voice activity → recogniser → transcript.
//!
//! [`Hearing`] records the sound itself; [`Listener`] is the same chain for samples that somebody else brings (the
//! page's microphone). The whole episode is transcribed whether or not anybody asks; an observation waits for the tail alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::recognizer::Transcribe;
use super::transcript::{Sentence, text_of};
use super::voice_activity::{Silero, VoiceActivity, WINDOW};
use crate::capture::audio::{Recorded, Recorder};
use crate::capture::ring::duration;
use crate::capture::timebase::Timebase;
use crate::error::{HearingError, ThreadError};
use chain::{Chain, Said};
use shared::Shared;

pub use listener::{Listener, Utterance};
pub use stats::{HearingStats, HearingTimes};

mod chain;
mod listener;
mod passage;
mod place;
mod shared;
mod stats;

/// How far back layer 2 and clips reach (ms).
pub const CONTEXT_MS: u64 = 60_000;
/// The ring: layer 2's minute and what recognition may lag behind.
const RING_SECONDS: u32 = 70;
/// A monitor delivers without pause; what comes later than this was lost.
const GAP: Duration = Duration::from_millis(250);
/// Events wait here for a busy reader; more are dropped and counted.
const EVENTS: usize = 256;

/// What to hear, and with what.
pub struct HearingConfig {
    /// The lane's sound server.
    pub pulse_server: String,
    /// The source to record, for example `speaker.monitor`.
    pub source: String,
    pub timebase: Arc<Timebase>,
    pub recognizer: Arc<dyn Transcribe>,
    /// Silero's ONNX file.
    pub voice_activity_model: PathBuf,
}

/// What hearing reports by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum HeardEvent {
    /// A sentence is complete and will not change.
    Sentence(Sentence),
    /// The sound server is gone and nothing more will be heard, or speech could not be recognised.
    Lost(String),
}

/// Sentences of a window of time (ms on the episode's clock).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layer {
    pub from_ms: u64,
    pub to_ms: u64,
    pub sentences: Vec<Sentence>,
}

impl Layer {
    /// The sentences as one text.
    #[must_use]
    pub fn text(&self) -> String {
        text_of(&self.sentences)
    }
}

/// Both layers of what was heard, at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heard {
    /// Layer 1: every sentence that ended, or goes on, after the instant that was asked for. Whole sentences: one that
    /// was unfinished at the last observation comes again, complete. Give `recent.to_ms` as the next `since_ms`.
    pub recent: Layer,
    /// Layer 2: the last 60 s.
    pub context: Layer,
    /// What the wait for the tail took (ms).
    pub tail_ms: u64,
}

/// The whole episode, at its end.
#[derive(Debug, Clone, Default)]
pub struct HeardAll {
    pub sentences: Vec<Sentence>,
    /// 16 kHz mono; the first sample sounded at t = 0.
    pub samples: Vec<i16>,
    /// Stretches that were lost and are silent in `samples`: start and length (ms).
    pub gaps: Vec<(u64, u64)>,
    pub stats: HearingStats,
    pub times: HearingTimes,
}

/// Hears one lane for one episode.
pub struct Hearing {
    shared: Arc<Shared>,
    timebase: Arc<Timebase>,
    recorder: Option<Recorder>,
    worker: Option<JoinHandle<Vec<Sentence>>>,
}

impl Hearing {
    /// Starts to record and to recognise; returns once sound flows (it blocks for a few tenths of a second).
    pub fn start(
        config: HearingConfig,
    ) -> Result<(Self, mpsc::Receiver<HeardEvent>), HearingError> {
        let detector = Box::new(Silero::open(&config.voice_activity_model)?);
        let (mut hearing, events, receiver) =
            Self::of(config.timebase, config.recognizer, detector)?;
        let shared = Arc::clone(&hearing.shared);
        let recorder =
            Recorder::start(
                &config.pulse_server,
                &config.source,
                move |recorded| match recorded {
                    Recorded::Samples { at, samples } => shared.push(at, samples),
                    Recorded::Lost(reason) => {
                        let _ = events.try_send(HeardEvent::Lost(reason));
                    }
                },
            )?;
        hearing.recorder = Some(recorder);
        Ok((hearing, receiver))
    }

    /// The same chain without a sound server: for samples that are brought with [`Hearing::push`] or [`Hearing::feed`].
    pub fn fed(
        timebase: Arc<Timebase>,
        recognizer: Arc<dyn Transcribe>,
        voice_activity_model: &Path,
    ) -> Result<(Self, mpsc::Receiver<HeardEvent>), HearingError> {
        let detector = Box::new(Silero::open(voice_activity_model)?);
        let (hearing, _, receiver) = Self::of(timebase, recognizer, detector)?;
        Ok((hearing, receiver))
    }

    fn of(
        timebase: Arc<Timebase>,
        recognizer: Arc<dyn Transcribe>,
        detector: Box<dyn VoiceActivity>,
    ) -> Result<(Self, mpsc::Sender<HeardEvent>, mpsc::Receiver<HeardEvent>), HearingError> {
        let (events, receiver) = mpsc::channel(EVENTS);
        let shared = Arc::new(Shared::new(RING_SECONDS, GAP));
        let chain = Chain::new(
            Arc::clone(&shared),
            Arc::clone(&timebase),
            recognizer,
            detector,
        );
        let (said, counts) = (events.clone(), Arc::clone(&shared));
        let worker = chain
            .spawn("asr", move |what| {
                let event = match what {
                    Said::Sentence(sentence) => HeardEvent::Sentence(sentence),
                    Said::Lost(why) => HeardEvent::Lost(why),
                    Said::Utterance(_) => return,
                };
                if said.try_send(event).is_err() {
                    counts.count(|stats| stats.events_dropped += 1);
                }
            })
            .map_err(ThreadError::of("asr"))?;
        let hearing = Self {
            shared,
            timebase,
            recorder: None,
            worker: Some(worker),
        };
        Ok((hearing, events, receiver))
    }

    /// Takes 16 kHz mono samples of which the first sounded at `at`. Never waits.
    pub fn push(&self, at: Instant, samples: &[f32]) {
        self.shared.push(at, samples);
    }

    /// Takes samples that follow the ones before without a hole, as fast as they can be heard: everything happens in the order
    /// in which it would happen live on a machine that is quick enough. Blocks until all have been judged.
    pub fn feed(&self, samples: &[f32]) {
        self.shared.unhurried.store(true, Ordering::Relaxed);
        for window in samples.chunks(WINDOW) {
            let end = self.shared.with_ring(|ring| ring.end());
            let start = self.timebase.started().unwrap_or_else(Instant::now);
            self.shared.push(start + duration(end), window);
            while !self.shared.caught_up() {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
    }

    /// Both layers as of now: all that was said until a quarter of a second ago or later (`to_ms` says until when). Waits only
    /// until that is recognised; what is still being said is recognised provisionally (`is_final` is false).
    pub async fn heard(&self, since_ms: u64) -> Heard {
        match self.shared.ask(since_ms) {
            Some(answer) => answer.await.unwrap_or_default(),
            None => Heard::default(),
        }
    }

    /// The sound between two times of the last 60 s, 16 kHz mono; nothing if a part of it is not held (any more, or yet).
    #[must_use]
    pub fn clip(&self, start_ms: u64, end_ms: u64) -> Option<Vec<f32>> {
        let (start, end) = (
            self.timebase.instant(start_ms)?,
            self.timebase.instant(end_ms)?,
        );
        self.shared
            .with_ring(|ring| ring.read(ring.position(start)?, ring.position(end)?))
    }

    #[must_use]
    pub fn stats(&self) -> HearingStats {
        self.shared.stats()
    }

    /// How long recognitions, observations' tails and sentences' events took so far.
    #[must_use]
    pub fn times(&self) -> HearingTimes {
        self.shared.times()
    }

    /// Ends hearing: recognises what is left and gives the whole episode. Blocks for as long as that takes.
    #[must_use]
    pub fn stop(mut self) -> HeardAll {
        let sentences = self.end();
        let started = self.timebase.started();
        let (stats, times) = (self.shared.stats(), self.shared.times());
        self.shared.with_ring(|ring| {
            let lead = started.and_then(|start| ring.position(start)).unwrap_or(0);
            let time = |position: u64| {
                ring.instant(position)
                    .map_or(0, |at| self.timebase.millis(at))
            };
            let gaps = ring
                .gaps()
                .iter()
                .map(|gap| (time(gap.at), gap.samples / 16))
                .collect();
            let mut samples = ring.take_recording();
            samples.drain(..samples.len().min(lead as usize));
            HeardAll {
                sentences,
                samples,
                gaps,
                stats,
                times,
            }
        })
    }

    fn end(&mut self) -> Vec<Sentence> {
        drop(self.recorder.take());
        self.shared.end();
        self.worker
            .take()
            .and_then(|worker| worker.join().ok())
            .unwrap_or_default()
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;
