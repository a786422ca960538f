//! How near a transcript is to what was said: words of both, laid beside each other with the fewest changes.

use dynacu_host::studio::render::entity::normalise;

/// Words in the form in which they are compared: lower case, numbers in digits, no punctuation; digits and letters that
/// are said one by one ("five five, K X") form one word, because a recogniser groups them as it likes.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = Kind::Word;
    for token in normalise(text) {
        let kind = Kind::of(&token);
        match words.last_mut() {
            Some(before) if kind != Kind::Word && kind == last => before.push_str(&token),
            _ => words.push(token),
        }
        last = kind;
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Letter,
    Word,
}

impl Kind {
    fn of(token: &str) -> Self {
        if token.starts_with(|first: char| first.is_ascii_digit()) {
            Self::Number
        } else if token.len() == 1 && !matches!(token, "a" | "i") {
            Self::Letter
        } else {
            Self::Word
        }
    }
}

/// Counts of changes that turn what was said into what was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Errors {
    pub said: usize,
    pub substituted: usize,
    pub left_out: usize,
    pub put_in: usize,
}

impl Errors {
    /// All changes as a share of the words said; may exceed 1.
    #[must_use]
    pub fn rate(&self) -> f64 {
        (self.substituted + self.left_out + self.put_in) as f64 / self.said.max(1) as f64
    }

    pub fn add(&mut self, other: Self) {
        self.said += other.said;
        self.substituted += other.substituted;
        self.left_out += other.left_out;
        self.put_in += other.put_in;
    }
}

/// Word errors of a transcript.
#[must_use]
pub fn errors(said: &str, heard: &str) -> Errors {
    let (said, heard) = (words(said), words(heard));
    let mut errors = Errors {
        said: said.len(),
        ..Errors::default()
    };
    for pair in align(&said, &heard) {
        match pair {
            (Some(said_at), Some(heard_at)) => {
                errors.substituted += usize::from(said[said_at] != heard[heard_at]);
            }
            (Some(_), None) => errors.left_out += 1,
            (None, _) => errors.put_in += 1,
        }
    }
    errors
}

/// Positions of both lists beside each other, with the fewest substitutions, omissions and insertions.
#[must_use]
pub fn align(said: &[String], heard: &[String]) -> Vec<(Option<usize>, Option<usize>)> {
    let width = heard.len() + 1;
    let mut costs = vec![0_u32; (said.len() + 1) * width];
    for (column, cost) in costs.iter_mut().take(width).enumerate() {
        *cost = column as u32;
    }
    for row in 1..=said.len() {
        costs[row * width] = row as u32;
        for column in 1..width {
            let same = said[row - 1] == heard[column - 1];
            let diagonal = costs[(row - 1) * width + column - 1] + u32::from(!same);
            let above = costs[(row - 1) * width + column] + 1;
            let left = costs[row * width + column - 1] + 1;
            costs[row * width + column] = diagonal.min(above).min(left);
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (said.len(), heard.len());
    while row > 0 || column > 0 {
        let cost = costs[row * width + column];
        let diagonal = row > 0 && column > 0 && {
            let same = said[row - 1] == heard[column - 1];
            costs[(row - 1) * width + column - 1] + u32::from(!same) == cost
        };
        if diagonal {
            (row, column) = (row - 1, column - 1);
            pairs.push((Some(row), Some(column)));
        } else if row > 0 && costs[(row - 1) * width + column] + 1 == cost {
            row -= 1;
            pairs.push((Some(row), None));
        } else {
            column -= 1;
            pairs.push((None, Some(column)));
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_of_writing_are_no_errors() {
        for (said, heard) in [
            ("I paid sixty four dollars.", "i paid $64"),
            ("Call five five five, zero one four two.", "Call 555-0142."),
            ("It was twenty twenty four", "It was 2024"),
            ("The code is K X seven.", "The code is KX7."),
            ("one point four million dollars", "$1.4 million"),
        ] {
            assert_eq!(
                errors(said, heard).rate(),
                0.0,
                "{said} / {heard}: {:?} {:?}",
                words(said),
                words(heard)
            );
        }
    }

    #[test]
    fn each_kind_of_error_counts_once() {
        let found = errors("the boat leaves at nine", "the goat leaves at nine today");
        assert_eq!(
            found,
            Errors {
                said: 5,
                substituted: 1,
                left_out: 0,
                put_in: 1
            }
        );
        assert_eq!(found.rate(), 0.4);
        assert_eq!(errors("fifteen boats", "fifty boats").substituted, 1);
        assert_eq!(errors("one two words here", "").left_out, 3);
        assert_eq!(errors("", "thank you").put_in, 2);
    }

    #[test]
    fn alignment_keeps_order_and_covers_both() {
        let list = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let pairs = align(&list("a b c d"), &list("a x c d e"));
        assert_eq!(
            pairs,
            [
                (Some(0), Some(0)),
                (Some(1), Some(1)),
                (Some(2), Some(2)),
                (Some(3), Some(3)),
                (None, Some(4))
            ]
        );
    }
}
