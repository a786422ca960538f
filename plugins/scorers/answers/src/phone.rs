//! Phone numbers: the digits in their order, however they are grouped. The country's code may be left out or put
//! before; a number in another country's form is another number.

use crate::digits::digits_of;
use crate::words::{fold, words};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = written(expected)?;
    Some(written(typed).is_some_and(|typed| {
        let wanted = if typed.international {
            abroad(&expected)
        } else {
            at_home(&expected)
        };
        wanted.contains(&typed.row(&typed.digits))
    }))
}

/// Rows of digits long enough to be a phone number, said in digits, pairs, doubles and triples.
pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = written(expected)?;
    let mut wanted = at_home(&expected);
    wanted.extend(abroad(&expected));
    let shortest = expected.digits.len().min(SHORTEST);
    let is_it = |row: &String| {
        // Said twice in a row it is still one number.
        wanted.iter().any(|way| {
            row.len().is_multiple_of(way.len()) && *row == way.repeat(row.len() / way.len())
        })
    };
    let rows = rows(&words(text));
    Some(
        rows.iter()
            .filter(|row| row.len() >= shortest)
            .map(is_it)
            .collect(),
    )
}

/// Fewer digits than this are a count or an hour in the sentence.
const SHORTEST: usize = 5;

struct Number {
    /// With a country's code: a `+` or `00` stood before.
    international: bool,
    digits: String,
    extension: String,
}

/// A number in digits and what people put between them; none where anything else is in it.
fn written(text: &str) -> Option<Number> {
    let folded = fold(text);
    let text = folded
        .trim()
        .trim_start_matches("tel:")
        .trim()
        .trim_end_matches('.');
    let mut parts = ["extension", "ext.", "ext", "x", "#"]
        .into_iter()
        .find_map(|word| text.split_once(word))
        .map_or_else(
            || vec![text],
            |(number, extension)| vec![number.trim_end_matches([' ', ',']), extension],
        )
        .into_iter();
    let main = parts.next()?.trim();
    let plus = main.starts_with('+');
    let main = main.trim_start_matches('+');
    let digits = plain(main, &[' ', '-', '.', '(', ')', '/', '\u{a0}'])?;
    let extension = match parts.next() {
        Some(extension) => {
            Some(plain(extension.trim(), &[])?).filter(|digits| !digits.is_empty())?
        }
        None => String::new(),
    };
    let (international, digits) = match digits.strip_prefix("00") {
        Some(rest) if !plus => (true, rest.to_owned()),
        _ => (plus, digits),
    };
    (digits.len() >= 3).then_some(Number {
        international,
        digits,
        extension,
    })
}

fn plain(text: &str, between: &[char]) -> Option<String> {
    let fits = text
        .chars()
        .all(|c| c.is_ascii_digit() || between.contains(&c));
    fits.then(|| text.chars().filter(char::is_ascii_digit).collect())
}

impl Number {
    /// Digits with this number's extension behind an `x`.
    fn row(&self, digits: &str) -> String {
        match self.extension.as_str() {
            "" => digits.to_owned(),
            extension => format!("{digits}x{extension}"),
        }
    }
}

/// The rows of digits by which a number is dialled without a `+`. North American numbers may have a 1 before them.
fn at_home(number: &Number) -> Vec<String> {
    let digits = number.digits.as_str();
    let mut ways = vec![number.row(digits)];
    let (code, rest) = digits.split_at(country_code(digits).min(digits.len()));
    if number.international && code != "1" {
        ways.push(number.row(&format!("0{rest}")));
    } else if code == "1" && rest.len() == 10 {
        ways.push(number.row(rest));
    } else if digits.len() == 10 {
        ways.push(number.row(&format!("1{digits}")));
    }
    ways
}

/// The rows of digits behind a `+`: only North America's code goes without saying.
fn abroad(number: &Number) -> Vec<String> {
    let digits = number.digits.as_str();
    if number.international || (digits.len() == 11 && digits.starts_with('1')) {
        vec![number.row(digits)]
    } else if digits.len() == 10 && !digits.starts_with('0') {
        vec![number.row(&format!("1{digits}"))]
    } else {
        Vec::new()
    }
}

/// How many digits a country's code has (ITU-T E.164's assignments).
fn country_code(digits: &str) -> usize {
    let two = digits.get(..2).unwrap_or_default();
    match two.as_bytes() {
        [b'1' | b'7', _] => 1,
        b"20" | b"27" | b"30" | b"31" | b"32" | b"33" | b"34" | b"36" | b"39" => 2,
        [b'4', b'0' | b'1' | b'3'..=b'9'] | [b'5', b'1'..=b'8'] | [b'6', b'0'..=b'6'] => 2,
        b"81" | b"82" | b"84" | b"86" => 2,
        [b'9', b'0'..=b'5' | b'8'] => 2,
        _ => 3,
    }
}

/// Rows of digits in what was said; any other word ends one.
fn rows(words: &[String]) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut repeat = 1;
    let mut at = 0;
    while let Some(word) = words.get(at).map(String::as_str) {
        let next = words.get(at + 1).map(String::as_str);
        let (part, used) = match word {
            "double" | "triple" if next.is_some() => {
                repeat = if word == "double" { 2 } else { 3 };
                at += 1;
                continue;
            }
            "plus" | "dash" | "hyphen" | "dot" => (Some(String::new()), 1),
            "extension" | "ext" => (Some("x".to_owned()), 1),
            "o" => (Some("0".to_owned()), 1),
            word => digits_of(word, next),
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
