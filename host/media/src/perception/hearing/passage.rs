//! One open stretch of speech: what the passes over it agree on, and where it can be cut.
//!
//! Speech that goes on is recognised again and again, and the last words of each pass are guesses. What two passes agree on is
//! taken as said. It leaves the passage, so that no pass is over more than a few seconds; it is never recognised again.

use crate::perception::recognizer::{Word, sentence_lengths};
use crate::perception::transcript::ends_sentence;

/// Speech after a sentence's end that shows that it was one (ms).
const GOES_ON_MS: u64 = 450;
/// A sentence's end is looked for in a pause this near to where the recogniser puts it (ms): its times are that wrong where it
/// gives a word no length.
const NEAR_PAUSE_MS: u64 = 400;
/// A longer passage is cut between two words (ms) …
const LONG_MS: u64 = 4400;
/// … also within a number when it is as long as this (ms) …
const LONGEST_MS: u64 = 8000;
/// … and this far from its beginning and from its end: words need something around them to be understood (ms).
const AROUND_MS: u64 = 1200;
/// No such cut within this many words of a number.
const NUMBER_WORDS: usize = 2;
/// Where the silence between two words lies, as seen from where the second one is said to begin (ms).
const BEFORE_WORD_MS: u64 = 160;
const INTO_WORD_MS: u64 = 40;

/// Samples in a millisecond.
const SAMPLES: u64 = 16;

/// Words that are final, and where what follows them begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Confirmed {
    pub words: usize,
    /// Position of the cut.
    pub at: u64,
    /// Whether a sentence ends there.
    pub sentence: bool,
}

/// The quietest place between two positions, and how loud it is.
pub(super) trait Quiet: Fn(u64, u64) -> Option<(u64, f32)> {}
impl<F: Fn(u64, u64) -> Option<(u64, f32)>> Quiet for F {}

/// What is known of one open stretch of speech. Times of words are milliseconds of the ring's positions.
#[derive(Debug, Default)]
pub(super) struct Passage {
    words: Vec<Word>,
    /// How many words, from the first one, the pass before had too.
    agreed: usize,
    /// The position up to which the last pass heard.
    heard: u64,
    /// The last word before a cut in the middle of a sentence.
    before: Option<Word>,
}

impl Passage {
    /// Takes what a pass over the whole passage gave, which heard up to the position `heard`.
    pub(super) fn take(&mut self, mut words: Vec<Word>, heard: u64) {
        if let (Some(before), Some(expected)) = (&self.before, self.words.first()) {
            // The cut left the end of a word.
            let repeated = words.len() > 1
                && same(&words[0], before)
                && same(&words[1], expected)
                && !same(&words[0], expected);
            if repeated {
                words.remove(0);
            }
            // A recogniser begins each clip as it would a sentence; the pass that heard what was before knows better.
            if let Some(first) = words.first_mut().filter(|first| same(first, expected)) {
                first.text = recased(&first.text, &expected.text);
            }
        }
        let pairs = self.words.iter().zip(&words);
        self.agreed = pairs.take_while(|(old, new)| same(old, new)).count();
        self.words = words;
        self.heard = heard;
    }

    pub(super) fn words(&self) -> &[Word] {
        &self.words
    }

    /// The position up to which the last pass heard; 0 if there was none.
    pub(super) fn heard(&self) -> u64 {
        self.heard
    }

    /// Whether what was heard ends with the end of a sentence.
    pub(super) fn is_whole(&self) -> bool {
        self.words
            .last()
            .is_some_and(|word| ends_sentence(&word.text))
    }

    /// What is final by now: up to the last sentence's end that is sure, else up to a place between two words if the passage,
    /// which begins at position `start`, has become long. `pauses` are its silent stretches.
    pub(super) fn confirmed(
        &self,
        start: u64,
        pauses: &[(u64, u64)],
        quiet: impl Quiet,
    ) -> Option<Confirmed> {
        self.sentence(pauses, &quiet)
            .or_else(|| self.clause(start, &quiet))
    }

    fn sentence(&self, pauses: &[(u64, u64)], quiet: &impl Quiet) -> Option<Confirmed> {
        let heard_ms = self.heard / SAMPLES;
        sentence_lengths(&self.words)
            .into_iter()
            .rev()
            .filter(|count| *count < self.words.len())
            .find_map(|count| {
                let next = self.words[count].start_ms;
                let distance = |(from, to): &(u64, u64)| {
                    (from / SAMPLES).saturating_sub(next) + next.saturating_sub(to / SAMPLES)
                };
                let pause = pauses
                    .iter()
                    .filter(|pause| distance(pause) <= NEAR_PAUSE_MS)
                    .min_by_key(|pause| distance(pause));
                // The pause's end is exact, the word's beginning is not.
                let goes_on_from = pause.map_or(next, |(_, to)| (to / SAMPLES).min(next));
                if heard_ms < goes_on_from + GOES_ON_MS {
                    return None;
                }
                let at = match pause {
                    Some((from, to)) => (from + to) / 2,
                    // Without a pause one pass is not enough.
                    None if self.agreed > count => gap(next, quiet)?.0,
                    None => return None,
                };
                Some(Confirmed {
                    words: count,
                    at,
                    sentence: true,
                })
            })
    }

    fn clause(&self, start: u64, quiet: &impl Quiet) -> Option<Confirmed> {
        let (start_ms, heard_ms) = (start / SAMPLES, self.heard / SAMPLES);
        if heard_ms < start_ms + LONG_MS {
            return None;
        }
        let middle = start_ms + AROUND_MS..heard_ms - AROUND_MS;
        let long_number = heard_ms >= start_ms + LONGEST_MS;
        (1..self.agreed)
            .filter(|count| middle.contains(&self.words[*count].start_ms))
            .filter(|count| long_number || !self.in_a_number(*count))
            .filter_map(|count| Some((count, gap(self.words[count].start_ms, quiet)?)))
            .min_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b))
            .map(|(count, (at, _))| Confirmed {
                words: count,
                at,
                sentence: false,
            })
    }

    /// Whether a cut before a word could lie within a number: what is said in several words ("four thousand eight hundred and
    /// twenty") is one only where a pass hears all of it.
    fn in_a_number(&self, count: usize) -> bool {
        let around =
            count.saturating_sub(NUMBER_WORDS)..(count + NUMBER_WORDS).min(self.words.len());
        let digit = |word: &Word| word.text.contains(|c: char| c.is_ascii_digit());
        self.words[around].iter().any(digit)
    }

    /// Gives away what is confirmed.
    pub(super) fn cut(&mut self, confirmed: &Confirmed) -> Vec<Word> {
        let rest = self.words.split_off(confirmed.words);
        let words = std::mem::replace(&mut self.words, rest);
        self.agreed = self.agreed.saturating_sub(confirmed.words);
        self.before = words.last().filter(|_| !confirmed.sentence).cloned();
        words
    }

    /// Gives away everything: the speech has ended, or is gone.
    pub(super) fn finish(&mut self) -> Vec<Word> {
        std::mem::take(self).words
    }
}

fn gap(next_ms: u64, quiet: &impl Quiet) -> Option<(u64, f32)> {
    quiet(
        next_ms.saturating_sub(BEFORE_WORD_MS) * SAMPLES,
        (next_ms + INTO_WORD_MS) * SAMPLES,
    )
}

/// Whether two words are one but for capitals and punctuation.
fn same(a: &Word, b: &Word) -> bool {
    let plain = |word: &Word| -> String {
        word.text
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    plain(a) == plain(b)
}

/// A word with the first letter of another writing of it.
fn recased(word: &str, like: &str) -> String {
    let first = |text: &str| text.char_indices().find(|(_, c)| c.is_alphabetic());
    match (first(word), first(like)) {
        (Some((at, old)), Some((_, new))) => {
            format!("{}{new}{}", &word[..at], &word[at + old.len_utf8()..])
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perception::recognizer::text_of;

    fn left(passage: &Passage) -> String {
        text_of(passage.words())
    }

    /// A word every 400 ms from `start_ms` on, each 300 ms long.
    fn words(start_ms: u64, text: &str) -> Vec<Word> {
        (0..)
            .zip(text.split(' '))
            .map(|(i, text)| Word {
                start_ms: start_ms + i * 400,
                end_ms: start_ms + i * 400 + 300,
                text: text.to_owned(),
                confidence: 0.9,
            })
            .collect()
    }

    /// Silence in the middle of what is asked about; the louder the later.
    fn even(from: u64, to: u64) -> Option<(u64, f32)> {
        Some(((from + to) / 2, from as f32))
    }

    const MS: u64 = SAMPLES;

    #[test]
    fn a_sentence_is_sure_when_two_passes_have_it_and_speech_goes_on() {
        let mut passage = Passage::default();
        passage.take(words(0, "It is done. And"), 1600 * MS);
        assert_eq!(passage.confirmed(0, &[], even), None);
        passage.take(words(0, "It is done, and then we"), 2400 * MS);
        assert_eq!(passage.confirmed(0, &[], even), None);
        passage.take(words(0, "It is done. And then we go"), 2800 * MS);
        let confirmed = passage.confirmed(0, &[], even).unwrap();
        assert_eq!((confirmed.words, confirmed.sentence), (3, true));
        assert!((1040 * MS..1240 * MS).contains(&confirmed.at));
        assert_eq!(text_of(&passage.cut(&confirmed)), "It is done.");
        assert_eq!(left(&passage), "And then we go");
        assert_eq!(passage.before, None);
    }

    #[test]
    fn a_pause_makes_one_pass_enough() {
        let mut passage = Passage::default();
        passage.take(words(0, "It is done. And then"), 2100 * MS);
        assert_eq!(passage.confirmed(0, &[], even), None);
        let pause = (1000 * MS, 1180 * MS);
        let confirmed = passage.confirmed(0, &[pause], even).unwrap();
        assert_eq!((confirmed.words, confirmed.at), (3, 1090 * MS));
        // A stop at the very end may be an invention.
        passage.take(words(0, "It is done. And"), 1600 * MS);
        assert_eq!(passage.confirmed(0, &[pause], even), None);
    }

    #[test]
    fn a_long_passage_is_cut_where_it_is_quietest_and_goes_on_in_small_letters() {
        let text = "we have set the budget for the next year at one point";
        let mut passage = Passage::default();
        passage.take(words(0, text), 4900 * MS);
        passage.take(words(0, &format!("{text} four million")), 5600 * MS);
        let confirmed = passage.confirmed(0, &[], even).unwrap();
        // The first word that begins more than a second after the beginning.
        assert_eq!((confirmed.words, confirmed.sentence), (3, false));
        assert_eq!(text_of(&passage.cut(&confirmed)), "we have set");
        assert!(passage.before.is_some());
        // The next pass hears the end of "set" once more, and begins with a capital.
        passage.take(
            words(800, "Set The budget for the next year at 1.4"),
            6000 * MS,
        );
        assert_eq!(left(&passage), "the budget for the next year at 1.4");
    }

    #[test]
    fn a_number_is_not_cut() {
        let text = "of the four thousand eight 800 and 20 orders came the most";
        let mut passage = Passage::default();
        passage.take(words(0, text), 4900 * MS);
        passage.take(words(0, text), 5600 * MS);
        // Of the words between 1.2 s and 4.4 s, "came" is the first one that is far enough from "800 and 20".
        let confirmed = passage.confirmed(0, &[], even).unwrap();
        assert_eq!(confirmed.words, 3);
        passage.take(words(0, "of 800 more and 20 more"), 4900 * MS);
        passage.take(words(0, "of 800 more and 20 more"), 4900 * MS);
        assert_eq!(passage.confirmed(0, &[], even), None);
    }

    #[test]
    fn what_passes_do_not_agree_on_is_not_cut() {
        let mut passage = Passage::default();
        passage.take(
            words(0, "one two three four five six seven eight nine ten"),
            4000 * MS,
        );
        passage.take(
            words(0, "won too tree four five six seven eight nine ten"),
            5600 * MS,
        );
        assert_eq!(passage.confirmed(0, &[], even), None);
        assert_eq!(
            text_of(&passage.finish()),
            "won too tree four five six seven eight nine ten"
        );
        assert_eq!((left(&passage), passage.heard()), (String::new(), 0));
    }
}
