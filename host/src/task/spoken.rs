//! How values are said and written: speech is rendered from words, never from digits, so that no engine has to guess.

pub mod calendar;

use dynacu_numerals::write;

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

/// "sixty four", "minus three point one four".
#[must_use]
pub fn plain(number: Decimal) -> String {
    let text = number.to_string();
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let (whole, _) = number.parts();
    format!(
        "{}{}",
        number.sign("minus "),
        write::decimal(whole, fraction)
    )
}

/// "sixty four dollars", "four dollars and fifty cents". At most two decimals have a spoken form.
#[must_use]
pub fn dollars(number: Decimal) -> String {
    let (dollars, cents) = number.scaled(2).parts();
    let counted = |count: u64, one: &str| {
        format!(
            "{} {one}{}",
            write::cardinal(count),
            if count == 1 { "" } else { "s" }
        )
    };
    let amount = match (dollars, cents) {
        (_, 0) => counted(dollars, "dollar"),
        (0, _) => counted(cents, "cent"),
        _ => format!(
            "{} and {}",
            counted(dollars, "dollar"),
            counted(cents, "cent")
        ),
    };
    format!("{}{amount}", number.sign("minus "))
}

/// A code the way a person reads it out: letters by name, digits in groups of two or three with a pause between.
/// "E-4729" is "E, dash, four seven, two nine".
#[must_use]
pub fn groups(code: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let kind = Kind::of(first);
        let end = rest
            .find(|character: char| Kind::of(character) != kind)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        match kind {
            Kind::Digit => parts.extend(chunks(run).iter().map(|chunk| write::digits(chunk))),
            Kind::Letter => parts.extend(chunks(run).iter().map(|chunk| spelled_out(chunk))),
            Kind::Other => parts.extend(run.chars().filter_map(symbol_name).map(str::to_owned)),
        }
        rest = after;
    }
    parts.join(", ")
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Digit,
    Letter,
    Other,
}

impl Kind {
    fn of(character: char) -> Self {
        match character {
            '0'..='9' => Self::Digit,
            letter if letter.is_alphabetic() => Self::Letter,
            _ => Self::Other,
        }
    }
}

fn symbol_name(character: char) -> Option<&'static str> {
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

fn spelled_out(letters: &str) -> String {
    let names: Vec<String> = letters
        .chars()
        .map(|letter| letter.to_uppercase().to_string())
        .collect();
    names.join(" ")
}

/// Groups of three, then of two, so that none is left with one: 4 is 2+2, 5 is 3+2, 7 is 3+2+2.
fn chunks(run: &str) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    let mut chunks = Vec::new();
    let mut rest = characters.as_slice();
    while !rest.is_empty() {
        let take = match rest.len() {
            1 | 2 | 4 => rest.len().min(2),
            _ => 3,
        };
        chunks.push(rest[..take].iter().collect());
        rest = &rest[take..];
    }
    chunks
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
        assert_eq!(plain(decimal(719.0)), "seven hundred nineteen");
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
