//! Lengths of time, with their units: `90 seconds`, `1:30`, `a minute and a half`, `1 h 20 min`. A bare number is
//! none; a field that carries the unit itself asks for a number.

use crate::amount::plain_at;
use crate::decimal::Decimal;
use crate::tokens::{Token, tokens};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = expected_seconds(expected)?;
    let typed = readings(typed);
    Some(typed.contains(&expected))
}

pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = expected_seconds(expected)?;
    let mut said = Vec::new();
    // Clock-like lengths first: the `30 minutes` in `1:30 minutes` is none of its own.
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut rest = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (found, used) = clocked(&words[at..]);
        if used == 0 {
            rest.push(words[at]);
        } else {
            said.push(found.contains(&expected));
        }
        at += used.max(1);
    }
    let tokens = tokens(&rest.join(" "));
    let mut at = 0;
    while at < tokens.len() {
        match duration_at(&tokens, at) {
            Some((seconds, end)) => {
                // "Just a second" is no answer, unless it is the right one.
                let idle = end == at + 2 && (tokens[at].is_word("a") || tokens[at].is_word("an"));
                if !idle || seconds == expected {
                    said.push(seconds == expected);
                }
                at = end;
            }
            None => at += 1,
        }
    }
    Some(said)
}

/// `1:30` as the expected value is minutes and seconds.
fn expected_seconds(text: &str) -> Option<Decimal> {
    readings(text).first().copied()
}

/// What a whole text may mean, in seconds.
fn readings(text: &str) -> Vec<Decimal> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (clocked, used) = clocked(&words);
    if used > 0 && used == words.len() {
        return clocked;
    }
    let tokens = tokens(text);
    match duration_at(&tokens, 0) {
        Some((seconds, end)) if tokens[end..].is_empty() || tokens[end..] == [Token::Sign('.')] => {
            vec![seconds]
        }
        _ => Vec::new(),
    }
}

/// `1:30` is a minute and a half, or an hour and a half, unless a unit stands behind it; `1:02:03` is one thing. With
/// the count of words used.
fn clocked(words: &[&str]) -> (Vec<Decimal>, usize) {
    let bare = |word: &str| word.trim_end_matches(['.', ',', '!']).to_owned();
    let Some(mut found) = words.first().and_then(|word| fields(&bare(word))) else {
        return (Vec::new(), 0);
    };
    let unit = words.get(1).and_then(|word| unit(&bare(word)));
    match (unit, found.as_slice()) {
        (Some(Unit::Minute), [minutes, _]) => found = vec![*minutes],
        (Some(Unit::Hour), [_, hours]) => found = vec![*hours],
        _ => return (found, 1),
    }
    (found, 2)
}

/// The readings of digits between colons, in seconds.
fn fields(text: &str) -> Option<Vec<Decimal>> {
    let number = |(place, field): (usize, &str)| {
        let digits = field.bytes().all(|byte| byte.is_ascii_digit());
        let size = match place {
            0 => (1..=3).contains(&field.len()),
            _ => field.len() == 2,
        };
        let number = field.parse::<i128>().ok().filter(|_| digits && size)?;
        (place == 0 || number < 60).then_some(number)
    };
    let numbers: Vec<i128> = text
        .split(':')
        .enumerate()
        .map(number)
        .collect::<Option<_>>()?;
    let seconds = match numbers[..] {
        [first, second] => vec![first * 60 + second, first * 3600 + second * 60],
        [hours, minutes, seconds] => vec![hours * 3600 + minutes * 60 + seconds],
        _ => return None,
    };
    seconds.into_iter().map(Decimal::whole).collect()
}

/// The length that starts at `start`, in seconds, and the place behind it: parts with ever smaller units.
fn duration_at(tokens: &[Token], start: usize) -> Option<(Decimal, usize)> {
    let (mut seconds, mut unit, mut end) = part_at(tokens, start)?;
    loop {
        let mut next = end;
        if tokens.get(next) == Some(&Token::Sign(',')) {
            next += 1;
        }
        if tokens.get(next).is_some_and(|token| token.is_word("and")) {
            next += 1;
        }
        if let Some((more, smaller, after)) =
            part_at(tokens, next).filter(|(_, smaller, _)| *smaller < unit)
        {
            seconds = seconds.plus(more)?;
            (unit, end) = (smaller, after);
        } else if let Some(after) = fraction_at(tokens, end, unit) {
            seconds = seconds.plus(unit.halved()?)?;
            return Some((seconds, after));
        } else if let Some((more, after)) = bare_at(tokens, end, unit) {
            seconds = seconds.plus(more)?;
            return Some((seconds, after));
        } else {
            return Some((seconds, end));
        }
    }
}

/// One number with its unit, in seconds; the unit; the place behind it.
fn part_at(tokens: &[Token], start: usize) -> Option<(Decimal, Unit, usize)> {
    let word = |place: usize| tokens.get(start + place).and_then(Token::word);
    // `half an hour`, `a quarter of an hour`, `three quarters of an hour`, `half a minute`
    let quarters = match (word(0), word(1), word(2)) {
        (Some("half"), Some("a" | "an"), _) => Some((2, 2)),
        (Some("a"), Some("quarter"), Some("of")) | (Some("quarter"), Some("of"), _) => {
            Some((1, if word(0) == Some("a") { 4 } else { 3 }))
        }
        (Some("three"), Some("quarters"), Some("of")) => Some((3, 4)),
        _ => None,
    };
    if let Some((quarters, length)) = quarters {
        let unit = unit(word(length)?)?;
        let seconds = unit.seconds()?.times(quarters)?.divided(4)?;
        return Some((seconds, unit, start + length + 1));
    }
    let (count, end) = match word(0) {
        Some("a" | "an")
            if tokens
                .get(start + 1)
                .and_then(Token::word)
                .and_then(unit)
                .is_some() =>
        {
            (Decimal::whole(1)?, start + 1)
        }
        _ => plain_at(tokens, start)?,
    };
    let mut end = end;
    // `a 90-second clip`
    if tokens.get(end) == Some(&Token::Sign('-')) {
        end += 1;
    }
    let unit = unit(tokens.get(end)?.word()?)?;
    Some((count.by(unit.seconds()?)?, unit, end + 1))
}

/// The `and a half` of `a minute and a half`.
fn fraction_at(tokens: &[Token], at: usize, unit: Unit) -> Option<usize> {
    let said = ["and", "a", "half"]
        .iter()
        .enumerate()
        .all(|(place, word)| {
            tokens
                .get(at + place)
                .is_some_and(|token| token.is_word(word))
        });
    (said && unit > Unit::Second).then_some(at + 3)
}

/// The bare `thirty` of `one hour thirty` counts the next smaller unit.
fn bare_at(tokens: &[Token], at: usize, unit: Unit) -> Option<(Decimal, usize)> {
    let smaller = match unit {
        Unit::Hour => Unit::Minute,
        Unit::Minute => Unit::Second,
        _ => return None,
    };
    let (count, end) = plain_at(tokens, at)?;
    let last = matches!(tokens.get(end), None | Some(Token::Sign('.')));
    (last && count.is_whole() && count.is_below(60)).then_some((count.by(smaller.seconds()?)?, end))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
}

impl Unit {
    fn seconds(self) -> Option<Decimal> {
        match self {
            Self::Millisecond => Decimal::whole(1)?.divided(1000),
            Self::Second => Decimal::whole(1),
            Self::Minute => Decimal::whole(60),
            Self::Hour => Decimal::whole(3_600),
            Self::Day => Decimal::whole(86_400),
            Self::Week => Decimal::whole(604_800),
        }
    }

    fn halved(self) -> Option<Decimal> {
        self.seconds()?.divided(2)
    }
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "ms" | "millisecond" | "milliseconds" => Unit::Millisecond,
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Second,
        "m" | "min" | "mins" | "minute" | "minutes" => Unit::Minute,
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hour,
        "d" | "day" | "days" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        _ => return None,
    })
}
