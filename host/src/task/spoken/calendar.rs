//! How days, times of day and telephone numbers are said and written.

use super::{digits, whole};
use crate::task::manifest::field::calendar::Date;

/// "March fourteenth", with the year "March fourteenth, twenty twenty seven".
#[must_use]
pub fn date(date: Date, with_year: bool) -> String {
    let day = format!("{} {}", date.month_name(), ordinal(date.day));
    if with_year {
        format!("{day}, {}", year(date.year))
    } else {
        day
    }
}

/// "March 14", with the year "March 14, 2027".
#[must_use]
pub fn date_written(date: Date, with_year: bool) -> String {
    let day = format!("{} {}", date.month_name(), date.day);
    if with_year {
        format!("{day}, {}", date.year)
    } else {
        day
    }
}

/// "two twenty five in the afternoon", "nine o'clock in the morning", "five past" as "eight oh five".
#[must_use]
pub fn time(minutes: u16) -> String {
    let (hour, minute) = (minutes / 60, minutes % 60);
    let part = match hour {
        0..=11 => "in the morning",
        12..=17 => "in the afternoon",
        _ => "in the evening",
    };
    let hour = whole(u64::from((hour + 11) % 12 + 1));
    match minute {
        0 => format!("{hour} o'clock {part}"),
        1..=9 => format!("{hour} oh {} {part}", whole(minute.into())),
        _ => format!("{hour} {} {part}", whole(minute.into())),
    }
}

/// "2:25 pm".
#[must_use]
pub fn time_written(minutes: u16) -> String {
    let half = if minutes < 12 * 60 { "am" } else { "pm" };
    format!(
        "{}:{:02} {half}",
        (minutes / 60 + 11) % 12 + 1,
        minutes % 60
    )
}

/// The groups of a number as it is written, digit by digit, with a pause between them.
#[must_use]
pub fn phone(number: &str) -> String {
    let groups: Vec<String> = number
        .split(|character: char| !character.is_ascii_digit())
        .filter(|group| !group.is_empty())
        .map(digits)
        .collect();
    groups.join(", ")
}

/// Numbers that put in order, 0 to 19.
pub(crate) const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

fn ordinal(day: u8) -> String {
    let rest = ORDINALS[usize::from(day % 10)];
    match day {
        0..=19 => ORDINALS[usize::from(day)].to_owned(),
        20 => "twentieth".to_owned(),
        30 => "thirtieth".to_owned(),
        21..=29 => format!("twenty {rest}"),
        _ => format!("thirty {rest}"),
    }
}

/// "twenty twenty seven", "two thousand five".
fn year(year: u16) -> String {
    let (century, rest) = (u64::from(year / 100), u64::from(year % 100));
    if (year / 10).is_multiple_of(100) && year >= 1000 {
        whole(year.into())
    } else if rest == 0 {
        format!("{} hundred", whole(century))
    } else {
        format!("{} {}", whole(century), whole(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_times_and_numbers_are_said_as_people_say_them() {
        let day = Date::parse("2027-03-21").unwrap();
        assert_eq!(date(day, false), "March twenty first");
        assert_eq!(date(day, true), "March twenty first, twenty twenty seven");
        assert_eq!(date_written(day, true), "March 21, 2027");
        assert_eq!(year(2005), "two thousand five");
        assert_eq!(time(14 * 60 + 25), "two twenty five in the afternoon");
        assert_eq!(time(9 * 60), "nine o'clock in the morning");
        assert_eq!(time(5), "twelve oh five in the morning");
        assert_eq!(time_written(20 * 60 + 5), "8:05 pm");
        assert_eq!(
            phone("415 555 0142"),
            "four one five, five five five, zero one four two"
        );
    }
}
