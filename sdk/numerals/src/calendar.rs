//! The names of months and weekdays.

/// January to December, as they are written and said.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Monday to Sunday, in the order of ISO 8601.
pub const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// A month, 1 to 12, by its name or a usual abbreviation: `mar`, `sept`. Case does not matter.
#[must_use]
pub fn month(word: &str) -> Option<i8> {
    numbered(&MONTHS, &["Sept"], word)
}

/// A weekday, 1 for Monday to 7 for Sunday, by its name or a usual abbreviation: `mon`, `thurs`. Case does not matter.
#[must_use]
pub fn weekday(word: &str) -> Option<i8> {
    numbered(&WEEKDAYS, &["Tues", "Thurs"], word)
}

/// The place, from 1 on, of the name that a word is or abbreviates: to three letters, or to one of `longer`.
fn numbered(names: &[&str], longer: &[&str], word: &str) -> Option<i8> {
    let place = names.iter().position(|name| {
        let abbreviates = word.len() == 3
            || longer
                .iter()
                .any(|abbreviation| word.eq_ignore_ascii_case(abbreviation));
        let beginning = name.get(..word.len());
        word.eq_ignore_ascii_case(name)
            || (abbreviates
                && beginning.is_some_and(|beginning| word.eq_ignore_ascii_case(beginning)))
    })?;
    i8::try_from(place + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_abbreviations() {
        for (word, number) in [
            ("january", Some(1)),
            ("Mar", Some(3)),
            ("may", Some(5)),
            ("sept", Some(9)),
            ("SEP", Some(9)),
            ("septem", None),
            ("ma", None),
            ("", None),
            ("mär", None),
        ] {
            assert_eq!(month(word), number, "{word}");
        }
        for (word, number) in [
            ("Monday", Some(1)),
            ("tues", Some(2)),
            ("thurs", Some(4)),
            ("sun", Some(7)),
            ("wedn", None),
            ("march", None),
        ] {
            assert_eq!(weekday(word), number, "{word}");
        }
    }
}
