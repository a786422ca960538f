//! Names of people, places and things.

use crate::Heard;
use crate::words::{without_article, words};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let expected = words(expected);
    if expected.is_empty() {
        return None;
    }
    // A slash, an ampersand or a comma would be read as a space, which is how two candidates become one name.
    if typed.contains(['/', '&', '|', ';', '?']) {
        return Some(false);
    }
    Some(without_article(&words(typed)) == without_article(&expected))
}

/// The entity alone or in a sentence. With another candidate, an `or` or a denial beside it, it is no answer.
pub(crate) fn hears(expected: &str, others: &[String], utterance: &str) -> Option<Heard> {
    let expected = words(expected);
    let expected = without_article(&expected).to_vec();
    if expected.is_empty() {
        return None;
    }
    let mut candidates: Vec<(Vec<String>, bool)> = others
        .iter()
        .map(|other| without_article(&words(other)).to_vec())
        .filter(|other| !other.is_empty() && *other != expected)
        .map(|other| (other, false))
        .collect();
    candidates.push((expected, true));
    // Longer names first: "New York" is not also "York".
    candidates.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));

    let said = words(utterance);
    let mut named = Vec::new();
    let mut at = 0;
    while at < said.len() {
        let here = candidates
            .iter()
            .find(|(name, _)| said[at..].starts_with(name));
        match here {
            Some((name, right)) => {
                named.push(*right);
                at += name.len();
            }
            None => at += 1,
        }
    }
    let hedged = said.iter().any(|word| {
        matches!(
            word.as_str(),
            "or" | "not" | "isnt" | "never" | "neither" | "nor" | "dont"
        )
    });
    Some(if named.is_empty() {
        Heard::Nothing
    } else if named.iter().all(|right| *right) && !hedged {
        Heard::Right
    } else {
        Heard::Wrong
    })
}
