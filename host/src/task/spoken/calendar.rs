//! How days, times of day and telephone numbers are said and written.

use dynacu_numerals::calendar::MONTHS;
use dynacu_numerals::write;
use jiff::civil::Date;

/// "March fourteenth", with the year "March fourteenth, twenty twenty seven".
#[must_use]
pub fn date(date: Date, with_year: bool) -> String {
    let day = write::ordinal(date.day().unsigned_abs().into());
    let day = format!("{} {day}", month_name(date));
    if with_year {
        format!("{day}, {}", write::year(date.year().unsigned_abs()))
    } else {
        day
    }
}

/// "March 14", with the year "March 14, 2027".
#[must_use]
pub fn date_written(date: Date, with_year: bool) -> String {
    let day = format!("{} {}", month_name(date), date.day());
    if with_year {
        format!("{day}, {}", date.year())
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
    let hour = write::cardinal(u64::from((hour + 11) % 12 + 1));
    match minute {
        0 => format!("{hour} o'clock {part}"),
        1..=9 => format!("{hour} oh {} {part}", write::cardinal(minute.into())),
        _ => format!("{hour} {} {part}", write::cardinal(minute.into())),
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
        .map(write::digits)
        .collect();
    groups.join(", ")
}

fn month_name(date: Date) -> &'static str {
    usize::try_from(date.month())
        .ok()
        .and_then(|month| MONTHS.get(month.checked_sub(1)?).copied())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_times_and_numbers_are_said_as_people_say_them() {
        let day = jiff::civil::date(2027, 3, 21);
        assert_eq!(date(day, false), "March twenty first");
        assert_eq!(date(day, true), "March twenty first, twenty twenty seven");
        assert_eq!(date_written(day, true), "March 21, 2027");
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
