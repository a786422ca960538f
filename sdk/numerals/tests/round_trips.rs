//! What is written can be read again.

#![allow(clippy::unwrap_used)] // a number that cannot be read is a failed test

use dynacu_numerals::{read, write};

/// Every small number, then ever larger steps up to the greatest.
fn numbers() -> impl Iterator<Item = u64> {
    let powers = (0..20).map(|power| 10_u64.pow(power));
    let near = powers.flat_map(|power| [power - 1, power, power + 1, power.saturating_mul(7)]);
    let spread =
        (1..5_000).map(|step: u64| step.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (step % 64));
    (0..20_000).chain(near).chain(spread).chain([u64::MAX])
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

#[test]
fn cardinals_and_ordinals() {
    for number in numbers() {
        for (text, is_ordinal) in [
            (write::cardinal(number), false),
            (write::ordinal(number), true),
        ] {
            let words = words(&text);
            let read = read::number(words.iter().copied()).unwrap();
            assert_eq!(
                (read.value, read.is_ordinal, read.words),
                (number, is_ordinal, words.len()),
                "{text}"
            );
        }
        let numeral = write::ordinal_numeral(number);
        let (digits, suffix) = numeral.split_at(numeral.len() - 2);
        assert!(digits == number.to_string() && read::is_ordinal_suffix(suffix));
    }
}

#[test]
fn below_a_hundred() {
    for number in 0..100_u8 {
        let text = write::cardinal(number.into());
        let words = words(&text);
        assert_eq!(
            read::below_hundred(words.iter().copied()),
            Some((number, words.len()))
        );
    }
}

#[test]
fn years() {
    for year in 1000..=9999 {
        let text = write::year(year);
        let words = words(&text);
        let read = read::year(words.iter().copied());
        assert_eq!(read, Some((year, words.len())), "{text}");
    }
}

#[test]
fn decimals() {
    for number in 0..3_000 {
        let (whole, fraction) = (number / 100, format!("{:02}", number % 100));
        let text = write::decimal(whole, &fraction);
        let (before, behind) = text.split_once(" point ").unwrap();
        assert_eq!(read::number(words(before)).unwrap().value, whole, "{text}");
        assert_eq!(read::fraction(words(behind)), Some((fraction, 2)), "{text}");
    }
}

#[test]
fn month_and_weekday_names() {
    use dynacu_numerals::calendar::{MONTHS, WEEKDAYS, month, weekday};
    for (number, name) in (1..).zip(MONTHS) {
        assert_eq!(month(name), Some(number));
        assert_eq!(month(&name[..3]), Some(number));
    }
    for (number, name) in (1..).zip(WEEKDAYS) {
        assert_eq!(weekday(name), Some(number));
        assert_eq!(weekday(&name[..3]), Some(number));
    }
}
