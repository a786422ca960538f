//! Codes: letters and digits in a fixed order. Case does not matter, nor how groups are joined; nothing may be added.

use crate::Heard;
use crate::words::{below_twenty, fold, tens, words};

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
/// seventy-one`. A row of such parts that contains a digit is one code.
pub(crate) fn hears(expected: &str, utterance: &str) -> Option<Heard> {
    let expected = joined(expected)?;
    let shortest = expected.len().min(3);
    let said: Vec<String> = spelled(&words(utterance))
        .into_iter()
        .filter(|code| {
            let code_like = code.len() >= shortest && code.contains(|c: char| c.is_ascii_digit());
            code_like || *code == expected
        })
        .collect();
    let is_it = |code: &String| {
        // "a" and "I" before a code are words of the sentence.
        *code == expected || code.strip_prefix(['a', 'i']) == Some(expected.as_str())
    };
    Some(if said.is_empty() {
        Heard::Nothing
    } else if said.iter().all(is_it) {
        Heard::Right
    } else {
        Heard::Wrong
    })
}

/// Rows of spelled parts, each joined to one string.
fn spelled(words: &[String]) -> Vec<String> {
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
            word => part_of(word, words.get(at + 1).map(String::as_str)),
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

/// What one word, with the next where both make a number, adds to a code.
fn part_of(word: &str, next: Option<&str>) -> (Option<String>, usize) {
    if word == "oh" {
        return (Some("0".to_owned()), 1);
    }
    if let Some(value) = below_twenty(word) {
        return (Some(value.to_string()), 1);
    }
    if let Some(value) = tens(word) {
        return match next.and_then(below_twenty) {
            Some(unit @ 1..=9) => (Some((value + unit).to_string()), 2),
            _ => (Some(value.to_string()), 1),
        };
    }
    let letter = word.len() == 1;
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let fits = word.chars().all(|c| c.is_ascii_alphanumeric()) && (letter || has_digit);
    (fits.then(|| word.to_owned()), 1)
}
