//! The chain itself, on one thread: samples from a ring, judged, cut, recognised, joined.

use std::sync::Arc;
use std::thread::JoinHandle;

use super::ear::Ear;
use super::passage::Passage;
use super::passes::WHOLE;
use super::place::place;
use super::shared::{FRESH, Question, Shared};
use super::stats::HearingTimes;
use super::{CONTEXT_MS, Heard, Layer};
use crate::capture::ring::RATE;
use crate::capture::timebase::Timebase;
use crate::perception::recognizer::{Pace, Segment, Transcribe, Word, sentences};
use crate::perception::transcript::{Sentence, Transcript, text_of};
use crate::perception::voice_activity::{Cutting, Segmenter, Speech, VoiceActivity};
use crate::perception::voice_print::VoicePrint;

/// Nobody says more words in a second.
const FASTEST: f32 = 7.0;

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
    /// Speech could not be recognised: the transcript has a hole.
    Lost(String),
}

/// Judges, cuts, recognises and joins; owned by its thread.
pub(super) struct Chain {
    pub(super) shared: Arc<Shared>,
    timebase: Arc<Timebase>,
    pub(super) recognizer: Arc<dyn Transcribe>,
    pub(super) ear: Ear,
    pub(super) segmenter: Segmenter,
    pub(super) transcript: Transcript,
    /// What is known of the open utterance.
    pub(super) passage: Passage,
    /// The voice of the turn.
    voice: Option<VoicePrint>,
    /// Whether sentences become final one by one, or utterances as a whole.
    pub(super) confirms: bool,
    /// Whether open speech is recognised before anybody asks.
    pub(super) early: bool,
    /// Time that the last recognition took, as a share of its sound's length.
    pub(super) last_share: f32,
}

impl Chain {
    pub(super) fn new(
        shared: Arc<Shared>,
        timebase: Arc<Timebase>,
        recognizer: Arc<dyn Transcribe>,
        detector: Box<dyn VoiceActivity>,
    ) -> Self {
        let early = recognizer.pace() == Pace::Continuous;
        let cutting = if early {
            Cutting::patient()
        } else {
            Cutting::default()
        };
        Self {
            ear: Ear::new(Arc::clone(&shared), detector, &cutting),
            shared,
            timebase,
            early,
            recognizer,
            segmenter: Segmenter::new(cutting),
            transcript: Transcript::default(),
            passage: Passage::default(),
            voice: None,
            confirms: true,
            last_share: 0.0,
        }
    }

    /// Utterances come whole, not sentence by sentence.
    pub(super) fn whole_utterances(mut self) -> Self {
        self.confirms = false;
        self.segmenter = Segmenter::new(Cutting::default());
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
                    let (questions, ending) = self.shared.wait(self.ear.judged());
                    self.listen(&mut said);
                    let open = self.segmenter.open().is_some();
                    self.shared.judged(self.ear.taken(), open);
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
        self.ear.judge();
        while let Some(window) = self.ear.next() {
            if let Some(speech) = self.segmenter.push(window.probability, window.level) {
                self.utterance(&speech, said);
            }
        }
        if self.segmenter.open().is_none()
            && let Some(sentence) = self.transcript.settle(self.time(self.ear.taken()))
        {
            self.say(sentence, said);
        }
    }

    /// An utterance has ended.
    pub(super) fn utterance(&mut self, speech: &Speech, said: &mut impl FnMut(Said)) {
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
    pub(super) fn add(
        &mut self,
        words: &[Word],
        speech: &Speech,
        cut: bool,
        said: &mut impl FnMut(Said),
    ) {
        let segments = self.segments(words, speech);
        if !self.confirms
            && let (Some(first), Some(last)) = (segments.first(), segments.last())
        {
            let sum: f32 = words.iter().map(|word| word.confidence).sum();
            let texts: Vec<&str> = segments.iter().map(|s| s.text.as_str()).collect();
            said(Said::Utterance {
                text: texts.join(" "),
                start_ms: first.start_ms,
                end_ms: last.end_ms,
                confidence: sum / words.len().max(1) as f32,
            });
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

    fn answer(&mut self, question: &Question, said: &mut impl FnMut(Said)) -> Heard {
        let mut heard_until = self.ear.taken();
        let mut tail = Vec::new();
        if let Some(speech) = self.segmenter.open() {
            let heard = self.passage.latest().1;
            if speech.speech_end > heard && heard + FRESH < question.position {
                self.glance(&speech, said);
            } else if speech.speech_end > heard {
                heard_until = heard;
            }
            if let Some(speech) = self.segmenter.open() {
                tail = self.segments(self.passage.latest().0, &speech);
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
