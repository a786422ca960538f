//! The chain itself, on one thread: samples from a ring, judged, cut, recognised, joined.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use super::passage::{Confirmed, Passage};
use super::place::place;
use super::shared::{FRESH, Question, Shared};
use super::stats::HearingTimes;
use super::{CONTEXT_MS, Heard, Layer, Utterance};
use crate::capture::ring::RATE;
use crate::capture::timebase::Timebase;
use crate::perception::recognizer::{Clip, Pace, Segment, Transcribe, Word, sentences};
use crate::perception::transcript::{Sentence, Transcript, text_of};
use crate::perception::voice_activity::{Cutting, Segmenter, Speech, VoiceActivity, WINDOW, level};
use crate::perception::voice_print::VoicePrint;

/// New speech after which an open utterance is recognised again (samples, 0.7 s) …
const STRIDE: u64 = 11_200;
/// … or this, where it follows a pause: it shows whether a sentence ended there (samples, 0.5 s).
const AFTER_PAUSE: u64 = 8000;
/// Windows of silence that may be an utterance's end.
const MAYBE_END: usize = 5;
/// Windows of silence that end an utterance whose text is a whole sentence.
const END_PAUSE: usize = 12;
/// The same in samples, for a pause that is over.
const END_SAMPLES: u64 = (END_PAUSE * WINDOW) as u64;
/// A pass that heard this much after the last speech heard all of it (samples, two windows).
const WHOLE: u64 = 2 * WINDOW as u64;
/// A machine that takes more than this share of the sound's length to recognise it has no time for early passes.
const NO_TIME_TO_SPARE: f32 = 0.5;
/// Nobody says more words in a second.
const FASTEST: f32 = 7.0;
/// Each recognition costs as much as this length, however short the sound is (ms).
const LEAST_LENGTH_MS: u64 = 2000;

/// What the chain produces, as it does.
pub(super) enum Said {
    /// Everything of one stretch of speech.
    Utterance(Utterance),
    /// A sentence is complete.
    Sentence(Sentence),
    /// Speech could not be recognised: the transcript has a hole.
    Lost(String),
}

/// Judges, cuts, recognises and joins; owned by its thread.
pub(super) struct Chain {
    shared: Arc<Shared>,
    timebase: Arc<Timebase>,
    recognizer: Arc<dyn Transcribe>,
    detector: Box<dyn VoiceActivity>,
    segmenter: Segmenter,
    transcript: Transcript,
    /// What is known of the open utterance.
    passage: Passage,
    /// The position up to which windows have been judged.
    judged: u64,
    /// The voice of the turn.
    voice: Option<VoicePrint>,
    /// Whether sentences become final one by one, or utterances as a whole.
    confirms: bool,
    /// Whether open speech is recognised before anybody asks.
    early: bool,
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
            early: recognizer.pace() == Pace::Continuous,
            recognizer,
            detector,
            segmenter: Segmenter::new(Cutting::default()),
            transcript: Transcript::default(),
            passage: Passage::default(),
            judged: 0,
            voice: None,
            confirms: true,
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
                    let (questions, ending) = self.shared.wait(self.judged);
                    self.listen(&mut said);
                    let open = self.segmenter.open().is_some();
                    self.shared.judged(self.judged, open);
                    for question in questions {
                        let heard = self.answer(&question, &mut said);
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
                self.utterance(&speech, said);
            }
        }
        if self.segmenter.open().is_none()
            && let Some(sentence) = self.transcript.settle(self.time(self.judged))
        {
            self.say(sentence, said);
        }
    }

    fn judge(&mut self, window: &[f32]) -> f32 {
        self.detector.probability(window).unwrap_or_else(|error| {
            tracing::warn!("{error}");
            self.shared.count(|stats| stats.failures += 1);
            0.0
        })
    }

    /// An utterance has ended.
    fn utterance(&mut self, speech: &Speech, said: &mut impl FnMut(Said)) {
        // What is cut in running speech was heard beyond its end.
        if speech.cut || self.passage.heard() < speech.speech_end + WHOLE {
            self.pass(speech, false, said);
        }
        self.shared.count(|stats| stats.utterances += 1);
        let mut words = self.passage.finish();
        // A sound of a moment is sometimes given a whole text.
        let seconds = (speech.speech_end - speech.speech_start) as f32 / RATE as f32;
        if words.len() as f32 > FASTEST * seconds + 2.0 {
            tracing::debug!(?words, seconds, "too many words for so little speech");
            words.clear();
        }
        self.add(&words, speech, speech.cut, said);
    }

    /// Makes words final.
    fn add(&mut self, words: &[Word], speech: &Speech, cut: bool, said: &mut impl FnMut(Said)) {
        let segments = self.segments(words, speech);
        if !self.confirms
            && let (Some(first), Some(last)) = (segments.first(), segments.last())
        {
            let sum: f32 = words.iter().map(|word| word.confidence).sum();
            let texts: Vec<&str> = segments.iter().map(|s| s.text.as_str()).collect();
            said(Said::Utterance(Utterance {
                text: texts.join(" "),
                start_ms: first.start_ms,
                end_ms: last.end_ms,
                confidence: sum / words.len().max(1) as f32,
            }));
        }
        for sentence in self.transcript.add(&segments, cut) {
            self.say(sentence, said);
        }
    }

    fn say(&mut self, mut sentence: Sentence, said: &mut impl FnMut(Said)) {
        if self.confirms && self.another_voice(&sentence) {
            sentence.starts_turn = true;
            self.transcript.starts_turn(sentence.started_at);
        }
        let late = self.timebase.now().saturating_sub(sentence.ended_at);
        tracing::debug!(late, started = sentence.started_at, ended = sentence.ended_at, text = %sentence.text, "said");
        self.shared
            .time(|times| HearingTimes::keep(&mut times.sentence_ms, late));
        said(Said::Sentence(sentence));
    }

    /// Whether a sentence has another voice than the turn before it.
    fn another_voice(&mut self, sentence: &Sentence) -> bool {
        let (Some(start), Some(end)) = (
            self.timebase.instant(sentence.started_at),
            self.timebase.instant(sentence.ended_at),
        ) else {
            return false;
        };
        let samples = self
            .shared
            .with_ring(|ring| ring.read(ring.position(start)?, ring.position(end)?));
        let Some(voice) = samples.and_then(|samples| VoicePrint::of(&samples)) else {
            return false;
        };
        let another = self
            .voice
            .as_ref()
            .is_some_and(|before| voice.differs(before));
        self.voice = Some(match self.voice.take().filter(|_| !another) {
            Some(before) => before.with(&voice),
            None => voice,
        });
        another
    }

    /// Recognises what is open before anybody asks: in a pause, which may be the end, and every so often while speech goes
    /// on. What passes agree on is made final.
    fn recognize_early(&mut self, said: &mut impl FnMut(Said)) {
        let Some(speech) = self.segmenter.open().filter(|_| self.early) else {
            return;
        };
        if self.end_in_a_pause(&speech, said) {
            return;
        }
        let (silence, heard) = (self.segmenter.silence(), self.passage.heard());
        let in_pause = silence >= MAYBE_END && heard < speech.speech_end + WHOLE;
        // On a machine that has no time to spare, what is final comes first.
        let time_to_spare =
            self.last_share <= NO_TIME_TO_SPARE || self.shared.unhurried.load(Ordering::Relaxed);
        let due = match speech.pauses.last() {
            Some((_, end)) if *end > heard => end + AFTER_PAUSE,
            _ => heard.max(speech.speech_start) + STRIDE,
        };
        if time_to_spare
            && (in_pause || (self.confirms && silence == 0 && speech.speech_end >= due))
        {
            self.pass(&speech, true, said);
            self.confirm(said);
        }
        if self.confirms
            && self.passage.is_whole()
            && silence >= END_PAUSE
            && self.passage.heard() >= speech.speech_end + WHOLE
            && let Some(speech) = self.segmenter.finish()
        {
            self.utterance(&speech, said);
        }
    }

    /// A pause that would have ended the sentence before it may be over by the time that the thread is free, and speech goes
    /// on. What was said before it is still looked at by itself: heard together with what follows, two sentences often come
    /// as one. True if a pass was made or something became final.
    fn end_in_a_pause(&mut self, speech: &Speech, said: &mut impl FnMut(Said)) -> bool {
        let unheard =
            |(from, to): &&(u64, u64)| to - from >= END_SAMPLES && self.passage.heard() < *to;
        let Some(&(from, to)) = speech.pauses.iter().find(unheard).filter(|_| self.confirms) else {
            return false;
        };
        let passed = self.passage.heard() < from + WHOLE;
        if passed {
            let before = Speech {
                end: (from + to) / 2,
                speech_end: from,
                pauses: speech
                    .pauses
                    .iter()
                    .copied()
                    .filter(|pause| pause.0 < from)
                    .collect(),
                ..*speech
            };
            self.pass(&before, true, said);
        }
        let whole = self.passage.heard() >= from + WHOLE && self.passage.is_whole();
        if whole {
            let all = Confirmed {
                words: self.passage.words().len(),
                at: (from + to) / 2,
                sentence: true,
            };
            self.make_final(speech, &all, said);
        }
        passed || whole
    }

    /// Takes what is sure out of the open utterance.
    fn confirm(&mut self, said: &mut impl FnMut(Said)) {
        while self.confirms
            && let Some(speech) = self.segmenter.open()
            && let Some(confirmed) =
                self.passage
                    .confirmed(speech.start, &speech.pauses, |from, to| {
                        self.segmenter.quietest(from, to)
                    })
        {
            self.make_final(&speech, &confirmed, said);
        }
    }

    fn make_final(&mut self, speech: &Speech, confirmed: &Confirmed, said: &mut impl FnMut(Said)) {
        let words = self.passage.cut(confirmed);
        self.segmenter.cut_before(confirmed.at);
        let pause = speech
            .pauses
            .iter()
            .find(|(from, to)| (*from..*to).contains(&confirmed.at));
        let before = Speech {
            end: confirmed.at,
            speech_end: pause.map_or(confirmed.at, |(from, _)| *from),
            cut: !confirmed.sentence,
            pauses: speech.pauses.clone(),
            ..*speech
        };
        self.add(&words, &before, !confirmed.sentence, said);
    }

    /// Recognises an utterance, as far as it goes.
    fn pass(&mut self, speech: &Speech, may_be_interrupted: bool, said: &mut impl FnMut(Said)) {
        let samples = self
            .shared
            .with_ring(|ring| ring.read(speech.start.max(ring.start()), speech.end));
        let samples = samples.unwrap_or_default();
        let never = AtomicBool::new(false);
        if may_be_interrupted && !self.shared.begin_pass(speech.end) {
            return;
        }
        let clip = Clip {
            samples: &samples,
            interrupt: if may_be_interrupted {
                &self.shared.interrupt
            } else {
                &never
            },
        };
        let began = Instant::now();
        let words = self.recognizer.words(&clip);
        let took = began.elapsed().as_millis() as u64;
        self.shared.end_pass();
        let length = samples.len() as u64 / 16;
        self.shared.count(|stats| {
            stats.passes += 1;
            stats.interrupted += u32::from(matches!(words, Ok(None)));
            stats.recognized_ms += length;
            stats.recognizing_ms += took;
            stats.failures += u32::from(words.is_err());
        });
        let mut words = match words {
            Ok(Some(words)) => words,
            Ok(None) => return,
            Err(error) => {
                said(Said::Lost(format!(
                    "speech could not be recognised: {error}"
                )));
                Vec::new()
            }
        };
        self.last_share = took as f32 / length.max(LEAST_LENGTH_MS) as f32;
        self.shared
            .time(|times| HearingTimes::keep(&mut times.pass_ms, took));
        for word in &mut words {
            word.start_ms += speech.start / 16;
            word.end_ms += speech.start / 16;
        }
        tracing::debug!(
            took,
            from = speech.start / 16,
            speech_end = speech.speech_end / 16,
            heard = speech.end / 16,
            pauses = ?speech.pauses.iter().map(|(a, b)| (a / 16, b / 16)).collect::<Vec<_>>(),
            words = ?words.iter().map(|w| format!("{}@{}-{}", w.text, w.start_ms, w.end_ms)).collect::<Vec<_>>(),
            "passed"
        );
        self.passage.take(words, speech.end);
    }

    fn answer(&mut self, question: &Question, said: &mut impl FnMut(Said)) -> Heard {
        let mut heard_until = self.judged;
        let mut tail = Vec::new();
        if let Some(speech) = self.segmenter.open() {
            let unheard = speech.speech_end > self.passage.heard();
            if unheard && self.passage.heard() + FRESH < question.position {
                self.pass(&speech, false, said);
                self.confirm(said);
            } else if unheard {
                heard_until = self.passage.heard();
            }
            if let Some(speech) = self.segmenter.open() {
                tail = self.segments(self.passage.words(), &speech);
            }
        }
        let to_ms = self.time(heard_until);
        let layer = |from_ms| Layer {
            from_ms,
            to_ms,
            sentences: self.transcript.after(from_ms, &tail),
        };
        let tail_ms = question.asked.elapsed().as_millis() as u64;
        self.shared
            .time(|times| HearingTimes::keep(&mut times.tail_ms, tail_ms));
        Heard {
            recent: layer(question.since_ms.min(to_ms)),
            context: layer(to_ms.saturating_sub(CONTEXT_MS)),
            tail_ms,
        }
    }

    /// Words as sentences, on the episode's clock.
    fn segments(&self, words: &[Word], speech: &Speech) -> Vec<Segment> {
        let mut segments = sentences(words);
        place(speech, &mut segments);
        for segment in &mut segments {
            segment.start_ms = self.time(segment.start_ms * 16);
            segment.end_ms = self.time(segment.end_ms * 16);
        }
        segments
    }

    fn finish(&mut self, said: &mut impl FnMut(Said)) {
        if let Some(speech) = self.segmenter.finish() {
            self.utterance(&speech, said);
        }
        if let Some(sentence) = self.transcript.finish() {
            self.say(sentence, said);
        }
        tracing::debug!(text = %text_of(self.transcript.sentences()), "heard in all");
    }

    fn time(&self, position: u64) -> u64 {
        self.shared
            .with_ring(|ring| ring.instant(position))
            .map_or(0, |at| self.timebase.millis(at))
    }
}
