//! From a text as people write it to one as they say it, where espeak-ng would read out the signs.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Says what a pattern found.
type Said = fn(&Captures<'_>) -> String;

/// What is written, and what is said instead. The order matters: a later rule sees what an earlier one left.
const RULES: [(&str, Said); 9] = [
    // A link of Markdown is called by its text.
    (r"\[([^\[\]]+)\]\([^()\s]*\)", |found| found[1].to_owned()),
    (r"\b(?:https?://|www\.)[^\s<>\x22”’)]+", address),
    // Pictures have no sound; some are made of several signs.
    (
        r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u{fe0f}\u{200d}\u{20e3}]+",
        |_| " ".to_owned(),
    ),
    // Emphasis, headings and code of Markdown, and what is an instruction to espeak-ng ("[[").
    (r"(?m)^\s*#+\s|~~|[\[\]|_*`]", |_| " ".to_owned()),
    (r"(^|[\s(])([-−–+~#])([$£€]?\d)", sign),
    (
        r"([$£€])\s?(\d[\d,]*)(?:\.(\d{2})\b)?(\.\d+)?(?:\s?(thousand|million|billion|[kKmM]\b|bn\b))?",
        amount,
    ),
    (r"\b([01]?\d|2[0-3]):([0-5]\d)\b(\s?[aApP]\.?[mM]\b)?", time),
    (r"\b([A-Z]{1,4})-(\d{3,})((?:-[A-Z0-9]+)*)\b", code),
    (r"\s+", |found| {
        if found[0].contains("\n\n") {
            "\n\n"
        } else {
            " "
        }
        .to_owned()
    }),
];

/// The text as a person would say it; numbers stay in digits, which espeak-ng reads well.
pub(super) fn as_said(text: &str) -> String {
    static COMPILED: LazyLock<Vec<(Regex, Said)>> = LazyLock::new(|| {
        let rules = RULES.into_iter();
        rules
            .filter_map(|(pattern, said)| Some((Regex::new(pattern).ok()?, said)))
            .collect()
    });
    let rules = COMPILED.iter();
    rules.fold(text.to_owned(), |text, (pattern, said)| {
        pattern.replace_all(&text, said).into_owned()
    })
}

/// "https://x.y/news." as "x dot y slash news."
fn address(found: &Captures<'_>) -> String {
    let whole = &found[0];
    let (_, place) = whole.split_once("://").unwrap_or(("", whole));
    // A mark at the end belongs to the sentence.
    let bare = place.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let rest = &place[bare.len()..];
    let bare = bare.trim_end_matches('/');
    let mut said = String::new();
    for letter in bare.chars() {
        match letter {
            '.' => said.push_str(" dot "),
            '/' => said.push_str(" slash "),
            '-' => said.push_str(" dash "),
            '_' => said.push_str(" underscore "),
            ':' => said.push_str(" colon "),
            '?' => said.push_str(" question mark "),
            '=' => said.push_str(" equals "),
            other => said.push(other),
        }
    }
    said + rest
}

/// "$64" as "64 dollars": espeak-ng says "dollar sixty four".
fn amount(found: &Captures<'_>) -> String {
    let part = |index| found.get(index).map_or("", |part| part.as_str());
    let (one, many, small) = match part(1) {
        "$" => ("dollar", "dollars", "cents"),
        "£" => ("pound", "pounds", "pence"),
        _ => ("euro", "euros", "cents"),
    };
    let (whole, cents, fraction) = (part(2).trim_end_matches(','), part(3), part(4));
    // A comma after the amount belongs to the sentence.
    let rest = &part(2)[whole.len()..];
    let scale = match part(5) {
        "k" | "K" => "thousand",
        "m" | "M" => "million",
        "bn" => "billion",
        other => other,
    };
    let amount = if !scale.is_empty() {
        let cents = if cents.is_empty() {
            String::new()
        } else {
            format!(".{cents}")
        };
        format!("{whole}{cents}{fraction} {scale} {many}")
    } else if !fraction.is_empty() {
        format!("{whole}{fraction} {many}")
    } else {
        let unit = if whole == "1" { one } else { many };
        match cents.trim_start_matches('0') {
            "" => format!("{whole} {unit}"),
            cents => format!("{whole} {unit} and {cents} {small}"),
        }
    };
    format!("{amount}{rest}")
}

fn sign(found: &Captures<'_>) -> String {
    let said = match &found[2] {
        "+" => "plus",
        "~" => "about",
        "#" => "number",
        _ => "minus",
    };
    format!("{}{said} {}", &found[1], &found[3])
}

/// "09:05" as "9 oh 5".
fn time(found: &Captures<'_>) -> String {
    let hour: u8 = found[1].parse().unwrap_or(0);
    let half = found.get(3).map_or("", |half| half.as_str());
    let said = match (&found[2], hour) {
        ("00", 0) => "midnight".to_owned(),
        ("00", 1..=12) if half.is_empty() => format!("{hour} o'clock"),
        ("00", 1..=12) => hour.to_string(),
        ("00", _) => format!("{hour} hundred"),
        (minute, _) => match minute.strip_prefix('0') {
            Some(minute) => format!("{hour} oh {minute}"),
            None => format!("{hour} {minute}"),
        },
    };
    said + half
}

/// "A-407" as "A-4 oh 7". The hyphen stays: without it, espeak-ng takes the letter for an article.
fn code(found: &Captures<'_>) -> String {
    let digits = |digits: &str| -> Vec<String> {
        let said = digits.chars().filter(|sign| *sign != '-');
        said.map(|sign| match sign {
            '0' => "oh".to_owned(),
            other => other.to_string(),
        })
        .collect()
    };
    let mut said = digits(&found[2]);
    said.extend(digits(&found[3]));
    format!("{}-{}", &found[1], said.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_a_pattern() {
        for (pattern, _) in RULES {
            assert!(Regex::new(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn what_is_written_is_said_as_people_say_it() {
        for (written, said) in [
            (
                "\"**$1.4M**, -3%, 09:30, ref A-407 😀 https://x.y\"",
                "\" 1.4 million dollars , minus 3%, 9 30, ref A-4 oh 7 x dot y\"",
            ),
            ("I paid $64.", "I paid 64 dollars."),
            (
                "$1, £2.50 and €0.05",
                "1 dollar, 2 pounds and 50 pence and 0 euros and 5 cents",
            ),
            (
                "$1.4M or $1,400,000",
                "1.4 million dollars or 1,400,000 dollars",
            ),
            (
                "$1.75 million, -$5",
                "1.75 million dollars, minus 5 dollars",
            ),
            (
                "(−3.5) to +2, ~7, #4",
                "(minus 3.5) to plus 2, about 7, number 4",
            ),
            ("2-3 days, well-made, C#", "2-3 days, well-made, C#"),
            ("$5-$10", "5 dollars-10 dollars"),
            (
                "14:05, 12:00, 9:00 am, 14:00, 00:00 and 23:59",
                "14 oh 5, 12 o'clock, 9 am, 14 hundred, midnight and 23 59",
            ),
            (
                "RX-28913-K, F-16, COVID-19",
                "RX-2 8 9 1 3 K, F-16, COVID-19",
            ),
            (
                "See [the page](https://x.y/z) or https://a-b.example/news/, www.x.y.",
                "See the page or a dash b dot example slash news, www dot x dot y.",
            ),
            ("no [[code]] here, `x` and ~~y~~", "no code here, x and y "),
            ("# Title\n\n👍🏽 yes 🇬🇧", " Title\n\nyes "),
        ] {
            assert_eq!(as_said(written), said, "{written}");
        }
    }
}
