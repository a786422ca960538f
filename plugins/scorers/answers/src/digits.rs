//! Digits said in rows, as in codes and phone numbers.

use dynacu_numerals::read;

/// The digits that a word stands for, and whether the next was needed too: `seven`, `seventy one`, `eight hundred`.
pub(crate) fn digits_of(word: &str, next: Option<&str>) -> (Option<String>, usize) {
    let number = match word {
        "oh" | "nought" | "naught" => Some((0, 1)),
        word => read::below_hundred([word].into_iter().chain(next)),
    };
    match (number, next) {
        (Some((value @ 1..20, _)), Some("hundred")) => (Some(format!("{value}00")), 2),
        (Some((value @ 1..20, _)), Some("thousand")) => (Some(format!("{value}000")), 2),
        (Some((value, used)), _) => (Some(value.to_string()), used),
        (None, _) => {
            let digits = word.bytes().all(|byte| byte.is_ascii_digit());
            (digits.then(|| word.to_owned()), 1)
        }
    }
}
