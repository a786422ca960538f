//! Numbers as words.

use crate::{BELOW_TWENTY, ORDINAL_SUFFIXES, ORDINALS_BELOW_TWENTY, SCALES, TENS};

/// A whole number: 1234 is "one thousand two hundred thirty four".
#[must_use]
pub fn cardinal(number: u64) -> String {
    for (scale, name) in SCALES {
        if number >= scale {
            return followed_by(
                format!("{} {name}", cardinal(number / scale)),
                number % scale,
            );
        }
    }
    let place = |number: u64| usize::try_from(number).unwrap_or(0);
    match number {
        0..20 => BELOW_TWENTY[place(number)].to_owned(),
        20..100 => followed_by(TENS[place(number / 10 - 2)].to_owned(), number % 10),
        _ => followed_by(
            format!("{} hundred", BELOW_TWENTY[place(number / 100)]),
            number % 100,
        ),
    }
}

fn followed_by(words: String, remainder: u64) -> String {
    if remainder == 0 {
        words
    } else {
        format!("{words} {}", cardinal(remainder))
    }
}

/// A decimal number by its whole part and the digits behind the point: `(3, "14")` is "three point one four".
#[must_use]
pub fn decimal(whole: u64, fraction: &str) -> String {
    match digits(fraction).as_str() {
        "" => cardinal(whole),
        fraction => format!("{} point {fraction}", cardinal(whole)),
    }
}

/// Every digit by its name, everything else left out: "6-4" is "six four".
#[must_use]
pub fn digits(text: &str) -> String {
    let names: Vec<&str> = text
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .map(|digit| BELOW_TWENTY[digit as usize])
        .collect();
    names.join(" ")
}

/// A place in an order: 21 is "twenty first".
#[must_use]
pub fn ordinal(number: u64) -> String {
    let words = cardinal(number);
    // Only the last word changes.
    let (before, last) = words
        .rsplit_once(' ')
        .map_or(("", words.as_str()), |(_, last)| {
            words.split_at(words.len() - last.len())
        });
    if let Some(place) = BELOW_TWENTY.iter().position(|word| *word == last) {
        return format!("{before}{}", ORDINALS_BELOW_TWENTY[place]);
    }
    match last.strip_suffix('y') {
        Some(stem) => format!("{before}{stem}ieth"),
        None => format!("{words}th"),
    }
}

/// The same in digits: `21st`, `112th`.
#[must_use]
pub fn ordinal_numeral(number: u64) -> String {
    let suffix = match (number % 100, number % 10) {
        (11..=13, _) => ORDINAL_SUFFIXES[0],
        (_, 1) => ORDINAL_SUFFIXES[1],
        (_, 2) => ORDINAL_SUFFIXES[2],
        (_, 3) => ORDINAL_SUFFIXES[3],
        _ => ORDINAL_SUFFIXES[0],
    };
    format!("{number}{suffix}")
}

/// A year as it is said: "twenty twenty seven", "nineteen oh five", "nineteen hundred", "two thousand five".
#[must_use]
pub fn year(year: u16) -> String {
    let (century, remainder) = (u64::from(year / 100), u64::from(year % 100));
    // The first ten years of a millennium have no century of their own.
    if year < 100 || (century.is_multiple_of(10) && remainder < 10) {
        return cardinal(year.into());
    }
    match remainder {
        0 => format!("{} hundred", cardinal(century)),
        1..10 => format!("{} oh {}", cardinal(century), cardinal(remainder)),
        _ => format!("{} {}", cardinal(century), cardinal(remainder)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        for (number, words) in [
            (0, "zero"),
            (13, "thirteen"),
            (64, "sixty four"),
            (100, "one hundred"),
            (719, "seven hundred nineteen"),
            (1234, "one thousand two hundred thirty four"),
            (1_400_000, "one million four hundred thousand"),
            (20_000_005, "twenty million five"),
            (3_000_000_000_012, "three trillion twelve"),
        ] {
            assert_eq!(cardinal(number), words);
        }
        assert!(cardinal(u64::MAX).starts_with("eighteen quintillion four hundred"));
    }

    #[test]
    fn decimals_and_digits() {
        assert_eq!(decimal(3, "75"), "three point seven five");
        assert_eq!(decimal(0, "05"), "zero point zero five");
        assert_eq!(decimal(12, ""), "twelve");
        assert_eq!(digits("4-72"), "four seven two");
    }

    #[test]
    fn ordinals() {
        for (number, words, numeral) in [
            (1, "first", "1st"),
            (2, "second", "2nd"),
            (13, "thirteenth", "13th"),
            (20, "twentieth", "20th"),
            (21, "twenty first", "21st"),
            (103, "one hundred third", "103rd"),
            (112, "one hundred twelfth", "112th"),
            (200, "two hundredth", "200th"),
            (5_000_000, "five millionth", "5000000th"),
        ] {
            assert_eq!(ordinal(number), words);
            assert_eq!(ordinal_numeral(number), numeral);
        }
    }

    #[test]
    fn years() {
        for (number, words) in [
            (2027, "twenty twenty seven"),
            (2010, "twenty ten"),
            (2005, "two thousand five"),
            (2000, "two thousand"),
            (1984, "nineteen eighty four"),
            (1905, "nineteen oh five"),
            (1900, "nineteen hundred"),
            (1000, "one thousand"),
            (79, "seventy nine"),
        ] {
            assert_eq!(year(number), words);
        }
    }
}
