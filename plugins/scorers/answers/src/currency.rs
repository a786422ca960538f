//! Currencies by their signs, codes and names.

use crate::tokens::Token;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Currency {
    Dollar,
    Euro,
    Pound,
    Yen,
}

/// The currency that ends right before `at`: `$`, `US$`, `USD`.
pub(crate) fn before(tokens: &[Token], at: usize) -> Option<Currency> {
    match tokens.get(at.checked_sub(1)?)? {
        Token::Sign(sign) => of_sign(*sign),
        Token::Word { text, .. } => of_code(text),
        Token::Numeral(_) => None,
    }
}

/// The currency that starts at `at`, and the place behind it: `$`, `USD`, `dollars`, `US dollars`.
pub(crate) fn behind(tokens: &[Token], at: usize) -> Option<(Currency, usize)> {
    match tokens.get(at)? {
        Token::Sign(sign) => of_sign(*sign).map(|currency| (currency, at + 1)),
        Token::Word { text, .. } if text == "us" => {
            let (currency, end) = behind(tokens, at + 1)?;
            (currency == Currency::Dollar).then_some((currency, end))
        }
        Token::Word { text, .. } => of_code(text)
            .or_else(|| of_name(text))
            .map(|currency| (currency, at + 1)),
        Token::Numeral(_) => None,
    }
}

fn of_sign(sign: char) -> Option<Currency> {
    Some(match sign {
        '$' => Currency::Dollar,
        '€' => Currency::Euro,
        '£' => Currency::Pound,
        '¥' => Currency::Yen,
        _ => return None,
    })
}

fn of_code(word: &str) -> Option<Currency> {
    Some(match word {
        "usd" => Currency::Dollar,
        "eur" => Currency::Euro,
        "gbp" => Currency::Pound,
        "jpy" => Currency::Yen,
        _ => return None,
    })
}

fn of_name(word: &str) -> Option<Currency> {
    Some(match word {
        "dollar" | "dollars" | "buck" | "bucks" => Currency::Dollar,
        "euro" | "euros" => Currency::Euro,
        "pound" | "pounds" | "quid" => Currency::Pound,
        "yen" => Currency::Yen,
        _ => return None,
    })
}

/// The hundredth part of a dollar, a euro or a pound.
pub(crate) fn is_cent(token: Option<&Token>) -> bool {
    match token {
        Some(Token::Sign('¢')) => true,
        Some(Token::Word { text, .. }) => {
            matches!(text.as_str(), "cent" | "cents" | "pence")
        }
        _ => false,
    }
}
