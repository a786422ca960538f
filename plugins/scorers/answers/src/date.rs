//! Days of a year. Numeric dates are read as in the United States, month first, unless the first number can be no
//! month; with full stops (`3.4.2027`) the day comes first. A year that the expected date has must be in the answer;
//! one that it has not may be.

use crate::pieces::Pieces;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: Option<u32>,
    month: u32,
    day: u32,
}

impl Date {
    fn new(year: Option<u32>, month: u32, day: u32) -> Option<Self> {
        let leap = year.is_none_or(|y| {
            y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400))
        });
        let last = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=last)
            .contains(&day)
            .then_some(Self { year, month, day })
    }

    fn answers(self, expected: Self) -> bool {
        let year = expected.year.is_none() || self.year == expected.year;
        year && (self.month, self.day) == (expected.month, expected.day)
    }

    /// Sunday is 0. Sakamoto's method; none without a year.
    fn weekday(self) -> Option<u32> {
        const SHIFT: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let year = self.year?.checked_sub(u32::from(self.month < 3))?;
        let shift = SHIFT.get(usize::try_from(self.month).ok()? - 1)?;
        Some((year + year / 4 - year / 100 + year / 400 + shift + self.day) % 7)
    }
}

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = whole(expected)?;
    Some(whole(typed).is_some_and(|date| date.answers(expected)))
}

pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = whole(expected)?;
    let pieces = Pieces::of(text);
    let mut said = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        match date_at(&pieces, at) {
            Some((date, end)) => {
                said.push(date.answers(expected) && !goes_on(&pieces, end));
                at = end;
            }
            None => at += 1,
        }
    }
    Some(said)
}

/// Whether another day of the month follows: `March 3rd or 4th`, `March 3rd to the fifth`.
fn goes_on(pieces: &Pieces, end: usize) -> bool {
    let next = pieces.past(
        end,
        &["or", "and", "to", "through", "till", "until"],
        &['-', '/'],
    );
    let day = day_at(pieces, pieces.past(next, &["the"], &[]));
    next > end && day.is_some_and(|(day, _)| (1..=31).contains(&day))
}

fn whole(text: &str) -> Option<Date> {
    let pieces = Pieces::of(text);
    let (date, end) = date_at(&pieces, pieces.past(0, &["on"], &[]))?;
    pieces.ends(end).then_some(date)
}

/// The date that starts at `start`, and the place behind it.
fn date_at(pieces: &Pieces, start: usize) -> Option<(Date, usize)> {
    let weekday = pieces.word(start).and_then(weekday);
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
            .parse::<u32>()
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

fn year_of(digits: &str) -> Option<u32> {
    let number: u32 = digits.parse().ok()?;
    match digits.len() {
        4 => Some(number),
        2 => Some(2000 + number),
        _ => None,
    }
}

/// `March 3`, `Mar. 3rd, 2027`, `March the third, twenty twenty-seven`.
fn month_first(pieces: &Pieces, at: usize) -> Option<(Date, usize)> {
    let month = month(pieces.word(at)?)?;
    let at = pieces.past(at + 1, &[], &['.', '-']);
    let (day, end) = day_at(pieces, pieces.past(at, &["the"], &[]))?;
    with_year(pieces, month, day, end, &['\''])
}

/// `3 March 2027`, `the third of March`, `3-Mar-27`.
fn day_first(pieces: &Pieces, at: usize) -> Option<(Date, usize)> {
    let (day, end) = day_at(pieces, pieces.past(at, &["the"], &[]))?;
    let at = pieces.past(end, &["of"], &['-', '.']);
    let month = month(pieces.word(at)?)?;
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
    month: u32,
    day: u32,
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

/// `twenty twenty-seven`, `two thousand and twenty-seven`, `nineteen oh five`.
fn spelled_year(pieces: &Pieces, at: usize) -> Option<(u32, usize)> {
    if pieces.is_word(at, "two") && pieces.is_word(at + 1, "thousand") {
        let (rest, end) = pieces.spelled(pieces.past(at + 2, &["and"], &[]))?;
        return Some((2000 + rest, end));
    }
    let century = match pieces.word(at)? {
        "nineteen" => 1900,
        "twenty" => 2000,
        _ => return None,
    };
    let oh = pieces.past(at + 1, &["oh"], &[]);
    let (rest, end) = pieces.spelled(oh)?;
    (rest >= 10 || oh > at + 1).then_some((century + rest, end))
}

/// `3`, `3rd`, `third`, `twenty-first`, `three`.
fn day_at(pieces: &Pieces, at: usize) -> Option<(u32, usize)> {
    if let Some(digits) = pieces.digits(at) {
        let day = digits.parse().ok().filter(|_| digits.len() <= 2)?;
        return Some((day, pieces.past(at + 1, &["st", "nd", "rd", "th"], &[])));
    }
    let word = pieces.word(at)?;
    if let Some(day) = ordinal(word) {
        return Some((day, at + 1));
    }
    let base = match word {
        "twenty" => 20,
        "thirty" => 30,
        _ => return pieces.spelled(at),
    };
    match pieces.word(at + 1).and_then(ordinal) {
        Some(unit @ 1..=9) => Some((base + unit, at + 2)),
        _ => pieces.spelled(at),
    }
}

fn ordinal(word: &str) -> Option<u32> {
    const ORDINALS: [&str; 20] = [
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
        "twentieth",
    ];
    if word == "thirtieth" {
        return Some(30);
    }
    let place = ORDINALS.iter().position(|known| *known == word)?;
    u32::try_from(place + 1).ok()
}

/// A month by its name or its first letters: `mar`, `sept`.
fn month(word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let place = MONTHS.iter().position(|known| {
        *known == word || (word == &known[..3]) || (word == "sept" && *known == "september")
    })?;
    u32::try_from(place + 1).ok()
}

/// A day of the week by its name or its first letters; Sunday is 0.
fn weekday(word: &str) -> Option<u32> {
    const DAYS: [&str; 7] = [
        "sunday",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
    ];
    let place = DAYS.iter().position(|known| {
        *known == word
            || word == &known[..3]
            || matches!((word, *known), ("tues", "tuesday") | ("thurs", "thursday"))
    })?;
    u32::try_from(place).ok()
}
