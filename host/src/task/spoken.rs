//! How values are said and written: speech is rendered from words, never from digits, so that no engine has to guess.

pub mod calendar;

/// A decimal number without rounding: `units / 10^decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    pub units: i64,
    pub decimals: u32,
}

impl Decimal {
    /// Takes the shortest decimal writing of a float, so that 0.1 is one tenth. `None` beyond six decimals or 10^12.
    #[must_use]
    pub fn of(number: f64) -> Option<Self> {
        if !number.is_finite() || number.abs() >= 1e12 {
            return None;
        }
        let text = format!("{number}");
        let decimals = text
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len());
        if decimals > 6 {
            return None;
        }
        let units = text.replace('.', "").parse().ok()?;
        Some(Self {
            units,
            decimals: u32::try_from(decimals).ok()?,
        })
    }

    /// The same number with at least that many decimals.
    #[must_use]
    pub fn scaled(self, decimals: u32) -> Self {
        let more = decimals.saturating_sub(self.decimals);
        Self {
            units: self.units * 10_i64.pow(more),
            decimals: self.decimals + more,
        }
    }

    /// Whole part and fraction of the absolute value.
    fn parts(self) -> (u64, u64) {
        let base = 10_u64.pow(self.decimals);
        (
            self.units.unsigned_abs() / base,
            self.units.unsigned_abs() % base,
        )
    }

    fn sign(self, minus: &'static str) -> &'static str {
        if self.units < 0 { minus } else { "" }
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, fraction) = self.parts();
        write!(formatter, "{}{whole}", self.sign("-"))?;
        if self.decimals > 0 {
            write!(
                formatter,
                ".{fraction:0width$}",
                width = self.decimals as usize
            )?;
        }
        Ok(())
    }
}

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] = [
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];
const SCALES: [(u64, &str); 4] = [
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1000, "thousand"),
];

/// A whole number in American words: 1234 is "one thousand two hundred thirty four".
#[must_use]
pub fn whole(number: u64) -> String {
    for (scale, name) in SCALES {
        if number >= scale {
            return followed(format!("{} {name}", whole(number / scale)), number % scale);
        }
    }
    let index = |number: u64| usize::try_from(number).unwrap_or(0);
    match number {
        0..=19 => ONES[index(number)].to_owned(),
        20..=99 => followed(TENS[index(number / 10)].to_owned(), number % 10),
        _ => followed(
            format!("{} hundred", ONES[index(number / 100)]),
            number % 100,
        ),
    }
}

fn followed(words: String, rest: u64) -> String {
    if rest == 0 {
        words
    } else {
        format!("{words} {}", whole(rest))
    }
}

/// "sixty four", "minus three point one four".
#[must_use]
pub fn plain(number: Decimal) -> String {
    let (part, fraction) = number.parts();
    let mut words = format!("{}{}", number.sign("minus "), whole(part));
    if number.decimals > 0 {
        words.push_str(" point ");
        words.push_str(&digits(&format!(
            "{fraction:0width$}",
            width = number.decimals as usize
        )));
    }
    words
}

/// "sixty four dollars", "four dollars and fifty cents". At most two decimals have a spoken form.
#[must_use]
pub fn dollars(number: Decimal) -> String {
    let (part, fraction) = number.scaled(2).parts();
    let counted = |count: u64, one: &str| {
        format!(
            "{} {one}{}",
            whole(count),
            if count == 1 { "" } else { "s" }
        )
    };
    let amount = match (part, fraction) {
        (whole_dollars, 0) => counted(whole_dollars, "dollar"),
        (0, cents) => counted(cents, "cent"),
        (whole_dollars, cents) => format!(
            "{} and {}",
            counted(whole_dollars, "dollar"),
            counted(cents, "cent")
        ),
    };
    format!("{}{amount}", number.sign("minus "))
}

/// Every digit by its name, everything else left out: "64" is "six four".
#[must_use]
pub fn digits(text: &str) -> String {
    let names: Vec<&str> = text
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .map(|digit| ONES[digit as usize])
        .collect();
    names.join(" ")
}

/// A code the way a person reads it out: letters by name, digits in groups of two or three with a pause between.
/// "E-4729" is "E, dash, four seven, two nine".
#[must_use]
pub fn groups(code: &str) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let same_kind = |character: char| kind(character) == kind(first);
        let end = rest
            .find(|character: char| !same_kind(character))
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        match kind(first) {
            Kind::Digit => said.extend(grouped(run).iter().map(|group| digits(group))),
            Kind::Letter => said.extend(grouped(run).iter().map(|group| spelled(group))),
            Kind::Other => said.extend(run.chars().filter_map(mark).map(str::to_owned)),
        }
        rest = after;
    }
    said.join(", ")
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Digit,
    Letter,
    Other,
}

fn kind(character: char) -> Kind {
    match character {
        '0'..='9' => Kind::Digit,
        letter if letter.is_alphabetic() => Kind::Letter,
        _ => Kind::Other,
    }
}

fn mark(character: char) -> Option<&'static str> {
    match character {
        '-' => Some("dash"),
        '/' => Some("slash"),
        '.' => Some("dot"),
        '_' => Some("underscore"),
        '#' => Some("hash"),
        '+' => Some("plus"),
        _ => None,
    }
}

fn spelled(letters: &str) -> String {
    let names: Vec<String> = letters
        .chars()
        .map(|letter| letter.to_uppercase().to_string())
        .collect();
    names.join(" ")
}

/// Groups of three, then of two, so that none is left with one: 4 is 2+2, 5 is 3+2, 7 is 3+2+2.
fn grouped(run: &str) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    let mut groups = Vec::new();
    let mut rest = characters.as_slice();
    while !rest.is_empty() {
        let take = match rest.len() {
            1 | 2 | 4 => rest.len().min(2),
            _ => 3,
        };
        groups.push(rest[..take].iter().collect());
        rest = &rest[take..];
    }
    groups
}

/// Whether a listener could take the number for another one: "fifteen" for "fifty", "thirty thousand" for "thirteen".
#[must_use]
pub fn confusable(number: Decimal) -> bool {
    let (mut part, fraction) = number.parts();
    let alike = |hundred: u64| {
        (13..=19).contains(&hundred) || (30..=90).contains(&hundred) && hundred.is_multiple_of(10)
    };
    if number.decimals == 2 && alike(fraction) {
        return true;
    }
    while part > 0 {
        if alike(part % 1000 % 100) {
            return true;
        }
        part /= 1000;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(number: f64) -> Decimal {
        Decimal::of(number).unwrap()
    }

    #[test]
    fn numbers_are_said_as_a_person_says_them() {
        for (number, words) in [
            (0, "zero"),
            (13, "thirteen"),
            (64, "sixty four"),
            (100, "one hundred"),
            (719, "seven hundred nineteen"),
            (1234, "one thousand two hundred thirty four"),
            (1_400_000, "one million four hundred thousand"),
            (20_000_005, "twenty million five"),
        ] {
            assert_eq!(whole(number), words);
        }
        assert_eq!(plain(decimal(-3.75)), "minus three point seven five");
        assert_eq!(plain(decimal(0.05)), "zero point zero five");
    }

    #[test]
    fn money_has_dollars_and_cents() {
        for (amount, words) in [
            (64.0, "sixty four dollars"),
            (1.0, "one dollar"),
            (4.5, "four dollars and fifty cents"),
            (0.01, "one cent"),
            (2.0, "two dollars"),
            (1_400_000.0, "one million four hundred thousand dollars"),
        ] {
            assert_eq!(dollars(decimal(amount)), words);
        }
    }

    #[test]
    fn codes_are_said_in_groups() {
        for (code, words) in [
            ("E-4729", "E, dash, four seven, two nine"),
            ("KX7", "K X, seven"),
            ("2345678", "two three four, five six, seven eight"),
            ("23456", "two three four, five six"),
        ] {
            assert_eq!(groups(code), words);
        }
        assert_eq!(digits("4-72"), "four seven two");
    }

    #[test]
    fn decimals_keep_their_writing() {
        assert_eq!(decimal(0.1).scaled(2).to_string(), "0.10");
        assert_eq!(decimal(-4.25).to_string(), "-4.25");
        assert_eq!(decimal(64.0).to_string(), "64");
        assert_eq!(Decimal::of(f64::NAN), None);
    }

    #[test]
    fn teens_and_tens_are_confusable() {
        for number in [15.0, 50.0, 113.0, 30_000.0, 15_200.0, 240.0] {
            assert!(confusable(decimal(number)), "{number}");
        }
        for number in [12.0, 21.0, 64.0, 20.0, 100.0, 1300.0, 64_000.0] {
            assert!(!confusable(decimal(number)), "{number}");
        }
    }
}
