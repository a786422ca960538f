//! How far two texts agree, word by word.

use dynacu_numerals::read::is_ordinal_suffix;

/// How many of the expected words are there in order, and how many other words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Agreement {
    pub(crate) found: usize,
    pub(crate) added: usize,
}

/// The words of a text, as they are compared: `3rd` is `3`.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = answers::words(text);
    for word in &mut words {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && is_ordinal_suffix(&word[digits..]) {
            word.truncate(digits);
        }
    }
    words
}

/// The longest common row of words, with gaps.
pub(crate) fn agreement(expected: &[String], typed: &[String]) -> Agreement {
    // A text far longer than the expected one agrees in nothing that matters; it is not worth the time of a verdict.
    if typed.len() > expected.len() * 3 + 20 {
        return Agreement {
            found: 0,
            added: typed.len(),
        };
    }
    let mut row = vec![0_usize; typed.len() + 1];
    for word in expected {
        let mut diagonal = 0;
        for (place, other) in typed.iter().enumerate() {
            let above = row[place + 1];
            row[place + 1] = if word == other {
                diagonal + 1
            } else {
                above.max(row[place])
            };
            diagonal = above;
        }
    }
    let found = row.last().copied().unwrap_or(0);
    Agreement {
        found,
        added: typed.len() - found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_order() {
        let agree = |expected: &str, typed: &str| {
            let agreement = agreement(&words(expected), &words(typed));
            (agreement.found, agreement.added)
        };
        assert_eq!(agree("One, two – three.", "one two three"), (3, 0));
        assert_eq!(agree("one two three", "three two one"), (1, 2));
        assert_eq!(
            agree("one two three four", "one too three four five"),
            (3, 2)
        );
        assert_eq!(agree("one two", ""), (0, 0));
        let long = "one two ".repeat(40);
        assert_eq!(agree("one two", &long), (0, 80));
    }
}
