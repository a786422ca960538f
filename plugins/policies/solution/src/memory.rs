//! What the script remembers: captures, and lists of rows of captures.

use std::collections::BTreeMap;

use dynacu_sdk::Point;

/// What was read or heard under one name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Capture {
    pub(crate) text: String,
    /// Where on the screen it was; none for what was heard.
    pub(crate) at: Option<Point>,
}

/// Captures that belong together: those of one match, or of one row of a list.
pub(crate) type Row = BTreeMap<String, Capture>;

/// Letters and digits in lower case: what counts in a comparison, since reading and hearing lose the rest.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// What tells a reading from others: the captures of `by`, or all where `by` is empty or has none of them.
pub(crate) fn key(row: &Row, by: &[String]) -> String {
    let part = |name: &String| Some(format!("{name}={}", plain(&row.get(name)?.text)));
    let parts: Vec<String> = by.iter().filter_map(part).collect();
    if parts.is_empty() {
        row.keys().filter_map(part).collect::<Vec<_>>().join("|")
    } else {
        parts.join("|")
    }
}

/// A row of captures without places.
#[cfg(test)]
pub(crate) fn row(captures: &[(&str, &str)]) -> Row {
    captures
        .iter()
        .map(|(name, text)| {
            let text = (*text).to_owned();
            ((*name).to_owned(), Capture { text, at: None })
        })
        .collect()
}
