//! Shares of a hundred: `12.5%`, `twelve and a half percent`. A bare number is taken as percent, as in a field that
//! carries the sign itself; a fraction (`0.125`) is another number.

use crate::amount::number_at;
use crate::currency;
use crate::decimal::Decimal;
use crate::number::{is_ordinal, percent_end, sign_at};
use crate::tokens::{Token, tokens};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = whole(expected)?;
    Some(whole(typed) == Some(expected))
}

pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = whole(expected)?;
    let tokens = tokens(text);
    let mut shares = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((value, signed, end)) = share_at(&tokens, at) else {
            at += 1;
            continue;
        };
        let pronoun = end == at + 1 && tokens[at].is_word("one");
        if signed || !(pronoun || is_ordinal(tokens.get(end))) {
            let other_unit = !signed
                && (currency::behind(&tokens, end).is_some()
                    || currency::before(&tokens, at).is_some());
            shares.push((value, signed, value == expected && !other_unit));
        }
        at = end;
    }
    // Beside a share, a number of this size is the year that it was in.
    let any_signed = shares.iter().any(|(_, signed, _)| *signed);
    shares.retain(|(value, signed, _)| {
        let year = value.is_whole() && !value.is_below(1900) && value.is_below(2100);
        *signed || !(any_signed && year)
    });
    Some(shares.into_iter().map(|(.., right)| right).collect())
}

fn whole(text: &str) -> Option<Decimal> {
    let tokens = tokens(text);
    let (value, _, end) = share_at(&tokens, 0)?;
    (tokens[end..].is_empty() || tokens[end..] == [Token::Sign('.')]).then_some(value)
}

/// A number from `start`, whether a percent sign or word stands behind it, and the place behind all.
fn share_at(tokens: &[Token], start: usize) -> Option<(Decimal, bool, usize)> {
    let (negative, at) = sign_at(tokens, start);
    let (value, end) = half_at(tokens, at).or_else(|| {
        let found = number_at(tokens, at)?;
        Some((found.value, found.end))
    })?;
    let value = if negative { value.negative() } else { value };
    match percent_end(tokens, end) {
        Some(end) => Some((value, true, end)),
        None => Some((value, false, end)),
    }
}

/// `half a percent`, `a half percent`
fn half_at(tokens: &[Token], at: usize) -> Option<(Decimal, usize)> {
    let is = |place: usize, wanted: &str| {
        tokens
            .get(at + place)
            .is_some_and(|token| token.is_word(wanted))
    };
    let half = (is(0, "half") && is(1, "a")) || (is(0, "a") && is(1, "half"));
    (half && percent_end(tokens, at + 2).is_some()).then_some((Decimal::HALF, at + 2))
}
