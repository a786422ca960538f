//! A talk whose samples say where in it they are, and a recogniser that reads this off them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::capture::ring::RATE;
use crate::error::ModelError;
use crate::perception::recognizer::{Clip, Pace, Segment, Transcribe, Word, sentences};
use crate::perception::voice_activity::VoiceActivity;

/// Loud is speech.
pub(crate) struct Loud;

impl VoiceActivity for Loud {
    fn probability(&mut self, window: &[f32]) -> Result<f32, ModelError> {
        let loud = window.iter().any(|sample| sample.abs() > 0.1);
        Ok(if loud { 0.9 } else { 0.0 })
    }
}

/// Levels of a word and of the gap after it; a millionth more for each millisecond.
const WORD: f32 = 0.3;
const GAP: f32 = 0.2;
const STEP: f32 = 1e-6;
/// Silence before the first word, length of a word and of the gap after it (ms).
const LEAD: u64 = 500;
const LASTS: u64 = 300;
const UNTIL_NEXT: u64 = 400;

pub(crate) struct Talk {
    words: Vec<Word>,
    sound: Vec<f32>,
    clips: Mutex<Vec<(u64, u64)>>,
    failing: bool,
    pace: Pace,
    /// The next pass waits until it is interrupted.
    sticks: AtomicBool,
    stuck: AtomicBool,
}

impl Talk {
    /// Texts and the silence after each (ms).
    pub(crate) fn new(parts: &[(&str, u64)]) -> Self {
        let mut talk = Self {
            words: Vec::new(),
            sound: vec![0.0; (LEAD * 16) as usize],
            clips: Mutex::default(),
            failing: false,
            pace: Pace::Continuous,
            sticks: AtomicBool::new(false),
            stuck: AtomicBool::new(false),
        };
        for (text, silence) in parts {
            let mut words = text.split(' ').peekable();
            while let Some(text) = words.next() {
                let start_ms = talk.sound.len() as u64 / 16;
                talk.words.push(Word {
                    start_ms,
                    end_ms: start_ms + LASTS,
                    text: text.to_owned(),
                    confidence: 0.9,
                });
                talk.lasts(LASTS, WORD);
                if words.peek().is_some() {
                    talk.lasts(UNTIL_NEXT - LASTS, GAP);
                }
            }
            talk.sound.extend(vec![0.0; (silence * 16) as usize]);
        }
        talk
    }

    fn lasts(&mut self, ms: u64, level: f32) {
        for _ in 0..ms * 16 {
            let now = (self.sound.len() / 16) as f32;
            self.sound.push(level + now * STEP);
        }
    }

    pub(crate) fn failing(mut self) -> Self {
        self.failing = true;
        self
    }

    pub(crate) fn costly(mut self) -> Self {
        self.pace = Pace::ByUtterance;
        self
    }

    pub(crate) fn stuck(self) -> Self {
        self.sticks.store(true, Ordering::SeqCst);
        self
    }

    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::SeqCst)
    }

    pub(crate) fn sound(&self) -> Vec<f32> {
        self.sound.clone()
    }

    /// What would sound after the end: loud, and no word.
    pub(crate) fn more(&self, samples: usize) -> Vec<f32> {
        let from = self.sound.len();
        (from..from + samples)
            .map(|i| GAP + (i / 16) as f32 * STEP)
            .collect()
    }

    /// Which stretches were recognised (ms).
    pub(crate) fn clips(&self) -> Vec<(u64, u64)> {
        self.clips.lock().clone()
    }

    pub(crate) fn start_of(&self, text: &str) -> u64 {
        self.find(text).start_ms
    }

    pub(crate) fn end_of(&self, text: &str) -> u64 {
        self.find(text).end_ms
    }

    fn find(&self, text: &str) -> &Word {
        self.words.iter().find(|word| word.text == text).unwrap()
    }

    /// How many words have ended before a time.
    pub(crate) fn words_before(&self, ms: u64) -> usize {
        self.words.iter().filter(|word| word.end_ms <= ms).count()
    }
}

impl Transcribe for Talk {
    fn transcribe(&self, samples: &[f32]) -> Result<Vec<Segment>, ModelError> {
        let clip = Clip {
            samples,
            interrupt: &AtomicBool::new(false),
        };
        Ok(sentences(&self.words(&clip)?.unwrap_or_default()))
    }

    /// Whole words as they are, one that the clip's end cuts as a guess; all a little late, as a recogniser's times are.
    fn words(&self, clip: &Clip<'_>) -> Result<Option<Vec<Word>>, ModelError> {
        if self.failing {
            return Err(ModelError::failed("the recogniser")("it is out of order"));
        }
        if self.sticks.swap(false, Ordering::SeqCst) {
            self.stuck.store(true, Ordering::SeqCst);
            while !clip.interrupt.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
            return Ok(None);
        }
        let Some(loud) = clip.samples.iter().position(|sample| *sample > 0.1) else {
            return Ok(Some(Vec::new()));
        };
        let sample = clip.samples[loud];
        let level = if sample >= WORD { WORD } else { GAP };
        let start = ((sample - level) / STEP).round() as u64 - loud as u64 / 16;
        let end = start + clip.samples.len() as u64 * 1000 / u64::from(RATE);
        self.clips.lock().push((start, end));
        let inside = self
            .words
            .iter()
            .filter(|word| word.start_ms + 60 > start && word.start_ms + 60 < end);
        let words = inside.map(|word| Word {
            start_ms: (word.start_ms + 50).saturating_sub(start),
            end_ms: word.end_ms.min(end) - start,
            text: if word.end_ms <= end {
                word.text.clone()
            } else {
                "um".to_owned()
            },
            confidence: word.confidence,
        });
        Ok(Some(words.collect()))
    }

    fn pace(&self) -> Pace {
        self.pace
    }
}

/// A word without its punctuation.
pub(crate) fn word(text: &str) -> &str {
    text.trim_end_matches(['.', ','])
}
