//! Times of day. An answer without am or pm on the 12-hour clock may mean either half of the day, as people leave it
//! out where it is plain; the expected time never does: without am or pm it is on the 24-hour clock.

use crate::pieces::Pieces;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Time {
    hour: u32,
    minute: u32,
    second: u32,
    /// The hour is 1 to 12 and nothing says which half of the day is meant.
    open: bool,
}

impl Time {
    fn answers(self, expected: Self) -> bool {
        let hour =
            self.hour == expected.hour || (self.open && self.hour % 12 == expected.hour % 12);
        hour && self.minute == expected.minute && self.second == expected.second
    }
}

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = whole(expected)?;
    Some(whole(typed).is_some_and(|time| time.answers(expected)))
}

pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = whole(expected)?;
    let pieces = Pieces::of(text);
    let mut said = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        match time_at(&pieces, at) {
            Some((time, end)) => {
                said.push(time.answers(expected) && !pieces.alternative(end));
                at = end;
            }
            None => at += 1,
        }
    }
    Some(said)
}

fn whole(text: &str) -> Option<Time> {
    let pieces = Pieces::of(text);
    let (time, end) = time_at(&pieces, 0)?;
    pieces.ends(end).then_some(time)
}

/// What a clock shows, before it is known which half of the day is meant.
struct Face {
    hour: u32,
    minute: u32,
    second: u32,
    end: usize,
    /// Written as people write the 24-hour clock only: `09:30`, `15:30`.
    full_day: bool,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Hour and minutes are told apart.
    Whole,
    /// A lone hour: a time with `at`, `o'clock` or a half of the day beside it.
    HourOnly,
    /// `0930`: a time with `hours` or a half of the day behind it.
    RunTogether,
}

impl Face {
    fn new(hour: u32, minute: u32, end: usize) -> Self {
        Self {
            hour,
            minute,
            second: 0,
            end,
            full_day: hour == 0 || hour > 12,
            shape: Shape::Whole,
        }
    }

    fn shaped(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }
}

/// The time that starts at `start`, and the place behind it.
fn time_at(pieces: &Pieces, start: usize) -> Option<(Time, usize)> {
    let first = pieces.past(start, &["at"], &[]);
    if let Some((hour, end)) = named(pieces, first) {
        return Some((fixed(hour, 0, 0), end));
    }
    let mut face = relative(pieces, first)
        .or_else(|| digital(pieces, first))
        .or_else(|| spelled(pieces, first))?;
    let mut complete = match face.shape {
        Shape::Whole => true,
        Shape::HourOnly => first > start,
        Shape::RunTogether => false,
    };
    let marked = match face.shape {
        Shape::RunTogether => pieces.past(face.end, &["hours", "hrs", "h"], &[]),
        _ => pieces.past(face.end, &["oclock"], &[]),
    };
    if marked > face.end {
        complete = true;
        face.full_day |= face.shape == Shape::RunTogether;
        face.end = marked;
    }
    let (half, end) = half_of_day(pieces, face.end, face.hour);
    if !(complete || half.is_some()) || face.hour > 23 || face.minute > 59 || face.second > 59 {
        return None;
    }
    let time = match half {
        // `15:30 pm` and `0:30 am` are no times.
        Some(_) if !(1..=12).contains(&face.hour) => return None,
        Some(Half::Am) => fixed(face.hour % 12, face.minute, face.second),
        Some(Half::Pm) => fixed(face.hour % 12 + 12, face.minute, face.second),
        None => Time {
            hour: face.hour,
            minute: face.minute,
            second: face.second,
            open: !face.full_day,
        },
    };
    Some((time, pieces.past(end, &["sharp"], &[])))
}

fn fixed(hour: u32, minute: u32, second: u32) -> Time {
    Time {
        hour,
        minute,
        second,
        open: false,
    }
}

/// `noon`, `twelve noon`, `12 midnight`.
fn named(pieces: &Pieces, at: usize) -> Option<(u32, usize)> {
    let at = match pieces.count(at) {
        Some((12, next)) => next,
        _ => at,
    };
    match pieces.word(at)? {
        "noon" | "midday" => Some((12, at + 1)),
        "midnight" => Some((0, at + 1)),
        _ => None,
    }
}

/// `half past nine`, `a quarter to four`, `ten minutes past three`. The hour is one of the 12-hour clock, or noon.
fn relative(pieces: &Pieces, at: usize) -> Option<Face> {
    let start = pieces.past(at, &["a"], &[]);
    let (minutes, mut end) = match pieces.word(start) {
        Some("half") => (30, start + 1),
        Some("quarter") => (15, start + 1),
        _ => pieces.count(at)?,
    };
    end = pieces.past(end, &["minutes"], &[]);
    let before = match pieces.word(end)? {
        "past" | "after" => false,
        "to" | "before" | "til" | "till" if minutes != 30 => true,
        _ => return None,
    };
    let midday = named(pieces, end + 1);
    let (hour, end) = midday.or_else(|| pieces.count(end + 1))?;
    if !(1..=30).contains(&minutes) || (midday.is_none() && !(1..=12).contains(&hour)) {
        return None;
    }
    let (hour, minute) = if before {
        // To one is past twelve on the same clock; to midnight is the day before's end.
        let hours = if midday.is_some() { 24 } else { 12 };
        ((hour + hours - 1) % hours, 60 - minutes)
    } else {
        (hour, minutes)
    };
    let mut face = Face::new(hour, minute, end);
    if midday.is_some() {
        face.full_day = true;
    } else if face.hour == 0 {
        face.hour = 12;
        face.full_day = false;
    }
    Some(face)
}

/// `9:30`, `09.30`, `15h30`, `9:30:15`, `9 30`, `0930 hours`, `9 am`.
fn digital(pieces: &Pieces, at: usize) -> Option<Face> {
    let hours = pieces.digits(at)?;
    if (3..=4).contains(&hours.len()) {
        let (hour, minute) = hours.split_at(hours.len() - 2);
        let mut face = Face::new(hour.parse().ok()?, minute.parse().ok()?, at + 1);
        face.full_day |= hour.starts_with('0');
        return Some(face.shaped(Shape::RunTogether));
    }
    if hours.len() > 2 {
        return None;
    }
    let hour = hours.parse().ok()?;
    let two_digits = |at: usize| {
        let digits = pieces.digits(at).filter(|digits| digits.len() == 2)?;
        digits.parse::<u32>().ok()
    };
    let joint = pieces.past(at + 1, &["h"], &[':', '.']);
    let mut face = match two_digits(joint) {
        Some(minute) => Face::new(hour, minute, joint + 1),
        None => Face::new(hour, 0, at + 1).shaped(Shape::HourOnly),
    };
    if face.shape == Shape::Whole
        && pieces.is_sign(face.end, ':')
        && let Some(second) = two_digits(face.end + 1)
    {
        face.second = second;
        face.end += 2;
    }
    face.full_day |= hours.starts_with('0');
    Some(face)
}

/// `nine thirty`, `nine oh five`, `fifteen hundred hours`, `nine o'clock`.
fn spelled(pieces: &Pieces, at: usize) -> Option<Face> {
    // `oh nine thirty` is said on the 24-hour clock.
    let first = pieces.past(at, &["oh", "zero"], &[]);
    let (hour, end) = pieces
        .spelled(first)
        .filter(|(hour, _)| first == at || *hour < 10)
        .or_else(|| pieces.spelled(at))?;
    let late = pieces.past(end, &["oh"], &[]);
    let minutes = pieces.spelled(late).filter(|(minute, _)| {
        if late > end {
            (1..10).contains(minute)
        } else {
            *minute >= 10
        }
    });
    let mut face = match minutes {
        Some((minute, end)) => Face::new(hour, minute, end),
        None if pieces.is_word(end, "hundred") => {
            Face::new(hour, 0, end + 1).shaped(Shape::RunTogether)
        }
        None => Face::new(hour, 0, end).shaped(Shape::HourOnly),
    };
    face.full_day |= first > at;
    Some(face)
}

#[derive(Clone, Copy)]
enum Half {
    Am,
    Pm,
}

/// `am`, `p m`, `in the evening`, `at night`, and the place behind it.
fn half_of_day(pieces: &Pieces, at: usize, hour: u32) -> (Option<Half>, usize) {
    let words: Vec<&str> = (at..at + 3).map_while(|at| pieces.word(at)).collect();
    let (half, length) = match words.as_slice() {
        ["am", ..] => (Half::Am, 1),
        ["pm", ..] => (Half::Pm, 1),
        ["a", "m", ..] => (Half::Am, 2),
        ["p", "m", ..] => (Half::Pm, 2),
        ["in", "the", "morning"] => (Half::Am, 3),
        ["in", "the", "afternoon" | "evening"] => (Half::Pm, 3),
        ["at", "night", ..] if (6..12).contains(&hour) => (Half::Pm, 2),
        ["at", "night", ..] => (Half::Am, 2),
        _ => return (None, at),
    };
    (Some(half), at + length)
}
