//! Whether what a page has loaded gives the answer away before its moment.
//!
//! An answer that stands in one seed's page and in no other seed's page is given away by it; one that stands in all of them is a
//! label, an option of a list, or a coincidence.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::Value;

use super::{Finding, sources};
use crate::task::catalogue::Task;
use crate::task::variant::{Seed, draw};

/// The seeds that are compared.
pub const SEEDS: [u64; 4] = [0, 1, 2, 3];
/// Texts shorter than this are everywhere.
const SHORTEST: usize = 2;

/// What the scorer of a drawn variant expects, as texts.
#[must_use]
pub fn expected(settings: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(settings, false, &mut found);
    found.retain(|text| text.chars().count() >= SHORTEST);
    found
}

fn collect(value: &Value, inside: bool, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(table) => {
            for (key, item) in table {
                collect(item, inside || key == "value" || key == "values", into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, inside, into)),
        Value::String(text) if inside => {
            into.insert(text.clone());
        }
        Value::Number(number) if inside => {
            into.insert(number.to_string());
        }
        _ => {}
    }
}

/// Whether a text holds an answer as a whole word or number, whatever its case.
#[must_use]
pub fn holds(text: &str, answer: &str) -> bool {
    let (text, answer) = (text.to_lowercase(), answer.to_lowercase());
    let mut from = 0;
    while let Some(at) = text[from..].find(&answer) {
        let (start, end) = (from + at, from + at + answer.len());
        let open = |neighbour: Option<char>| {
            neighbour.is_none_or(|neighbour| !neighbour.is_alphanumeric() && neighbour != '#')
        };
        if open(text[..start].chars().next_back()) && open(text[end..].chars().next()) {
            return true;
        }
        from = end.min(text.len());
        if from == start {
            break;
        }
    }
    false
}

/// The answers that a page tells: of several seeds, each with what its page holds and what is expected. Only what two seeds
/// tell counts: once may be two equal draws.
#[must_use]
pub fn given_away(pages: &[(String, BTreeSet<String>)]) -> Vec<String> {
    let mut given = Vec::new();
    for (index, (page, answers)) in pages.iter().enumerate() {
        for answer in answers {
            let others = pages
                .iter()
                .enumerate()
                .filter(|(other, (_, theirs))| *other != index && !theirs.contains(answer));
            let mut elsewhere = others.map(|(_, (other, _))| holds(other, answer));
            if holds(page, answer) && elsewhere.any(|holds| !holds) {
                given.push((index, answer.clone()));
            }
        }
    }
    let seeds: BTreeSet<usize> = given.iter().map(|(index, _)| *index).collect();
    if seeds.len() < 2 {
        return Vec::new();
    }
    given.into_iter().map(|(_, answer)| answer).collect()
}

/// Answers of seed 0 that somebody wrote into the page's files.
pub(super) fn written_down(task: &Task) -> Result<Vec<Finding>> {
    let mut expected_of = Vec::new();
    for seed in SEEDS {
        let variant = draw(&task.manifest, &Seed::Number(seed), 0)?;
        expected_of.push(expected(&variant.scorer_input["settings"]));
    }
    let mut findings = Vec::new();
    for (file, text) in sources::texts(&task.folder.join("page"))? {
        // Numbers of a style sheet are lengths and colours.
        if file.extension().is_some_and(|kind| kind == "css") {
            continue;
        }
        for answer in &expected_of[0] {
            let small = answer.chars().count() < 4 && answer.chars().all(|c| c.is_ascii_digit());
            let listed = expected_of[1..]
                .iter()
                .flatten()
                .filter(|other| *other != answer)
                .any(|other| holds(&text, other));
            if !small && !listed && holds(&text, answer) {
                let line = text.lines().position(|line| holds(line, answer));
                findings.push(Finding::new(
                    &file,
                    line.map(|line| line + 1),
                    format!(
                        "`{answer}` is seed 0's answer: take it from the variant at its moment"
                    ),
                ));
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, answer: &str) -> (String, BTreeSet<String>) {
        (text.to_owned(), BTreeSet::from([answer.to_owned()]))
    }

    #[test]
    fn an_answer_is_told_by_what_stands_in_its_own_page_only() {
        let leaking = [page("<b>E-22</b>", "E-22"), page("<b>e-33</b>", "E-33")];
        assert_eq!(given_away(&leaking), ["E-22", "E-33"]);
        let options = [
            page("<li>Paris<li>Rome", "Paris"),
            page("<li>Paris<li>Rome", "Rome"),
        ];
        assert_eq!(given_away(&options), Vec::<String>::new());
        let once = [
            page("31 min", "31"),
            page("31 min", "47"),
            page("12 px", "64"),
        ];
        assert_eq!(given_away(&once), Vec::<String>::new());
    }

    #[test]
    fn only_whole_words_are_found() {
        assert!(holds("costs 64 dollars", "64") && holds("\"Lisbon\"", "lisbon"));
        assert!(!holds("#646464 and 164", "64") && !holds("", "64"));
    }
}
