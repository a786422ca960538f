//! The chain itself, on one thread: samples from a ring, judged, cut, recognised, joined.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{CONTEXT_MS, Heard, Layer};
use crate::capture::ring::Ring;
use crate::capture::timebase::Timebase;
use crate::perception::recognizer::{Segment, Transcribe};
use crate::perception::transcript::{Sentence, Transcript, ends_sentence, text_of};
use crate::perception::voice_activity::{Cutting, Segmenter, Speech, VoiceActivity, WINDOW, level};

/// Windows of speech after a pause, and the same in time, that show how a sentence goes on.
const GOES_ON: usize = 18;
const GOES_ON_MS: u64 = 500;
/// Windows of silence that end an utterance whose text is a whole sentence.
const END_PAUSE: usize = 12;
/// A machine that takes more than this share of the sound's length to recognise it has no time for early looks.
const NO_TIME_TO_SPARE: f32 = 0.5;
/// Each recognition costs as much as this length, however short the sound is (ms).
const LEAST_LENGTH_MS: u64 = 2000;
/// A sentence's beginning is looked for in a pause this near to where the recogniser puts it.
const NEAR_PAUSE_MS: u64 = 500;
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
        let waiting = self
            .with_ring(|ring| ring.end())
            .saturating_sub(self.judged.load(Ordering::SeqCst));
        self.open.load(Ordering::SeqCst) || waiting >= 2 * WINDOW as u64
    }

    /// Whether every whole window has been judged.
    pub(super) fn caught_up(&self) -> bool {
        self.with_ring(|ring| ring.end()) < self.judged.load(Ordering::SeqCst) + WINDOW as u64
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
    /// Whether sentences become final one by one, or utterances as a whole.
    confirms: bool,
    /// The end of the last pause after which an early look was taken.
    looked_at: u64,
    /// Time that the last recognition took, as a share of its sound's length.
    last_share: f32,
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
            confirms: true,
            looked_at: 0,
            last_share: 0.0,
        }
    }

    /// Utterances come whole, not sentence by sentence.
    pub(super) fn whole_utterances(mut self) -> Self {
        self.confirms = false;
        self
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
                    self.shared
                        .open
                        .store(self.segmenter.open().is_some(), Ordering::SeqCst);
                    self.shared.judged.store(self.judged, Ordering::SeqCst);
                    for question in questions {
                        let heard = self.answer(question.since_ms, question.asked, &mut said);
                        // Nobody waits any more when the episode was stopped meanwhile.
                        let _ = question.answer.send(heard);
                    }
                    if ending {
                        self.finish(&mut said);
                        return self.transcript.sentences().to_vec();
                    }
                    self.recognize_early(&mut said);
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
        let segments = self.recognize(&speech);
        self.early = None;
        self.shared.count(|stats| stats.utterances += 1);
        self.add(segments, speech.cut, said);
    }

    /// Makes segments final.
    fn add(&mut self, segments: Vec<Segment>, cut: bool, said: &mut impl FnMut(Said)) {
        let segments = self.on_the_clock(segments);
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
        for sentence in self.transcript.add(&segments, cut) {
            said(Said::Sentence(sentence));
        }
    }

    /// Recognises what is open when that is worth while before anybody asks: in a pause, which may be the end; and a
    /// moment after a pause, when the next words show whether it ended a sentence.
    fn recognize_early(&mut self, said: &mut impl FnMut(Said)) {
        let Some(speech) = self.segmenter.open() else {
            return;
        };
        let silence = self.segmenter.silence();
        let in_pause = silence >= Cutting::default().margin;
        let after_pause = self.confirms
            && speech.pauses.last().is_some_and(|(_, end)| {
                *end > self.looked_at && speech.speech_end >= end + (GOES_ON * WINDOW) as u64
            });
        // On a machine that has no time to spare, what is final comes first.
        if !(in_pause || after_pause) || self.last_share > NO_TIME_TO_SPARE {
            return;
        }
        self.looked_at = speech.pauses.last().map_or(self.looked_at, |(_, end)| *end);
        let tail = self.recognize_open(said);
        let whole = tail
            .last()
            .is_some_and(|segment| ends_sentence(&segment.text));
        if self.confirms
            && silence >= END_PAUSE
            && whole
            && let Some(speech) = self.segmenter.finish()
        {
            self.utterance(speech, said);
        }
    }

    /// Recognises what is open. Sentences that are followed by a pause and by the beginning of another one are final
    /// and are never recognised again; what is left is given back.
    fn recognize_open(&mut self, said: &mut impl FnMut(Said)) -> Vec<Segment> {
        let Some(speech) = self.segmenter.open() else {
            return Vec::new();
        };
        let mut segments = self.recognize(&speech);
        let confirmed = (1..segments.len()).rev().find_map(|count| {
            let next = &segments[count];
            let goes_on = speech.speech_end / 16 >= next.start_ms + GOES_ON_MS;
            let pause = speech
                .pauses
                .iter()
                .find(|(_, end)| end / 16 == next.start_ms)?;
            let whole = ends_sentence(&segments[count - 1].text);
            (self.confirms && whole && goes_on).then_some((count, (pause.0 + pause.1) / 2))
        });
        if let Some((count, position)) = confirmed {
            let rest = segments.split_off(count);
            self.segmenter.cut_before(position);
            self.add(segments, false, said);
            self.early = self.segmenter.open().map(|speech| (speech, rest.clone()));
            return rest;
        }
        segments
    }

    /// Recognises a stretch. Times come out in milliseconds of the ring's positions.
    fn recognize(&mut self, speech: &Speech) -> Vec<Segment> {
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
        let (took, length) = (
            began.elapsed().as_millis() as u64,
            samples.len() as u64 / 16,
        );
        self.last_share = took as f32 / length.max(LEAST_LENGTH_MS) as f32;
        self.shared.count(|stats| {
            stats.recognized_ms += length;
            stats.recognizing_ms += took;
            stats.failures += u32::from(segments.is_err());
        });
        let mut segments = segments.unwrap_or_else(|error| {
            tracing::warn!("an utterance is lost: {error:#}");
            Vec::new()
        });
        place(speech, &mut segments);
        self.early = Some((speech.clone(), segments.clone()));
        segments
    }

    fn answer(&mut self, since_ms: u64, asked: Instant, said: &mut impl FnMut(Said)) -> Heard {
        let tail = self.recognize_open(said);
        let tail = self.on_the_clock(tail);
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

    fn on_the_clock(&self, mut segments: Vec<Segment>) -> Vec<Segment> {
        for segment in &mut segments {
            segment.start_ms = self.time(segment.start_ms * 16);
            segment.end_ms = self.time(segment.end_ms * 16);
        }
        segments
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

/// Puts segments where their speech is. The voice's own edges and pauses are exact to a window; the recogniser's times
/// are not, so a sentence that seems to begin near a pause begins at its end.
fn place(speech: &Speech, segments: &mut [Segment]) {
    let (start, first, last) = (
        speech.start / 16,
        speech.speech_start / 16,
        speech.speech_end / 16,
    );
    for segment in &mut *segments {
        segment.start_ms = (start + segment.start_ms).clamp(first, last);
        segment.end_ms = (start + segment.end_ms).clamp(first, last);
    }
    if let Some(segment) = segments.first_mut() {
        segment.start_ms = first;
    }
    if let Some(segment) = segments.last_mut() {
        segment.end_ms = last;
    }
    let mut free = speech.pauses.as_slice();
    for i in 1..segments.len() {
        let edge = segments[i].start_ms;
        let distance = |(from, to): &(u64, u64)| {
            (from / 16).saturating_sub(edge) + edge.saturating_sub(to / 16)
        };
        let nearest = (0..free.len()).min_by_key(|i| distance(&free[*i]));
        if let Some(nearest) = nearest.filter(|i| distance(&free[*i]) <= NEAR_PAUSE_MS) {
            segments[i - 1].end_ms = free[nearest].0 / 16;
            segments[i].start_ms = free[nearest].1 / 16;
            free = &free[nearest + 1..];
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
