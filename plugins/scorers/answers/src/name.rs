//! Names of people, places and things.

use crate::words::{numbered, without_article, words};

pub(crate) fn accepts(expected: &str, typed: &str) -> Option<bool> {
    let wanted = words(expected);
    if wanted.is_empty() {
        return None;
    }
    let wanted = without_article(&wanted);
    // These would be read as a space, which is how two candidates become one name.
    if typed.contains(['/', '&', '|', ';', '?']) {
        return Some(false);
    }
    let is_it = |typed: &str| {
        let typed = words(typed);
        let typed = without_article(&typed);
        typed == wanted || without_title(typed) == wanted
    };
    // `Lopez, Maria` is how lists and forms write Maria Lopez.
    let turned = match typed.split_once(',') {
        Some((last, first)) if !first.contains(',') => is_it(&format!("{first} {last}")),
        _ => false,
    };
    Some(is_it(typed) || turned)
}

fn without_title(words: &[String]) -> &[String] {
    match words {
        [title, rest @ ..]
            if matches!(
                title.as_str(),
                "mr" | "mrs" | "ms" | "miss" | "dr" | "prof" | "professor" | "doctor"
            ) && !rest.is_empty() =>
        {
            rest
        }
        all => all,
    }
}

/// Whether each name in a text is the expected one. `others` are the other names that may be said.
pub(crate) fn said(expected: &str, others: &[String], text: &str) -> Option<Vec<bool>> {
    let expected = Candidate::new(expected, Some(0));
    if expected.words.is_empty() {
        return None;
    }
    let others = others
        .iter()
        .map(|other| Candidate::new(other, None))
        .filter(|other| other.words != expected.words);
    let mut candidates: Vec<Candidate> = others.collect();
    candidates.push(expected);
    Some(
        named(candidates, text)
            .iter()
            .map(Option::is_some)
            .collect(),
    )
}

/// A name that may be said, and its place among the expected ones, where it is one.
pub(crate) struct Candidate {
    words: Vec<String>,
    place: Option<usize>,
}

impl Candidate {
    pub(crate) fn new(name: &str, place: Option<usize>) -> Self {
        Self {
            words: without_article(&numbered(name)).to_vec(),
            place,
        }
    }
}

/// The places of the candidates that a text names, in the order in which it does. Longer names go first: "New York" is
/// not also "York".
pub(crate) fn named(mut candidates: Vec<Candidate>, text: &str) -> Vec<Option<usize>> {
    candidates.retain(|candidate| !candidate.words.is_empty());
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.words.len()));
    let said = numbered(text);
    let mut named = Vec::new();
    let mut at = 0;
    while at < said.len() {
        let here = candidates
            .iter()
            .find(|candidate| said[at..].starts_with(&candidate.words));
        match here {
            Some(candidate) => {
                named.push(candidate.place);
                at += candidate.words.len();
            }
            None => at += 1,
        }
    }
    named
}
