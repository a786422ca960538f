//! Free words. Case, accents, outer quotes, a leading article, a full stop and the choice between hyphen and space do
//! not matter; every other sign does.

use crate::words::{fold, without_article};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = normal(expected);
    if expected.is_empty() {
        return None;
    }
    Some(normal(typed) == expected)
}

/// What is left of a text when nothing that does not matter is in it.
pub(crate) fn normal(text: &str) -> String {
    let folded = fold(text).replace('-', " ");
    let trimmed = folded
        .trim()
        .trim_end_matches(['.', '!'])
        .trim_matches(['"', '\'']);
    let words: Vec<&str> = trimmed.split_whitespace().collect();
    without_article(&words).join(" ")
}
