//! The chain itself, on one thread: samples from a ring, judged, cut, recognised, joined.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{CONTEXT_MS, Heard, Layer};
use crate::capture::ring::{RATE, Ring};
use crate::capture::timebase::Timebase;
use crate::perception::recognizer::{Segment, Transcribe};
use crate::perception::transcript::{Sentence, Transcript, text_of};
use crate::perception::voice_activity::{Cutting, Segmenter, Speech, VoiceActivity, WINDOW, level};

/// Observations that may wait at once; there is one policy.
const QUESTIONS: usize = 8;

/// What the chain produces, as it does.
pub(super) enum Said {
    /// Everything of one stretch of speech.
    Utterance {
        text: String,
        start_ms: u64,
        end_ms: u64,
        confidence: f32,
    },
    /// A sentence is complete.
    Sentence(Sentence),
}

/// Counts over the episode so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HearingStats {
    /// Samples captured, gaps included.
    pub samples: u64,
    /// Stretches for which the sound server gave nothing.
    pub gaps: u32,
    /// Samples that left the ring before they were judged: recognition was more than a minute late.
    pub overrun_samples: u64,
    pub utterances: u32,
    /// Length of the sound that was recognised, and the time this took, the tails of observations included.
    pub recognized_ms: u64,
    pub recognizing_ms: u64,
    /// Recognitions that failed; their speech is missing from the transcript.
    pub failures: u32,
    /// Events that nobody took in time.
    pub events_dropped: u32,
}

/// What the capturing thread, the asking task and the chain's thread share.
pub(super) struct Shared {
    inbox: Mutex<Inbox>,
    news: Condvar,
    stats: Mutex<HearingStats>,
    /// Whether an utterance is open.
    open: AtomicBool,
    /// The position up to which windows have been judged and their utterances reported.
    judged: AtomicU64,
}

struct Inbox {
    ring: Ring,
    questions: Vec<Question>,
    ending: bool,
}

struct Question {
    since_ms: u64,
    asked: Instant,
    answer: oneshot::Sender<Heard>,
}

impl Shared {
    pub(super) fn new(ring_seconds: u32, gap_after: Duration) -> Self {
        Self {
            inbox: Mutex::new(Inbox {
                ring: Ring::new(ring_seconds, gap_after),
                questions: Vec::new(),
                ending: false,
            }),
            news: Condvar::new(),
            stats: Mutex::default(),
            open: AtomicBool::new(false),
            judged: AtomicU64::new(0),
        }
    }

    /// Takes samples; never waits for the chain.
    pub(super) fn push(&self, at: Instant, samples: &[f32]) {
        let mut inbox = lock(&self.inbox);
        inbox.ring.push(at, samples);
        drop(inbox);
        self.news.notify_one();
    }

    /// Asks for both layers; nothing if too many ask already or the end has come.
    pub(super) fn ask(&self, since_ms: u64) -> Option<oneshot::Receiver<Heard>> {
        let mut inbox = lock(&self.inbox);
        if inbox.ending || inbox.questions.len() >= QUESTIONS {
            return None;
        }
        let (answer, receiver) = oneshot::channel();
        inbox.questions.push(Question {
            since_ms,
            asked: Instant::now(),
            answer,
        });
        drop(inbox);
        self.news.notify_one();
        Some(receiver)
    }

    /// Whether somebody is speaking, or something said may not have been reported yet.
    pub(super) fn busy(&self) -> bool {
        let waiting = self.with_ring(|ring| ring.end()).saturating_sub(self.judged.load(Ordering::SeqCst));
        self.open.load(Ordering::SeqCst) || waiting >= 2 * WINDOW as u64
    }

    pub(super) fn end(&self) {
        lock(&self.inbox).ending = true;
        self.news.notify_one();
    }

    pub(super) fn with_ring<T>(&self, use_it: impl FnOnce(&mut Ring) -> T) -> T {
        use_it(&mut lock(&self.inbox).ring)
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut HearingStats)) {
        change(&mut lock(&self.stats));
    }

    pub(super) fn stats(&self) -> HearingStats {
        let mut stats = *lock(&self.stats);
        (stats.samples, stats.gaps) = self.with_ring(|ring| (ring.end(), ring.gaps().len() as u32));
        stats
    }
}

/// Judges, cuts, recognises and joins; owned by its thread.
pub(super) struct Chain {
    shared: Arc<Shared>,
    timebase: Arc<Timebase>,
    recognizer: Arc<dyn Transcribe>,
    detector: Box<dyn VoiceActivity>,
    segmenter: Segmenter,
    transcript: Transcript,
    /// The position up to which windows have been judged.
    judged: u64,
    /// The last recognition of speech that was still open: used again if nothing was said since.
    early: Option<(Speech, Vec<Segment>)>,
}

impl Chain {
    pub(super) fn new(
        shared: Arc<Shared>,
        timebase: Arc<Timebase>,
        recognizer: Arc<dyn Transcribe>,
        detector: Box<dyn VoiceActivity>,
    ) -> Self {
        Self {
            shared,
            timebase,
            recognizer,
            detector,
            segmenter: Segmenter::new(Cutting::default()),
            transcript: Transcript::default(),
            judged: 0,
            early: None,
        }
    }

    /// Runs the chain on a thread of its own until the end; its result is every sentence of the episode.
    pub(super) fn spawn(
        mut self,
        name: &str,
        mut said: impl FnMut(Said) + Send + 'static,
    ) -> std::io::Result<JoinHandle<Vec<Sentence>>> {
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                loop {
                    let (questions, ending) = self.wait();
                    self.listen(&mut said);
                self.shared.open.store(self.segmenter.open().is_some(), Ordering::SeqCst);
                self.shared.judged.store(self.judged, Ordering::SeqCst);
                    for question in questions {
                        let heard = self.answer(question.since_ms, question.asked);
                        // Nobody waits any more when the episode was stopped meanwhile.
                        let _ = question.answer.send(heard);
                    }
                    if ending {
                        self.finish(&mut said);
                        return self.transcript.sentences().to_vec();
                    }
                    self.recognize_early();
                }
            })
    }

    /// Sleeps until there is a window to judge, a question or the end.
    fn wait(&self) -> (Vec<Question>, bool) {
        let nothing_new = |inbox: &mut Inbox| {
            !inbox.ending
                && inbox.questions.is_empty()
                && inbox.ring.end() < self.judged + WINDOW as u64
        };
        let inbox = lock(&self.shared.inbox);
        let mut inbox = self
            .shared
            .news
            .wait_while(inbox, nothing_new)
            .unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut inbox.questions), inbox.ending)
    }

    /// Judges all windows that are there and recognises the utterances that end in them.
    fn listen(&mut self, said: &mut impl FnMut(Said)) {
        const STEP: u64 = WINDOW as u64;
        loop {
            let (end, window) = self
                .shared
                .with_ring(|ring| (ring.end(), ring.read(self.judged, self.judged + STEP)));
            if end < self.judged + STEP {
                break;
            }
            self.judged += STEP;
            let (probability, level) = match window {
                Some(window) => (self.judge(&window), level(&window)),
                // It left the ring unheard: silence, so that positions stay right.
                None => {
                    self.shared.count(|stats| stats.overrun_samples += STEP);
                    (0.0, 0.0)
                }
            };
            if let Some(speech) = self.segmenter.push(probability, level) {
                self.utterance(speech, said);
            }
        }
        if self.segmenter.open().is_none()
            && let Some(sentence) = self.transcript.settle(self.time(self.judged))
        {
            said(Said::Sentence(sentence));
        }
    }

    fn judge(&mut self, window: &[f32]) -> f32 {
        self.detector.probability(window).unwrap_or_else(|error| {
            tracing::warn!("{error:#}");
            self.shared.count(|stats| stats.failures += 1);
            0.0
        })
    }

    fn utterance(&mut self, speech: Speech, said: &mut impl FnMut(Said)) {
        let segments = self.recognize(speech);
        self.early = None;
        self.shared.count(|stats| stats.utterances += 1);
        if let (Some(first), Some(last)) = (segments.first(), segments.last()) {
            let length: usize = segments.iter().map(|segment| segment.text.len()).sum();
            let sum: f32 = segments
                .iter()
                .map(|segment| segment.confidence * segment.text.len() as f32)
                .sum();
            said(Said::Utterance {
                text: segments
                    .iter()
                    .map(|segment| segment.text.as_str())
                    .collect::<Vec<_>>()
                    .join(" "),
                start_ms: first.start_ms,
                end_ms: last.end_ms,
                confidence: sum / length.max(1) as f32,
            });
        }
        for sentence in self.transcript.add(&segments, speech.cut) {
            said(Said::Sentence(sentence));
        }
    }

    /// A pause has begun that may be the end: recognise now what has been said, so that the text is ready when the
    /// pause has lasted long enough, or when an observation comes.
    fn recognize_early(&mut self) {
        if self.segmenter.silence() >= Cutting::default().margin
            && let Some(speech) = self.segmenter.open()
        {
            self.recognize(speech);
        }
    }

    /// Recognises a stretch; times come out on the episode's clock.
    fn recognize(&mut self, speech: Speech) -> Vec<Segment> {
        if let Some((known, segments)) = &self.early
            && (known.start, known.end) == (speech.start, speech.end)
        {
            return segments.clone();
        }
        let samples = self
            .shared
            .with_ring(|ring| ring.read(speech.start.max(ring.start()), speech.end));
        let samples = samples.unwrap_or_default();
        let began = Instant::now();
        let segments = self.recognizer.transcribe(&samples);
        let took = began.elapsed().as_millis() as u64;
        self.shared.count(|stats| {
            stats.recognized_ms += samples.len() as u64 * 1000 / u64::from(RATE);
            stats.recognizing_ms += took;
            stats.failures += u32::from(segments.is_err());
        });
        let mut segments = segments.unwrap_or_else(|error| {
            tracing::warn!("an utterance is lost: {error:#}");
            Vec::new()
        });
        let start = self.time(speech.start);
        let (first, last) = (self.time(speech.speech_start), self.time(speech.speech_end));
        for segment in &mut segments {
            segment.start_ms = (start + segment.start_ms).clamp(first, last);
            segment.end_ms = (start + segment.end_ms).clamp(first, last);
        }
        // The voice's own edges are exact to a window; the recogniser's times are not.
        if let Some(segment) = segments.first_mut() {
            segment.start_ms = first;
        }
        if let Some(segment) = segments.last_mut() {
            segment.end_ms = last;
        }
        self.early = Some((speech, segments.clone()));
        segments
    }

    fn answer(&mut self, since_ms: u64, asked: Instant) -> Heard {
        let tail = self
            .segmenter
            .open()
            .map(|speech| self.recognize(speech))
            .unwrap_or_default();
        let to_ms = self.time(self.judged);
        let layer = |from_ms| Layer {
            from_ms,
            to_ms,
            sentences: self.transcript.after(from_ms, &tail),
        };
        Heard {
            recent: layer(since_ms.min(to_ms)),
            context: layer(to_ms.saturating_sub(CONTEXT_MS)),
            tail_ms: asked.elapsed().as_millis() as u64,
        }
    }

    fn finish(&mut self, said: &mut impl FnMut(Said)) {
        if let Some(speech) = self.segmenter.finish() {
            self.utterance(speech, said);
        }
        if let Some(sentence) = self.transcript.finish() {
            said(Said::Sentence(sentence));
        }
        tracing::debug!(text = %text_of(self.transcript.sentences()), "heard in all");
    }

    fn time(&self, position: u64) -> u64 {
        self.shared
            .with_ring(|ring| ring.instant(position))
            .map_or(0, |at| self.timebase.millis(at))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
