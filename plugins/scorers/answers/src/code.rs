//! Codes: letters and digits in a fixed order. Case does not matter, nor how groups are joined; nothing may be added.

use crate::digits::digits_of;
use crate::words::{fold, words};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = joined(expected)?;
    Some(joined(typed) == Some(expected))
}

/// The code without its spaces and hyphens; none where another sign is in it.
fn joined(text: &str) -> Option<String> {
    let code: String = fold(text)
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '-')
        .collect();
    let plain = !code.is_empty() && code.chars().all(|letter| letter.is_ascii_alphanumeric());
    plain.then_some(code)
}

/// Spoken codes come as groups, digits or number words: `E 4471`, `E four four seven one`, `E forty-four
/// seventy-one`, `echo four four seven one`. A row of such parts that contains a digit is one code.
pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = joined(expected)?;
    let words = words(text);
    let read = |alphabet| -> Vec<bool> {
        spelled(&words, alphabet, &expected)
            .iter()
            .filter(|row| {
                let shortest = expected.len().min(3);
                let code_like = row.len() >= shortest && row.contains(|c: char| c.is_ascii_digit());
                code_like || **row == expected
            })
            .map(|row| is_code(row, &expected))
            .collect()
    };
    // Hotels and victors are words of a sentence too: they are letters only where the text does not say the code without.
    let plain = read(Alphabet::Letters);
    if !plain.is_empty() && plain.iter().all(|right| *right) {
        return Some(plain);
    }
    Some(read(Alphabet::Spelling))
}

/// The row is the code, once or again; "a" and "I" before a code are words of the sentence.
fn is_code(row: &str, expected: &str) -> bool {
    let again = |row: &str| {
        row.len().is_multiple_of(expected.len())
            && row == expected.repeat(row.len() / expected.len())
    };
    again(row) || row.strip_prefix(['a', 'i']).is_some_and(again)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    /// Letters by themselves.
    Letters,
    /// And the words of the radio alphabet.
    Spelling,
}

/// Rows of spelled parts, each joined to one string.
fn spelled(words: &[String], alphabet: Alphabet, expected: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut repeat = 1;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let (part, used) = match word.as_str() {
            "dash" | "hyphen" => (Some(String::new()), 1),
            "double" | "triple" => {
                repeat = if word == "double" { 2 } else { 3 };
                at += 1;
                continue;
            }
            "x" if words.get(at + 1).is_some_and(|next| next == "ray") => (Some("x".to_owned()), 2),
            word if is_group(word, expected) => (Some(word.to_owned()), 1),
            word => match radio(word).filter(|_| alphabet == Alphabet::Spelling) {
                Some(letter) => (Some(letter.to_string()), 1),
                None => part_of(word, words.get(at + 1).map(String::as_str)),
            },
        };
        match (part, rows.last_mut()) {
            (Some(part), Some(row)) => row.push_str(&part.repeat(repeat)),
            _ => rows.push(String::new()),
        }
        repeat = 1;
        at += used;
    }
    rows
}

/// Letters that stand together in the expected code too: a recogniser writes `F X` as `FX`. Other letters that make a
/// word are a word.
fn is_group(word: &str, expected: &str) -> bool {
    let letters = word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic());
    letters && expected.contains(word)
}

/// What one word, with the next where both make a number, adds to a code.
fn part_of(word: &str, next: Option<&str>) -> (Option<String>, usize) {
    if let Some(letter) = letter_name(word) {
        return (Some(letter.to_owned()), 1);
    }
    if let (Some(digits), used) = digits_of(word, next) {
        return (Some(digits), used);
    }
    let letter = word.len() == 1;
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let fits = word.chars().all(|c| c.is_ascii_alphanumeric()) && (letter || has_digit);
    (fits.then(|| word.to_owned()), 1)
}

/// Letters whose names are words of their own. `o` is left to be a letter: only `oh` is a zero.
fn letter_name(word: &str) -> Option<&'static str> {
    match word {
        "zed" | "zee" => Some("z"),
        _ => None,
    }
}

/// The letter of a word of the radio alphabet (ICAO; with its common spellings).
fn radio(word: &str) -> Option<char> {
    const WORDS: [&str; 28] = [
        "alfa", "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india",
        "juliet", "juliett", "kilo", "lima", "mike", "november", "oscar", "papa", "quebec",
        "romeo", "sierra", "tango", "uniform", "victor", "whiskey", "xray", "yankee", "zulu",
    ];
    WORDS.contains(&word).then(|| word.chars().next())?
}
