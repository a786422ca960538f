//! Amounts of money. `64`, `$64`, `64.00 USD` and `sixty-four dollars` are one amount; `64 euros` is another, and so
//! is `1.4` where 1.4 million was meant. An answer without a currency is taken in the expected one, as in a field
//! that carries the sign itself.

use crate::amount::number_at;
use crate::currency::{self, Currency};
use crate::decimal::Decimal;
use crate::number::{is_ordinal, percent_end, sign_at};
use crate::tokens::{Token, tokens};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Amount {
    value: Decimal,
    currency: Option<Currency>,
}

impl Amount {
    /// Whether this answer is the expected amount, which is in dollars unless it says otherwise.
    fn answers(self, expected: Self) -> bool {
        let wanted = expected.currency.unwrap_or(Currency::Dollar);
        self.value == expected.value && self.currency.is_none_or(|currency| currency == wanted)
    }
}

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = whole_text(expected)?;
    Some(whole_text(typed).is_some_and(|amount| amount.answers(expected)))
}

/// The value of a text that is one amount, whatever its currency.
pub(crate) fn bare(text: &str) -> Option<Decimal> {
    whole_text(text).map(|amount| amount.value)
}

/// Whether each amount that a text names is the expected one.
pub(crate) fn said(expected: &str, text: &str) -> Option<Vec<bool>> {
    let expected = whole_text(expected)?;
    let tokens = tokens(text);
    let mut said = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((amount, end)) = amount_at(&tokens, at) else {
            at += 1;
            continue;
        };
        // "that one is …" names no amount.
        let pronoun = end == at + 1 && tokens[at].is_word("one");
        let share = percent_end(&tokens, end).is_some();
        if !(is_ordinal(tokens.get(end)) || share || pronoun) {
            said.push(amount.answers(expected));
        }
        at = end;
    }
    Some(said)
}

fn whole_text(text: &str) -> Option<Amount> {
    let tokens = tokens(text);
    let (amount, end) = amount_at(&tokens, 0)?;
    let rest = &tokens[end..];
    (rest.is_empty() || rest == [Token::Sign('.')]).then_some(amount)
}

/// The amount that starts at `start`, and the place behind it.
fn amount_at(tokens: &[Token], start: usize) -> Option<(Amount, usize)> {
    let (negative, mut at) = sign_at(tokens, start);
    let mut currency = None;
    // Before the number stand signs and codes only: nobody writes `dollars 64`.
    if let Some((before, end)) = currency::behind(tokens, at)
        && (currency::before(tokens, end).is_some())
    {
        currency = Some(before);
        at = end;
    }
    let (late_negative, at) = if negative {
        (false, at)
    } else {
        sign_at(tokens, at)
    };
    let found = number_at(tokens, at)?;
    let (mut value, mut end) = (found.value, found.end);

    if currency.is_none() && currency::is_cent(tokens.get(end)) {
        value = value.hundredths()?;
        currency = cents_of(tokens.get(end));
        end += 1;
    } else if let Some((behind, after)) = currency::behind(tokens, end) {
        if currency.is_some_and(|before| before != behind) {
            return None;
        }
        currency = Some(behind);
        end = after;
        if let Some((cents, after)) = cents_at(tokens, end) {
            value = value.plus(cents)?;
            end = after;
        }
    } else if let Some((cents, after)) = price_pair(tokens, at, value, end) {
        value = value.plus(cents)?;
        end = after;
        if let Some((behind, after)) = currency::behind(tokens, end) {
            currency = Some(behind);
            end = after;
        }
    }
    if negative || late_negative {
        value = value.negative();
    }
    Some((Amount { value, currency }, end))
}

/// Pence are of the pound; cents may be of a dollar or of a euro.
fn cents_of(token: Option<&Token>) -> Option<Currency> {
    token
        .is_some_and(|token| token.is_word("pence"))
        .then_some(Currency::Pound)
}

/// `and fifty cents`, `50 cents`, or the bare `fifty` of `twelve dollars fifty`.
fn cents_at(tokens: &[Token], at: usize) -> Option<(Decimal, usize)> {
    let joined = tokens.get(at).is_some_and(|token| token.is_word("and"));
    let start = if joined { at + 1 } else { at };
    let found = number_at(tokens, start)?;
    if !found.value.is_whole() || !found.value.is_below(100) {
        return None;
    }
    if currency::is_cent(tokens.get(found.end)) {
        return Some((found.value.hundredths()?, found.end + 1));
    }
    let ends = matches!(tokens.get(found.end), None | Some(Token::Sign('.')));
    (!joined && ends).then_some((found.value.hundredths()?, found.end))
}

/// `sixty-four fifty` is how a price of 64.50 is said. Only in words, and only with two digits of cents.
fn price_pair(
    tokens: &[Token],
    start: usize,
    value: Decimal,
    end: usize,
) -> Option<(Decimal, usize)> {
    tokens.get(start)?.word()?;
    tokens.get(end)?.word()?;
    let cents = number_at(tokens, end)?;
    let two_digits = !cents.value.is_below(10) && cents.value.is_below(100);
    let fits = value.is_whole() && value.is_below(1_000) && cents.value.is_whole() && two_digits;
    fits.then_some((cents.value.hundredths()?, cents.end))
}
