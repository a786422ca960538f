//! When open speech is recognised, how much of it, and what that makes final.
//!
//! A pass takes as long as several words, so there are few, and one that has become useless is given up: while it runs, the chain
//! goes on listening. Who asks gets a short one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use super::chain::{Chain, Said};
use super::passage::SURE_STOP;
use super::shared::Early;
use super::stats::HearingTimes;
use crate::perception::recognizer::{Clip, Word};
use crate::perception::transcript::ends_sentence;
use crate::perception::voice_activity::{Speech, WINDOW};

/// Speech after which an open utterance is recognised for the first time (samples, 1.6 s) …
const FIRST: u64 = 25_600;
/// … and new speech after which it is again (samples, 1.2 s) …
const STRIDE: u64 = 19_200;
/// … or this, where it follows a pause: it shows whether a sentence ended there (samples, 0.45 s and a window).
const AFTER_PAUSE: u64 = 7700;
/// Windows of silence that may be an utterance's end.
const MAYBE_END: usize = 5;
/// Windows of silence that end an utterance whose text is a whole sentence for sure.
const END_PAUSE: usize = 12;
/// A pass that heard this much after the last speech heard all of it (samples, two windows).
pub(super) const WHOLE: u64 = 2 * WINDOW as u64;
/// A machine that takes more than this share of the sound's length to recognise it has no time for early passes.
const NO_TIME_TO_SPARE: f32 = 0.5;
/// Each recognition costs as much as this length, however short the sound is (ms).
const LEAST_LENGTH_MS: u64 = 2000;

/// What became of a pass.
enum Passed {
    Words(Vec<Word>),
    /// Somebody waits, or it would not have heard the end.
    GivenUp,
    Failed,
}

impl Chain {
    /// Recognises what is open before anybody asks: in a pause, which may be the end, and every so often while speech goes
    /// on. What is sure then is made final.
    pub(super) fn recognize_early(&mut self, said: &mut impl FnMut(Said)) {
        let Some(speech) = self.segmenter.open().filter(|_| self.early) else {
            return;
        };
        let (silence, heard) = (self.segmenter.silence(), self.passage.heard());
        // On a machine that has no time to spare, what is final comes first.
        let time_to_spare =
            self.last_share <= NO_TIME_TO_SPARE || self.shared.unhurried.load(Ordering::Relaxed);
        let long = if time_to_spare { MAYBE_END } else { END_PAUSE };
        let in_pause = silence >= long && heard < speech.speech_end + WHOLE;
        let due = match speech.pauses.last() {
            Some((_, end)) if *end > heard && heard > speech.speech_start => end + AFTER_PAUSE,
            _ if heard > speech.speech_start => heard + STRIDE,
            _ => speech.speech_start + FIRST,
        };
        let goes_on = self.confirms && silence == 0 && speech.speech_end >= due;
        if in_pause || (goes_on && time_to_spare) {
            self.pass(&speech, true, said);
            self.confirm(said);
        }
        let whole = self
            .passage
            .words()
            .last()
            .is_some_and(|word| ends_sentence(&word.text) && word.stop >= SURE_STOP);
        if self.confirms
            && whole
            && silence >= END_PAUSE
            && self.passage.heard() >= speech.speech_end + WHOLE
            && let Some(speech) = self.segmenter.finish()
        {
            self.utterance(&speech, said);
        }
    }

    /// Takes what is sure out of the open utterance.
    pub(super) fn confirm(&mut self, said: &mut impl FnMut(Said)) {
        while self.confirms
            && let Some(speech) = self.segmenter.open()
            && let Some(confirmed) =
                self.passage
                    .confirmed(speech.start, &speech.pauses, |from, to| {
                        self.segmenter.quietest(from, to)
                    })
        {
            let words = self.passage.cut(&confirmed);
            self.segmenter.cut_before(confirmed.at);
            let pause = speech
                .pauses
                .iter()
                .find(|(from, to)| (*from..*to).contains(&confirmed.at));
            let before = Speech {
                end: confirmed.at,
                speech_end: pause.map_or(confirmed.at, |(from, _)| *from),
                cut: !confirmed.sentence,
                ..speech
            };
            self.add(&words, &before, !confirmed.sentence, said);
        }
    }

    /// Recognises an utterance, as far as it goes.
    pub(super) fn pass(&mut self, speech: &Speech, early: bool, said: &mut impl FnMut(Said)) {
        let before = self.before();
        match self.recognize(speech.start, speech.end, &before, early, said) {
            Passed::Words(words) => self.passage.take(words, speech.end),
            Passed::GivenUp => {}
            Passed::Failed => self.passage.take(Vec::new(), speech.end),
        }
    }

    /// Recognises the open utterance for somebody who waits: only its end, where the beginning has been heard well already.
    pub(super) fn glance(&mut self, speech: &Speech, said: &mut impl FnMut(Said)) {
        let seam = self
            .passage
            .seam(speech.start, |from, to| self.segmenter.quietest(from, to));
        if let Some(seam) = seam {
            let before = if seam.in_first_sentence {
                format!("{} {}", self.before(), seam.before)
            } else {
                seam.before.clone()
            };
            let passed = self.recognize(seam.at, speech.end, before.trim(), false, said);
            if let Passed::Words(words) = passed
                && self.passage.glance(&seam, words, speech.end)
            {
                return;
            }
        }
        self.pass(speech, false, said);
        self.confirm(said);
    }

    /// What was said before the passage, in the sentence in which it begins.
    fn before(&self) -> String {
        if self.passage.continues() {
            self.transcript.open_text().to_owned()
        } else {
            String::new()
        }
    }

    /// The words between two positions. An early pass may be given up.
    fn recognize(
        &mut self,
        start: u64,
        end: u64,
        before: &str,
        early: bool,
        said: &mut impl FnMut(Said),
    ) -> Passed {
        let samples = self
            .shared
            .with_ring(|ring| ring.read(start.max(ring.start()), end))
            .unwrap_or_default();
        let length = samples.len() as u64 / 16;
        let shared = Arc::clone(&self.shared);
        let expected = self.expected(length);
        let shorter = self
            .passage
            .seam(start, |from, to| self.segmenter.quietest(from, to));
        let early = early.then(|| Early {
            heard: end,
            due: shorter.map(|_| Instant::now() + expected),
        });
        let Some(passing) = shared.begin_pass(early.as_ref()) else {
            return Passed::GivenUp;
        };
        let early = early.is_some();
        let never = AtomicBool::new(false);
        let clip = Clip {
            samples: &samples,
            before,
            interrupt: if early { &shared.interrupt } else { &never },
        };
        let began = Instant::now();
        let recognizer = Arc::clone(&self.recognizer);
        let words: Result<Option<Vec<Word>>> = std::thread::scope(|scope| {
            let pass = std::thread::Builder::new()
                .name("asr-pass".to_owned())
                .spawn_scoped(scope, || {
                    let _passing = passing;
                    recognizer.words(&clip)
                })
                .context("cannot start a thread that recognises")?;
            while !shared.wait_in_pass(self.ear.judged()) {
                self.ear.judge();
                if early && began.elapsed() < expected / 2 && self.is_useless(end) {
                    shared.interrupt.store(true, Ordering::SeqCst);
                }
            }
            pass.join()
                .unwrap_or_else(|_| Err(anyhow!("the recogniser panicked")))
        });
        let took = began.elapsed().as_millis() as u64;
        shared.end_pass();
        shared.count(|stats| {
            stats.passes += 1;
            stats.interrupted += u32::from(matches!(words, Ok(None)));
            stats.recognized_ms += length;
            stats.recognizing_ms += took;
            stats.failures += u32::from(words.is_err());
        });
        let mut words = match words {
            Ok(Some(words)) => words,
            Ok(None) => return Passed::GivenUp,
            Err(error) => {
                said(Said::Lost(format!(
                    "speech could not be recognised: {error:#}"
                )));
                return Passed::Failed;
            }
        };
        self.last_share = took as f32 / length.max(LEAST_LENGTH_MS) as f32;
        shared.time(|times| HearingTimes::keep(&mut times.pass_ms, took));
        for word in &mut words {
            word.start_ms += start / 16;
            word.end_ms += start / 16;
        }
        Passed::Words(words)
    }

    /// Whether a pass that hears up to a position is in the way: what was said beyond it has come to a pause, so that the pass
    /// that makes it final is due.
    fn is_useless(&self, heard: u64) -> bool {
        let spoken = self.ear.spoken();
        self.ear.judged() >= spoken + (MAYBE_END * WINDOW) as u64 && heard < spoken + WHOLE
    }

    /// What a pass over a clip of a length (ms) takes, if it takes what the last one took.
    fn expected(&self, length: u64) -> Duration {
        let length = Duration::from_millis(length.max(LEAST_LENGTH_MS));
        length.mul_f32(self.last_share)
    }
}
