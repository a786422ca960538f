//! Numbers inside a row of tokens: numerals, number words, and both mixed.

use dynacu_numerals::read;

use crate::decimal::Decimal;
use crate::tokens::Token;
use crate::words::scale;

/// A number and the place behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) value: Decimal,
    pub(crate) end: usize,
}

/// The longest number that starts at `start`: `64`, `1.4M`, `one point four million`, `a hundred and five`,
/// `two and a half thousand`, `half a million`, `1 million 400 thousand`.
pub(crate) fn number_at(tokens: &[Token], start: usize) -> Option<Found> {
    let mut found = group_at(tokens, start)?;
    let mut limit = found.scale;
    while limit > 1 {
        let next = skip_joint(tokens, found.end);
        // A smaller group continues the number; one of the same size begins another.
        let Some(group) = group_at(tokens, next).filter(|group| group.value.is_below(limit)) else {
            break;
        };
        found.value = found.value.plus(group.value)?;
        found.end = group.end;
        limit = group.scale;
    }
    Some(Found {
        value: found.value,
        end: found.end,
    })
}

/// A number without a scale behind it, for types in which the `m` of `90m` is no million.
pub(crate) fn plain_at(tokens: &[Token], start: usize) -> Option<(Decimal, usize)> {
    let (value, end) = base_at(tokens, start)?;
    with_hundred(tokens, value, end)
}

struct Group {
    value: Decimal,
    scale: i128,
    end: usize,
}

/// A number below a thousand, or a numeral, with the scale that follows it.
fn group_at(tokens: &[Token], start: usize) -> Option<Group> {
    let (value, mut end) = half_at(tokens, start).or_else(|| base_at(tokens, start))?;
    let (value, grown) = with_hundred(tokens, value, end)?;
    end = grown;
    match tokens.get(end).and_then(Token::word).and_then(scale) {
        Some(scale) => Some(Group {
            value: value.times(scale)?,
            scale,
            end: end + 1,
        }),
        None => Some(Group {
            value,
            scale: 1,
            end,
        }),
    }
}

/// `half a million`: the scale is left for the caller.
fn half_at(tokens: &[Token], start: usize) -> Option<(Decimal, usize)> {
    let is = |place: usize, wanted: &str| {
        tokens
            .get(start + place)
            .is_some_and(|token| token.is_word(wanted))
    };
    let scaled = tokens
        .get(start + 2)
        .and_then(Token::word)
        .and_then(scale)
        .is_some();
    (is(0, "half") && is(1, "a") && scaled).then_some((Decimal::HALF, start + 2))
}

/// A numeral, a word below a hundred, or the `a` of `a hundred`, with what makes it fractional.
fn base_at(tokens: &[Token], start: usize) -> Option<(Decimal, usize)> {
    let (value, end) = match tokens.get(start)? {
        Token::Numeral(value) => (*value, start + 1),
        Token::Word { text, .. } if text == "a" || text == "an" => {
            let next = tokens.get(start + 1)?.word()?;
            // `a m` is no million: only words written out follow an article.
            if next != "hundred" && (next.len() < 4 || scale(next).is_none()) {
                return None;
            }
            (Decimal::whole(1)?, start + 1)
        }
        Token::Word { .. } => {
            let (value, end) = below_hundred(tokens, start)?;
            (Decimal::whole(i128::from(value))?, end)
        }
        Token::Sign(_) => return None,
    };
    with_half(tokens, with_point(tokens, value, end)?)
}

fn below_hundred(tokens: &[Token], start: usize) -> Option<(u8, usize)> {
    let (value, used) = read::below_hundred(words_from(tokens, start))?;
    Some((value, start + used))
}

/// The words that stand beside each other from `start` on.
fn words_from(tokens: &[Token], start: usize) -> impl Iterator<Item = &str> + Clone {
    tokens.iter().skip(start).map_while(Token::word)
}

/// `point` and the digits behind it, said one by one or as one number.
fn with_point(tokens: &[Token], value: Decimal, end: usize) -> Option<(Decimal, usize)> {
    if !value.is_whole() || !tokens.get(end).is_some_and(|token| token.is_word("point")) {
        return Some((value, end));
    }
    let mut digits = String::new();
    let mut at = end + 1;
    loop {
        match tokens.get(at) {
            Some(Token::Numeral(part)) if part.is_whole() => {
                digits.push_str(&part.to_string());
                at += 1;
            }
            _ => {
                let Some((part, used)) = read::fraction(words_from(tokens, at)) else {
                    break;
                };
                digits.push_str(&part);
                at += used;
            }
        }
    }
    if digits.is_empty() {
        return Some((value, end));
    }
    let fraction = Decimal::from_digits("", &digits)?;
    Some((value.plus(fraction)?, at))
}

fn with_half(tokens: &[Token], (value, end): (Decimal, usize)) -> Option<(Decimal, usize)> {
    let said = ["and", "a", "half"]
        .iter()
        .enumerate()
        .all(|(place, word)| {
            tokens
                .get(end + place)
                .is_some_and(|token| token.is_word(word))
        });
    if said && value.is_whole() {
        Some((value.plus(Decimal::HALF)?, end + 3))
    } else {
        Some((value, end))
    }
}

/// `hundred`, and what is said below it: `two hundred and five`, `fifteen hundred`.
fn with_hundred(tokens: &[Token], value: Decimal, end: usize) -> Option<(Decimal, usize)> {
    let hundred = tokens
        .get(end)
        .is_some_and(|token| token.is_word("hundred"));
    if !hundred || !value.is_below(100) {
        return Some((value, end));
    }
    let value = value.times(100)?;
    let next = skip_joint(tokens, end + 1);
    match below_hundred(tokens, next) {
        Some((rest, after)) => Some((value.plus(Decimal::whole(i128::from(rest))?)?, after)),
        None => Some((value, end + 1)),
    }
}

/// Past an `and` or a comma between two groups of one number.
fn skip_joint(tokens: &[Token], at: usize) -> usize {
    match tokens.get(at) {
        Some(Token::Sign(',')) => at + 1,
        Some(token) if token.is_word("and") => at + 1,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    fn read(text: &str) -> String {
        let tokens = tokens(text);
        match number_at(&tokens, 0) {
            Some(found) if found.end == tokens.len() => found.value.to_string(),
            Some(found) => format!("{} +{}", found.value, tokens.len() - found.end),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn one_number() {
        for (text, value) in [
            ("sixty four", "64"),
            ("a hundred and five", "105"),
            ("one point four million", "1400000"),
            ("three point one four", "3.14"),
            ("two hundred and five thousand and six", "205006"),
            ("fifteen hundred", "1500"),
            ("1 million 400 thousand", "1400000"),
            ("one million, four hundred thousand", "1400000"),
            ("two and a half thousand", "2500"),
            ("half a million", "500000"),
            ("1.4bn", "1400000000"),
            ("zero", "0"),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
    }

    #[test]
    fn no_single_number() {
        for (text, value) in [
            ("sixty four sixty five", "64 +2"),
            ("thirty six", "36"),
            ("six thirty", "6 +1"),
            ("1.4 million 1.8 million", "1400000 +2"),
            ("a million", "1000000"),
            ("a m", "none"),
            ("point five", "none"),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
    }
}
