//! Whether a transcript gives an entity, however the recogniser chose to write it.
//!
//! "sixty four dollars", "$64" and "$64.00" are one amount; "K seven Q" and "K7Q" one code; "fifteen" is not "fifty".

use std::sync::LazyLock;

use dynacu_numerals::read::{self, is_ordinal_suffix};
use regex::Regex;

/// Whether a transcript contains an entity in its written or in its spoken form.
#[must_use]
pub fn heard(transcript: &str, written: &str, spoken: &str) -> bool {
    let transcript = normalise(transcript);
    [written, spoken]
        .iter()
        .any(|form| contains(&transcript, &normalise(form)))
}

/// The words of a text in one way of writing: lower case, numbers in digits, signs as words, no punctuation.
#[must_use]
pub fn normalise(text: &str) -> Vec<String> {
    units(numbers(tokens(text)))
}

fn contains(transcript: &[String], entity: &[String]) -> bool {
    if entity.is_empty() {
        return false;
    }
    if transcript
        .windows(entity.len())
        .any(|window| window == entity)
    {
        return true;
    }
    // Codes, phone numbers and years are grouped as the recogniser likes: compare them without the gaps, but never a
    // part of a longer number.
    let joined = entity.concat();
    let number = |at: Option<&String>| at.is_some_and(|token| is_number(token));
    (0..transcript.len()).any(|from| {
        let mut run = String::new();
        for (to, token) in transcript.iter().enumerate().skip(from) {
            run.push_str(token);
            if run.len() >= joined.len() || !joined.starts_with(&run) {
                let before = from.checked_sub(1).and_then(|at| transcript.get(at));
                return run == joined
                    && !(is_number(&transcript[from]) && number(before))
                    && !(is_number(token) && number(transcript.get(to + 1)));
            }
        }
        false
    })
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

/// Words, numbers and signs, in lower case. Signs of currency move behind their number, as they are spoken.
fn tokens(text: &str) -> Vec<String> {
    static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"[$£€]|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\p{L}+(?:'\p{L}+)*|[%&]").ok()
    });
    static HALF_DAY: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b([ap])(?:\.\s?m\b\.?|\sm\b)").ok());
    static FULL_HOUR: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(\d{1,2}):00\b").ok());
    let mut text = text
        .to_lowercase()
        .replace('’', "'")
        .replace("o'clock", " ")
        .replace("per cent", "percent");
    for (pattern, by) in [(&HALF_DAY, "${1}m"), (&FULL_HOUR, "$1")] {
        if let Some(pattern) = pattern.as_ref() {
            text = pattern.replace_all(&text, by).into_owned();
        }
    }
    let Some(token) = TOKEN.as_ref() else {
        return Vec::new();
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut currency: Option<&str> = None;
    for found in token.find_iter(&text) {
        let word = found.as_str();
        let glued =
            found.start() > 0 && text[..found.start()].ends_with(|c: char| c.is_ascii_digit());
        match word {
            "$" => currency = Some("dollars"),
            "£" => currency = Some("pounds"),
            "€" => currency = Some("euros"),
            "%" => tokens.push("percent".to_owned()),
            "&" => tokens.push("and".to_owned()),
            suffix if glued && is_ordinal_suffix(suffix) => {}
            number if is_number(number) => {
                tokens.push(decimal(&number.replace(',', "")));
                tokens.extend(currency.take().map(str::to_owned));
            }
            // "$3 million" and "$3m": the scale belongs to the number before the unit.
            "k" | "m" | "bn" | "thousand" | "million" | "billion"
                if tokens
                    .last()
                    .is_some_and(|last| UNITS.contains(&last.as_str()))
                    && (glued || word.len() > 2) =>
            {
                let scale = match word {
                    "k" => "thousand",
                    "m" => "million",
                    "bn" => "billion",
                    word => word,
                };
                tokens.insert(tokens.len() - 1, scale.to_owned());
            }
            word => tokens.push(word.to_owned()),
        }
    }
    tokens
}

const UNITS: [&str; 3] = ["dollars", "pounds", "euros"];

/// "64.00" and "64.50" as "64" and "64.5"; a whole number as it is, since a code may begin with 0.
fn decimal(number: &str) -> String {
    if number.contains('.') {
        number
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    } else {
        number.to_owned()
    }
}

/// Number words as digits: "one hundred and five" is 105, "five five" is 5 5, "thirty six" is 36.
fn numbers(tokens: Vec<String>) -> Vec<String> {
    let words_from = |at: usize| tokens.iter().skip(at).map(String::as_str);
    let mut result: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let follows_digits = at > 0 && is_number(&tokens[at - 1]);
        let (written, used) = if follows_digits
            && let Some(factor) = read::scale(token)
            && let Some(scaled) = result.last().and_then(|last| scaled(last, factor))
        {
            // "1.4 million".
            result.pop();
            (scaled, 1)
        } else if let Some(number) = read::number(words_from(at)) {
            (number.value.to_string(), number.words)
        } else if matches!(token.as_str(), "oh" | "o")
            && result.last().is_some_and(|last| is_number(last))
            && (tokens.get(at + 1).is_some_and(|next| is_number(next))
                || read::number(words_from(at + 1)).is_some())
        {
            ("0".to_owned(), 1)
        } else {
            (token.clone(), 1)
        };
        result.push(written);
        at += used;
    }
    points(result)
}

/// "1.4" and a million as "1400000".
fn scaled(number: &str, scale: u64) -> Option<String> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = scale.to_string().len() - 1;
    if !is_number(number) || fraction.len() > digits {
        return None;
    }
    let all = format!("{whole}{fraction:0<digits$}");
    all.parse::<u64>().ok().map(|value| value.to_string())
}

/// "1 point 4" as "1.4", and "1 point 4 1000000" as "1400000".
fn points(tokens: Vec<String>) -> Vec<String> {
    let mut result: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let whole = result
            .last()
            .is_some_and(|last| is_number(last) && !last.contains('.'));
        if tokens[at] == "point" && whole && tokens.get(at + 1).is_some_and(|next| is_number(next))
        {
            let mut number = result.pop().unwrap_or_default();
            number.push('.');
            at += 1;
            while let Some(digit) = tokens
                .get(at)
                .filter(|token| token.len() == 1 && is_number(token))
            {
                number.push_str(digit);
                at += 1;
            }
            // "point four million": the reading above has made one number of "four million".
            if number.ends_with('.')
                && let Some(big) = tokens.get(at)
            {
                at += 1;
                let zeros = big.len() - big.trim_end_matches('0').len();
                let scale = 10_u64.pow(u32::try_from(zeros / 3 * 3).unwrap_or(0));
                let fraction = big.parse::<u64>().map_or(0, |big| big / scale);
                number.push_str(&fraction.to_string());
                number = scaled(&number, scale).unwrap_or(number);
            }
            result.push(decimal(&number));
        } else {
            result.push(tokens[at].clone());
            at += 1;
        }
    }
    result
}

/// Units in the plural; "64 dollars and 50 cents" as "64.5 dollars".
fn units(tokens: Vec<String>) -> Vec<String> {
    let mut result: Vec<String> = Vec::new();
    for token in tokens {
        let token = match token.as_str() {
            "dollar" | "buck" | "bucks" => "dollars".to_owned(),
            "pound" | "quid" => "pounds".to_owned(),
            "euro" => "euros".to_owned(),
            "cent" | "penny" | "pence" => "cents".to_owned(),
            _ => token,
        };
        if token == "cents"
            && let Some((amount, taken)) = amount(&result)
        {
            result.truncate(result.len() - taken);
            result.extend(amount);
            continue;
        }
        result.push(token);
    }
    result
}

/// The amount at the end of the tokens, before a "cents" that completes it, and how many tokens it replaces.
fn amount(tokens: &[String]) -> Option<([String; 2], usize)> {
    let (whole, unit, cents, taken) = match tokens {
        [.., whole, unit, and, cents] if and == "and" => (whole, unit, cents, 4),
        [.., whole, unit, cents] => (whole, unit, cents, 3),
        _ => return None,
    };
    let cents = cents.parse::<u32>().ok().filter(|cents| *cents < 100)?;
    let fits = UNITS.contains(&unit.as_str()) && is_number(whole) && !whole.contains('.');
    fits.then(|| {
        (
            [decimal(&format!("{whole}.{cents:02}")), unit.clone()],
            taken,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_of_writing() {
        for (text, words) in [
            ("I paid sixty-four dollars.", "i paid 64 dollars"),
            ("$64.00, £1 and 12%!", "64 dollars 1 pounds and 12 percent"),
            ("one hundred and five; a thousand", "105 1000"),
            ("five five five, zero one two", "5 5 5 0 1 2"),
            ("thirty six and twenty twenty-six", "36 and 20 26"),
            (
                "one point four million, $1.4M, 1,400,000, $1.4 million",
                "1400000 1400000 dollars 1400000 1400000 dollars",
            ),
            ("three point one four", "3.14"),
            ("two thousand five hundred twelve", "2512"),
            (
                "at 3:30 p.m., three thirty PM, ten o'clock, 10:00",
                "at 3 30 pm 3 30 pm 10 10",
            ),
            (
                "March 3rd, March third, the twenty-first",
                "march 3 march 3 the 21",
            ),
            (
                "sixty four dollars and fifty cents or $64.50",
                "64.5 dollars or 64.5 dollars",
            ),
            ("K7-Q4 and one oh five", "k 7 q 4 and 1 0 5"),
        ] {
            assert_eq!(normalise(text).join(" "), words, "{text}");
        }
    }

    #[test]
    fn entities_are_found_in_either_form() {
        for (transcript, written, spoken, found) in [
            (
                "I ended up paying $64 for the kettle.",
                "$64",
                "sixty four dollars",
                true,
            ),
            (
                "I ended up paying sixty-four dollars for it.",
                "$64",
                "sixty four dollars",
                true,
            ),
            (
                "I ended up paying $60 for it.",
                "$64",
                "sixty four dollars",
                false,
            ),
            ("That was $164, really.", "$64", "sixty four dollars", false),
            ("The room is 15.", "50", "fifty", false),
            ("the code is KQ-7-2-9", "KQ729", "K Q seven two nine", true),
            (
                "the code is KQ-7-2-9-1",
                "KQ729",
                "K Q seven two nine",
                false,
            ),
            (
                "Call 555-0123 today",
                "5550123",
                "five five five, zero one two three",
                true,
            ),
            (
                "in nineteen eighty-four",
                "1984",
                "nineteen eighty four",
                true,
            ),
            ("The capital is Canberra.", "Canberra", "Canberra", true),
            ("It begins at 3:30 PM.", "3:30 pm", "three thirty p m", true),
            (
                "It rose by 12.5 percent",
                "12.5%",
                "twelve point five percent",
                true,
            ),
            ("anything", "", "", false),
        ] {
            assert_eq!(
                heard(transcript, written, spoken),
                found,
                "{spoken} in {transcript}"
            );
        }
    }
}
