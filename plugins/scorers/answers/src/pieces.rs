//! Text cut into runs of digits, words and signs, for the types in which digits are no amounts: times, dates, phone
//! numbers. A leading zero and the count of digits matter there, so they are kept.

use dynacu_numerals::read;

use crate::words::fold;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Digits(String),
    /// Letters without apostrophes; `p.m.` is one word, and a hyphen between letters is a space.
    Word(String),
    Sign(char),
}

impl Piece {
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(text) => Some(text),
            _ => None,
        }
    }
}

/// A row of pieces with questions about its places; a place past the end is nothing.
pub(crate) struct Pieces(Vec<Piece>);

impl Pieces {
    pub(crate) fn of(text: &str) -> Self {
        let letters: Vec<char> = fold(text).chars().collect();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(&letter) = letters.get(at) {
            let run =
                |fits: fn(&char) -> bool| letters[at..].iter().take_while(|c| fits(c)).count();
            if letter.is_ascii_digit() {
                let end = at + run(char::is_ascii_digit);
                found.push(Piece::Digits(letters[at..end].iter().collect()));
                at = end;
            } else if letter.is_alphabetic() {
                let (word, end) = word_at(&letters, at);
                found.push(Piece::Word(word));
                at = end;
            } else {
                let beside = |place: Option<usize>| {
                    place
                        .and_then(|place| letters.get(place))
                        .is_some_and(|c| c.is_alphabetic())
                };
                let joins_words =
                    letter == '-' && beside(at.checked_sub(1)) && beside(Some(at + 1));
                if !letter.is_whitespace() && !joins_words {
                    found.push(Piece::Sign(letter));
                }
                at += 1;
            }
        }
        Self(found)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Piece> {
        self.0.get(at)
    }

    pub(crate) fn word(&self, at: usize) -> Option<&str> {
        self.get(at)?.word()
    }

    /// The words that stand beside each other from here on.
    pub(crate) fn words_from(&self, at: usize) -> impl Iterator<Item = &str> + Clone {
        (at..).map_while(|at| self.word(at))
    }

    pub(crate) fn is_word(&self, at: usize, wanted: &str) -> bool {
        self.word(at) == Some(wanted)
    }

    pub(crate) fn is_sign(&self, at: usize, wanted: char) -> bool {
        self.get(at) == Some(&Piece::Sign(wanted))
    }

    pub(crate) fn digits(&self, at: usize) -> Option<&str> {
        match self.get(at)? {
            Piece::Digits(text) => Some(text),
            _ => None,
        }
    }

    /// The place behind a word or a sign, where one of them stands.
    pub(crate) fn past(&self, at: usize, words: &[&str], signs: &[char]) -> usize {
        let fits = match self.get(at) {
            Some(Piece::Word(text)) => words.contains(&text.as_str()),
            Some(Piece::Sign(sign)) => signs.contains(sign),
            _ => false,
        };
        if fits { at + 1 } else { at }
    }

    /// A number below a hundred in words, and the place behind it.
    pub(crate) fn spelled(&self, at: usize) -> Option<(u32, usize)> {
        let (value, used) = read::below_hundred(self.words_from(at))?;
        Some((value.into(), at + used))
    }

    /// A number of at most two digits, or below a hundred in words.
    pub(crate) fn count(&self, at: usize) -> Option<(u32, usize)> {
        match self.digits(at) {
            Some(digits) if digits.len() <= 2 => Some((digits.parse().ok()?, at + 1)),
            Some(_) => None,
            None => self.spelled(at),
        }
    }

    /// Whether the text ends here, but for a full stop.
    pub(crate) fn ends(&self, at: usize) -> bool {
        at == self.len() || (at + 1 == self.len() && self.is_sign(at, '.'))
    }

    /// Whether a second candidate follows: the `or 10` of `9:30 or 10`.
    pub(crate) fn alternative(&self, at: usize) -> bool {
        let next = self.past(at, &["or", "to", "through", "till", "until"], &['-', '/']);
        let next_number = self.past(next, &["the"], &[]);
        next > at && (self.digits(next_number).is_some() || self.spelled(next_number).is_some())
    }
}

/// One word from `start`, and the place behind it. Initials with full stops (`p.m.`) are one word.
fn word_at(letters: &[char], start: usize) -> (String, usize) {
    let letter = |at: usize| letters.get(at).filter(|c| c.is_alphabetic());
    let is = |at: usize, sign: char| letters.get(at) == Some(&sign);
    if letter(start + 1).is_none() && is(start + 1, '.') && letter(start + 2).is_some() {
        let mut word = String::new();
        let mut at = start;
        while let Some(initial) = letter(at).filter(|_| letter(at + 1).is_none()) {
            word.push(*initial);
            at += 1;
            if is(at, '.') {
                at += 1;
            }
        }
        if word.chars().count() > 1 {
            return (word, at);
        }
    }
    let mut end = start;
    let mut word = String::new();
    loop {
        match letter(end) {
            Some(inside) => word.push(*inside),
            None if is(end, '\'') && letter(end + 1).is_some() => {}
            None => return (word, end),
        }
        end += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let parts: Vec<String> = Pieces::of(text)
            .0
            .into_iter()
            .map(|piece| match piece {
                Piece::Digits(text) => format!("<{text}>"),
                Piece::Word(text) => text,
                Piece::Sign(sign) => sign.to_string(),
            })
            .collect();
        parts.join(" ")
    }

    #[test]
    fn digits_words_and_signs() {
        assert_eq!(shown("09:30 p.m."), "<09> : <30> pm");
        assert_eq!(shown("9 a.m. sharp"), "<9> am sharp");
        assert_eq!(shown("Twenty-third, o'clock"), "twenty third , oclock");
        assert_eq!(shown("3rd-Mar-'27."), "<3> rd mar - ' <27> .");
        assert_eq!(shown("I. It is"), "i . it is");
    }
}
