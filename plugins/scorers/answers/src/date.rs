//! Days of a year. Numeric dates are read as in the United States, month first, unless the first number can be no
//! month; with full stops (`3.4.2027`) the day comes first. A year that the expected date has must be in the answer;
//! one that it has not may be.

use dynacu_numerals::{calendar, read};
use jiff::civil;

use crate::pieces::Pieces;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    /// In a leap year where the text names no year, so that it may be the 29th of February.
    day: civil::Date,
    has_year: bool,
}

impl Date {
    fn new(year: Option<i16>, month: i8, day: i8) -> Option<Self> {
        const LEAP_YEAR: i16 = 2000;
        Some(Self {
            day: civil::Date::new(year.unwrap_or(LEAP_YEAR), month, day).ok()?,
            has_year: year.is_some(),
        })
    }

    fn satisfies(self, expected: Self) -> bool {
        let year = !expected.has_year || (self.has_year && self.day.year() == expected.day.year());
        let month_and_day = |date: Self| (date.day.month(), date.day.day());
        year && month_and_day(self) == month_and_day(expected)
    }

    /// Monday is 1; none without a year.
    fn weekday(self) -> Option<i8> {
        self.has_year
            .then(|| self.day.weekday().to_monday_one_offset())
    }
}

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = only_date(expected)?;
    Some(only_date(typed).is_some_and(|date| date.satisfies(expected)))
}

pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = only_date(expected)?;
    let pieces = Pieces::of(text);
    let mut said = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        match date_at(&pieces, at) {
            Some((date, end)) => {
                said.push(date.satisfies(expected) && !another_day_follows(&pieces, end));
                at = end;
            }
            None => at += 1,
        }
    }
    Some(said)
}

/// Whether another day of the month follows: `March 3rd or 4th`, `March 3rd to the fifth`.
fn another_day_follows(pieces: &Pieces, end: usize) -> bool {
    let next = pieces.past(
        end,
        &["or", "and", "to", "through", "till", "until"],
        &['-', '/'],
    );
    let day = day_at(pieces, pieces.past(next, &["the"], &[]));
    next > end && day.is_some_and(|(day, _)| (1..=31).contains(&day))
}

fn only_date(text: &str) -> Option<Date> {
    let pieces = Pieces::of(text);
    let (date, end) = date_at(&pieces, pieces.past(0, &["on"], &[]))?;
    pieces.ends(end).then_some(date)
}

/// The date that starts at `start`, and the place behind it.
fn date_at(pieces: &Pieces, start: usize) -> Option<(Date, usize)> {
    let weekday = pieces.word(start).and_then(calendar::weekday);
    let mut at = start;
    if weekday.is_some() {
        at = pieces.past(at + 1, &[], &['.']);
        at = pieces.past(at, &[], &[',']);
    }
    let (date, end) = numeric(pieces, at)
        .or_else(|| month_first(pieces, at))
        .or_else(|| day_first(pieces, at))?;
    let agrees = match (weekday, date.weekday()) {
        (Some(said), Some(true_day)) => said == true_day,
        _ => true,
    };
    agrees.then_some((date, end))
}

/// `2027-03-03`, `3/3/2027`, `3/3`, `3.3.27`.
fn numeric(pieces: &Pieces, at: usize) -> Option<(Date, usize)> {
    let first = pieces.digits(at)?;
    let joint = ['-', '/', '.']
        .into_iter()
        .find(|sign| pieces.is_sign(at + 1, *sign))?;
    let two = |at: usize| {
        pieces
            .digits(at)
            .filter(|digits| digits.len() <= 2)?
            .parse::<i8>()
            .ok()
    };
    let second = two(at + 2)?;
    if first.len() == 4 {
        let day = pieces.is_sign(at + 3, joint).then(|| two(at + 4))??;
        return Some((Date::new(first.parse().ok(), second, day)?, at + 5));
    }
    let first = two(at)?;
    let year = pieces
        .is_sign(at + 3, joint)
        .then(|| pieces.digits(at + 4))
        .flatten();
    // `3-4` is a range and `3.4` a number.
    if year.is_none() && joint != '/' {
        return None;
    }
    let (month, day) = if joint == '.' || first > 12 {
        (second, first)
    } else {
        (first, second)
    };
    match year {
        Some(digits) => Some((Date::new(Some(year_of(digits)?), month, day)?, at + 5)),
        None => Some((Date::new(None, month, day)?, at + 3)),
    }
}

fn year_of(digits: &str) -> Option<i16> {
    let number: i16 = digits.parse().ok()?;
    match digits.len() {
        4 => Some(number),
        2 => Some(2000 + number),
        _ => None,
    }
}

/// `March 3`, `Mar. 3rd, 2027`, `March the third, twenty twenty-seven`.
fn month_first(pieces: &Pieces, at: usize) -> Option<(Date, usize)> {
    let month = calendar::month(pieces.word(at)?)?;
    let at = pieces.past(at + 1, &[], &['.', '-']);
    let (day, end) = day_at(pieces, pieces.past(at, &["the"], &[]))?;
    with_year(pieces, month, day, end, &['\''])
}

/// `3 March 2027`, `the third of March`, `3-Mar-27`.
fn day_first(pieces: &Pieces, at: usize) -> Option<(Date, usize)> {
    let (day, end) = day_at(pieces, pieces.past(at, &["the"], &[]))?;
    let at = pieces.past(end, &["of"], &['-', '.']);
    let month = calendar::month(pieces.word(at)?)?;
    let short: &[char] = if pieces.is_sign(end, '-') {
        &['-']
    } else {
        &['\'']
    };
    with_year(pieces, month, day, pieces.past(at + 1, &[], &['.']), short)
}

/// A year belongs to the date behind a comma or nothing; one of two digits only behind one of the signs `before_short`.
fn with_year(
    pieces: &Pieces,
    month: i8,
    day: i8,
    end: usize,
    before_short: &[char],
) -> Option<(Date, usize)> {
    let at = pieces.past(end, &["of", "in"], &[',']);
    let short = pieces.past(end, &[], before_short);
    let year = match pieces.digits(short).filter(|_| short > end) {
        Some(digits) => year_of(digits).map(|year| (year, short + 1)),
        None => match pieces.digits(at) {
            Some(digits) if digits.len() == 4 => year_of(digits).map(|year| (year, at + 1)),
            _ => spelled_year(pieces, at),
        },
    };
    Some(match year {
        Some((year, end)) => (Date::new(Some(year), month, day)?, end),
        None => (Date::new(None, month, day)?, end),
    })
}

/// `twenty twenty-seven`, `two thousand and twenty-seven`, `nineteen oh five`. Of other centuries it would be a time: `twelve
/// thirty`.
fn spelled_year(pieces: &Pieces, at: usize) -> Option<(i16, usize)> {
    let (year, used) = read::year(pieces.words_from(at))?;
    let year = i16::try_from(year).ok()?;
    (1900..2100).contains(&year).then_some((year, at + used))
}

/// `3`, `3rd`, `third`, `twenty-first`, `three`.
fn day_at(pieces: &Pieces, at: usize) -> Option<(i8, usize)> {
    if let Some(digits) = pieces.digits(at) {
        let day = digits.parse().ok().filter(|_| digits.len() <= 2)?;
        let is_ordinal = pieces.word(at + 1).is_some_and(read::is_ordinal_suffix);
        return Some((day, at + 1 + usize::from(is_ordinal)));
    }
    let (day, used) = match read::number(pieces.words_from(at)) {
        Some(ordinal) if ordinal.is_ordinal => (i8::try_from(ordinal.value).ok()?, ordinal.words),
        _ => {
            let (day, used) = read::below_hundred(pieces.words_from(at))?;
            (i8::try_from(day).ok()?, used)
        }
    };
    Some((day, at + used))
}
