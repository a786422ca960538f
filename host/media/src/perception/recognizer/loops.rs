//! Texts that go round in circles: what a decoder does when it hears too little of what comes after.

use super::{Word, text_of};

/// A phrase that is repeated this often, with more context too, is an invention.
const INVENTED_ROUNDS: usize = 8;

/// The words that a decoder repeats, as (first word, words in one round, rounds): at least six single words or
/// three times a longer phrase. People say "no, no, no" and spell "4 4 4 4".
fn repetition(words: &[&str]) -> Option<(usize, usize, usize)> {
    let plain = |word: &&str| {
        word.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let plain: Vec<String> = words.iter().map(plain).collect();
    for length in 1..=plain.len() / 3 {
        let needed = if length == 1 { 6 } else { 3 };
        for first in 0..plain.len() {
            let phrase = &plain[first..(first + length).min(plain.len())];
            let rounds = plain[first..]
                .chunks_exact(length)
                .take_while(|chunk| *chunk == phrase)
                .count();
            if rounds >= needed {
                return Some((first, length, rounds));
            }
        }
    }
    None
}

/// Words, also those that a decoder strings together: "B-B-B-B".
fn plain_words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || c == '-')
        .filter(|word| !word.is_empty())
        .collect()
}

pub(super) fn loops(words: &[Word]) -> bool {
    repetition(&plain_words(&text_of(words))).is_some()
}

/// Leaves one round of what is repeated, with half the confidence; nothing where nobody said that.
pub(super) fn unrolled(words: Vec<Word>) -> Vec<Word> {
    let plain: Vec<(&str, &Word)> = words
        .iter()
        .flat_map(|word| {
            plain_words(&word.text)
                .into_iter()
                .map(move |text| (text, word))
        })
        .collect();
    let texts: Vec<&str> = plain.iter().map(|(text, _)| *text).collect();
    let Some((first, length, rounds)) = repetition(&texts) else {
        return words;
    };
    if rounds >= INVENTED_ROUNDS {
        return Vec::new();
    }
    let again = first + length..first + length * rounds;
    let kept = plain.iter().enumerate().filter(|(i, _)| !again.contains(i));
    kept.map(|(_, (text, word))| Word {
        text: (*text).to_owned(),
        confidence: word.confidence / 2.0,
        ..(*word).clone()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_told_from_speech() {
        let repeated = |text: &str| repetition(&plain_words(text));
        assert_eq!(
            repeated("So: I said. I said. I said. Goodbye."),
            Some((1, 2, 3))
        );
        assert_eq!(repeated("the the the The the, the the"), Some((0, 1, 7)));
        assert_eq!(repeated("B-B-B-B-B-B-B-B-"), Some((0, 1, 8)));
        assert_eq!(repeated("No, no, no. Four four four four."), None);
        assert_eq!(
            repeated("The budget is 1.4 million, down from 1.8 million."),
            None
        );
    }

    #[test]
    fn one_round_is_left_unless_nobody_said_it() {
        let words = |text: &str| -> Vec<Word> {
            text.split(' ')
                .map(|word| Word {
                    start_ms: 0,
                    end_ms: 0,
                    text: word.to_owned(),
                    confidence: 0.8,
                })
                .collect()
        };
        let left = unrolled(words("So I said. I said. I said. Goodbye."));
        assert_eq!(text_of(&left), "So I said. Goodbye.");
        assert!(left.iter().all(|word| word.confidence == 0.4));
        assert_eq!(unrolled(words("B-B-B-B-B-B-B-B-B yes")), []);
        assert_eq!(unrolled(words("It is so.")), words("It is so."));
    }
}
