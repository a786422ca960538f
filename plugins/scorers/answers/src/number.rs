//! Bare numbers. A unit makes it another type: `64 dollars` and `64 %` are no number.

use dynacu_numerals::read::is_ordinal_suffix;

use crate::amount::number_at;
use crate::currency;
use crate::decimal::Decimal;
use crate::tokens::{Token, tokens};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = bare(expected)?;
    Some(bare(typed) == Some(expected))
}

/// The value of a text that is one number and nothing else but a sign before and a full stop behind.
pub(crate) fn bare(text: &str) -> Option<Decimal> {
    let tokens = tokens(text);
    let (negative, start) = sign_at(&tokens, 0);
    let found = number_at(&tokens, start)?;
    let rest = &tokens[found.end..];
    if !rest.is_empty() && rest != [Token::Sign('.')] {
        return None;
    }
    Some(if negative {
        found.value.negative()
    } else {
        found.value
    })
}

/// Whether each number that a text names is the expected one.
pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = bare(expected)?;
    let mut said = Vec::new();
    let tokens = tokens(text);
    let mut at = 0;
    while at < tokens.len() {
        let (negative, start) = sign_at(&tokens, at);
        let Some(found) = number_at(&tokens, start) else {
            at += 1;
            continue;
        };
        if !is_ordinal(tokens.get(found.end)) {
            let other_unit = currency::behind(&tokens, found.end).is_some()
                || currency::before(&tokens, at).is_some()
                || percent_end(&tokens, found.end).is_some();
            let value = if negative {
                found.value.negative()
            } else {
                found.value
            };
            // "that one is …" names no number.
            let pronoun = found.end == start + 1 && tokens[start].is_word("one");
            if !pronoun || expected == value {
                said.push(!other_unit && value == expected);
            }
        }
        at = found.end;
    }
    Some(said)
}

/// Whether a minus stands here, and the place behind a sign.
pub(crate) fn sign_at(tokens: &[Token], at: usize) -> (bool, usize) {
    match tokens.get(at) {
        Some(Token::Sign('-')) => (true, at + 1),
        Some(Token::Sign('+')) => (false, at + 1),
        Some(token) if token.is_word("minus") || token.is_word("negative") => (true, at + 1),
        _ => (false, at),
    }
}

/// The `th` of `64th`.
pub(crate) fn is_ordinal(behind: Option<&Token>) -> bool {
    matches!(behind, Some(Token::Word { text, attached: true }) if is_ordinal_suffix(text))
}

/// The place behind a percent sign or word that stands at `at`.
pub(crate) fn percent_end(tokens: &[Token], at: usize) -> Option<usize> {
    let is = |place: usize, wanted: &str| {
        tokens
            .get(at + place)
            .is_some_and(|token| token.is_word(wanted))
    };
    if tokens.get(at) == Some(&Token::Sign('%')) || is(0, "percent") || is(0, "pct") {
        Some(at + 1)
    } else if is(0, "per") && is(1, "cent") {
        Some(at + 2)
    } else {
        None
    }
}
