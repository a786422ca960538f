//! Lists of items, in any order or in the one asked for. Nothing may be missing, added or named twice.

use crate::name::{Candidate, named};
use crate::number;
use crate::text::normal;
use crate::words::fold;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Any,
    Given,
}

pub(crate) fn accepts(order: Order, expected: &str, typed: &str) -> Option<bool> {
    let expected = items(expected);
    if expected.is_empty() {
        return None;
    }
    Some(
        readings(typed, &expected)
            .iter()
            .any(|typed| same(order, &expected, typed)),
    )
}

/// Which items an utterance names, as one answer: right when it names them all and nothing else.
pub(crate) fn said(
    order: Order,
    expected: &str,
    others: &[String],
    text: &str,
) -> Option<Vec<bool>> {
    let expected = items(expected);
    if expected.is_empty() {
        return None;
    }
    let others: Vec<String> = others
        .iter()
        .flat_map(|other| items(other))
        .filter(|other| !expected.iter().any(|item| same_item(item, other)))
        .collect();
    // An item that is expected twice has one place for both.
    let first = |item: &String| expected.iter().position(|other| same_item(other, item));
    let wanted = expected.iter().map(|item| (item, first(item)));
    let candidates = wanted
        .clone()
        .chain(others.iter().map(|other| (other, None)))
        .map(|(item, place)| Candidate::new(item, place))
        .collect();
    let named = named(candidates, text);
    if named.is_empty() {
        return Some(Vec::new());
    }
    let Some(mut places) = named.into_iter().collect::<Option<Vec<usize>>>() else {
        return Some(vec![false]);
    };
    let mut whole: Vec<usize> = wanted.filter_map(|(_, place)| place).collect();
    if order == Order::Any {
        for row in [&mut places, &mut whole] {
            row.sort_unstable();
            row.dedup();
        }
    }
    // Said twice in a row it is still one list.
    let right = places.len().is_multiple_of(whole.len())
        && places.chunks(whole.len()).all(|row| row == whole);
    Some(vec![right])
}

fn same(order: Order, expected: &[String], typed: &[String]) -> bool {
    if expected.len() != typed.len() {
        return false;
    }
    if order == Order::Given {
        return expected
            .iter()
            .zip(typed)
            .all(|(expected, typed)| same_item(expected, typed));
    }
    let mut left: Vec<&String> = expected.iter().collect();
    typed.iter().all(|typed| {
        let place = left.iter().position(|expected| same_item(expected, typed));
        place.map(|place| left.swap_remove(place)).is_some()
    })
}

fn same_item(expected: &str, typed: &str) -> bool {
    let (expected, typed) = (normal(expected), normal(typed));
    let number = |text: &str| number::bare(text);
    expected == typed || number(&expected).is_some_and(|value| number(&typed) == Some(value))
}

/// The expected items: lines where there are several, else parts between semicolons, else between commas.
fn items(text: &str) -> Vec<String> {
    split(text, separator(text))
}

fn separator(text: &str) -> &'static [char] {
    if text.trim().contains('\n') {
        &['\n']
    } else if text.contains(';') {
        &[';']
    } else {
        &[',']
    }
}

fn split(text: &str, separators: &[char]) -> Vec<String> {
    text.split(separators)
        .map(|item| unmarked(item.trim().trim_end_matches([',', ';'])).to_owned())
        .filter(|item| !item.is_empty())
        .collect()
}

/// An item without its bullet or its number: `- red`, `1. red`, `2) red`.
fn unmarked(item: &str) -> &str {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &item[digits..];
    match rest.strip_prefix(['.', ')']) {
        Some(rest) if (1..=2).contains(&digits) && rest.starts_with(char::is_whitespace) => {
            rest.trim()
        }
        _ => item.strip_prefix(['-', '*', '•']).unwrap_or(item).trim(),
    }
}

/// The ways in which a typed text may be cut into items. An `and` may join two items or be a part of one; lone words
/// may stand with nothing but spaces between them.
fn readings(typed: &str, expected: &[String]) -> Vec<Vec<String>> {
    let typed = fold(typed).replace("->", "\u{2192}");
    let typed = typed.trim().trim_end_matches('.');
    let arrows: &[char] = &['\u{2192}', '>'];
    let separators = if typed.contains(arrows) {
        arrows
    } else {
        separator(typed)
    };
    let plain = split(typed, separators);
    let joined: Vec<String> = plain
        .iter()
        .map(|item| without_joint(item).to_owned())
        .collect();
    let apart = joined
        .iter()
        .flat_map(|item| {
            item.replace(" & ", " and ")
                .replace(" then ", " and ")
                .split(" and ")
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    // A long list may go on in the next line.
    let wrapped = split(typed, &[',', ';', '\n']);
    let mut readings = vec![plain, joined, apart, wrapped];
    let lone_words = expected.iter().all(|item| !normal(item).contains(' '));
    if lone_words && !typed.contains([',', ';', '\n']) {
        readings.push(
            normal(typed)
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        );
    }
    readings
}

/// The last item of `red, green, and blue`, or one of `first red, then green`.
fn without_joint(item: &str) -> &str {
    let mut item = item;
    for joint in ["and ", "& ", "then ", "first ", "finally ", "lastly "] {
        item = item.strip_prefix(joint).unwrap_or(item);
    }
    item
}
