//! Text cut into numerals, words and signs, for the types that contain numbers.

use crate::decimal::Decimal;
use crate::words::fold;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// Digits, with grouping and decimals taken in.
    Numeral(Decimal),
    Word {
        text: String,
        /// Directly behind digits: the `M` of `1.4M`, the `th` of `64th`.
        attached: bool,
    },
    /// A hyphen inside a number word is none: `sixty-four` is two words.
    Sign(char),
}

impl Token {
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Word { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_word(&self, wanted: &str) -> bool {
        self.word() == Some(wanted)
    }
}

pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = fold(text).chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let next = letters.get(at + 1).copied();
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        if letter.is_ascii_digit() || (letter == '.' && starts_fraction(before, next)) {
            let (token, end) = numeral(&letters, at);
            found.push(token);
            at = end;
        } else if letter.is_alphabetic() {
            let end = word_end(&letters, at);
            found.push(Token::Word {
                text: letters[at..end].iter().filter(|c| **c != '\'').collect(),
                attached: before.is_some_and(char::is_ascii_digit),
            });
            at = end;
        } else {
            let joins_words = letter == '-'
                && before.is_some_and(|before| before.is_alphabetic())
                && next.is_some_and(char::is_alphabetic);
            if !letter.is_whitespace() && !joins_words {
                found.push(Token::Sign(letter));
            }
            at += 1;
        }
    }
    found
}

/// `.5` is a numeral; the full stop of `a.5` or `5.` is none.
fn starts_fraction(before: Option<&char>, next: Option<char>) -> bool {
    next.is_some_and(|next| next.is_ascii_digit())
        && before.is_none_or(|before| !before.is_alphanumeric() && *before != '.')
}

fn word_end(letters: &[char], start: usize) -> usize {
    let mut end = start;
    while let Some(letter) = letters.get(end) {
        let inside = letter.is_alphabetic()
            || (*letter == '\''
                && letters
                    .get(end + 1)
                    .is_some_and(|next| next.is_alphabetic()));
        if !inside {
            break;
        }
        end += 1;
    }
    end
}

/// `1,400,000.50`, `1 400 000`, `64`. A comma or a space belongs to the numeral only where exactly three digits
/// follow it; digits that fit no numeral become a sign, which nothing accepts.
fn numeral(letters: &[char], start: usize) -> (Token, usize) {
    let run = |from: usize| {
        letters[from.min(letters.len())..]
            .iter()
            .take_while(|letter| letter.is_ascii_digit())
            .count()
    };
    let mut end = start + run(start);
    let mut whole: String = letters[start..end].iter().collect();
    if (1..=3).contains(&whole.len()) {
        let separator = letters.get(end).copied();
        if matches!(separator, Some(',' | ' ')) {
            while letters.get(end).copied() == separator && run(end + 1) == 3 {
                whole.extend(&letters[end + 1..end + 4]);
                end += 4;
            }
        }
    }
    let mut fraction = String::new();
    if letters.get(end) == Some(&'.') {
        let count = run(end + 1);
        fraction.extend(&letters[end + 1..end + 1 + count]);
        if count > 0 {
            end += 1 + count;
        }
    }
    match Decimal::from_digits(&whole, &fraction) {
        Some(value) => (Token::Numeral(value), end),
        None => (Token::Sign('#'), end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let parts: Vec<String> = tokens(text)
            .into_iter()
            .map(|token| match token {
                Token::Numeral(value) => format!("<{value}>"),
                Token::Word { text, attached } => {
                    format!("{}{text}", if attached { "+" } else { "" })
                }
                Token::Sign(sign) => sign.to_string(),
            })
            .collect();
        parts.join(" ")
    }

    #[test]
    fn numerals_and_their_neighbours() {
        assert_eq!(shown("$1,400,000.50."), "$ <1400000.5> .");
        assert_eq!(shown("1 400 000"), "<1400000>");
        assert_eq!(shown("64, 65"), "<64> , <65>");
        assert_eq!(shown("64,50"), "<64> , <50>");
        assert_eq!(shown("1.4M 64th .5"), "<1.4> +m <64> +th <0.5>");
        assert_eq!(shown("sixty-four - it's -3"), "sixty four - its - <3>");
        assert_eq!(shown("1.2.3"), "<1.2> . <3>");
    }
}
