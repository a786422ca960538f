//! Puts a letter back that was read as the figure which looks like it.
//!
//! Only where there is no doubt: a nought between two consonants of a small-letter word, in a line of prose. A code may look
//! like that too, so a word that something announces, or that stands alone, stays as it was read.

/// Words after which a code may come.
const ANNOUNCING: [&str; 12] = [
    "code",
    "id",
    "is",
    "key",
    "name",
    "number",
    "password",
    "pin",
    "ref",
    "reference",
    "token",
    "user",
];
/// So many other words of small letters make a line prose.
const PROSE: usize = 2;
/// Shorter words are left alone.
const LEAST_LETTERS: usize = 4;

/// The line with such noughts as the letter o.
pub(crate) fn repaired(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let plain = words.iter().filter(|word| is_plain(word)).count();
    if plain < PROSE {
        return line.to_owned();
    }
    let mut announced = false;
    let mut text: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let repair = !announced && has_false_nought(bare(word));
        text.push(if repair {
            word.replacen('0', "o", 1)
        } else {
            word.to_owned()
        });
        announced = word.ends_with(':') || ANNOUNCING.contains(&bare(word).to_lowercase().as_str());
    }
    text.join(" ")
}

/// The word without the punctuation of a sentence around it.
fn bare(word: &str) -> &str {
    word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"'])
        .trim_start_matches(['(', '"'])
}

fn is_plain(word: &str) -> bool {
    let word = bare(word);
    word.len() >= 3 && word.bytes().all(|letter| letter.is_ascii_lowercase())
}

fn has_false_nought(word: &str) -> bool {
    let is_consonant = |letter: u8| letter.is_ascii_lowercase() && !b"aeiou".contains(&letter);
    let Some(nought) = word.find('0') else {
        return false;
    };
    let bytes = word.as_bytes();
    let (before, after) = (&bytes[..nought], &bytes[nought + 1..]);
    bytes.len() >= LEAST_LETTERS
        && before.iter().chain(after).all(u8::is_ascii_lowercase)
        && before.last().copied().is_some_and(is_consonant)
        && after.first().copied().is_some_and(is_consonant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nought_in_a_word_of_prose_is_a_letter() {
        for (read, meant) in [
            (
                "Enter the c0de from the toast.",
                "Enter the code from the toast.",
            ),
            (
                "please try again t0morrow, or later",
                "please try again tomorrow, or later",
            ),
        ] {
            assert_eq!(repaired(read), meant);
        }
    }

    #[test]
    fn codes_numbers_and_doubts_stay() {
        for line in [
            "c0de",
            "password: b0nd7 for the guest",
            "the access code b0nd opens the door",
            "Your key is: m0nk and then some more",
            "Quote the support reference RX-28013-K",
            "see ticket ab0c-1 for the rest",
            "the flag fa0e was never set",
            "use 50 of the 2024 units, 10k each",
            "the model c0d1ng has two of them",
        ] {
            assert_eq!(repaired(line), line);
        }
    }
}
