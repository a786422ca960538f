//! Digits said in rows, as in codes and phone numbers.

use crate::words::{below_twenty, tens};

/// The digits that a word stands for, and whether the next was needed too: `seven`, `seventy one`, `eight hundred`.
pub(crate) fn digits_of(word: &str, next: Option<&str>) -> (Option<String>, usize) {
    let value = match word {
        "oh" | "nought" | "naught" => Some(0),
        word => below_twenty(word),
    };
    if let Some(value) = value {
        return match next {
            Some("hundred") if value > 0 => (Some(format!("{value}00")), 2),
            Some("thousand") if value > 0 => (Some(format!("{value}000")), 2),
            _ => (Some(value.to_string()), 1),
        };
    }
    if let Some(tens) = tens(word) {
        return match next.and_then(below_twenty) {
            Some(unit @ 1..=9) => (Some((tens + unit).to_string()), 2),
            _ => (Some(tens.to_string()), 1),
        };
    }
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    (digits.then(|| word.to_owned()), 1)
}
