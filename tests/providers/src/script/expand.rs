//! Placeholders in answers: `{name}` is what a regular expression captured, `{table:name}` is looked up by it. `{{` is a
//! brace.

use serde_json::{Map, Value};

use super::Tables;
use super::rule::{Answer, Captures, Part, Reaction};

/// A piece of a text with placeholders.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Plain(&'a str),
    Capture(&'a str),
    Lookup { table: &'a str, capture: &'a str },
}

/// Cuts a text into its pieces.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut rest = text;
    let mut found = Vec::new();
    while let Some(open) = rest.find('{') {
        found.push(Piece::Plain(&rest[..open]));
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            found.push(Piece::Plain("{"));
            rest = after;
            continue;
        }
        let close = rest
            .find('}')
            .ok_or_else(|| format!("a `{{` is never closed in `{text}`"))?;
        let inside = &rest[..close];
        found.push(match inside.split_once(':') {
            Some((table, capture)) => Piece::Lookup { table, capture },
            None => Piece::Capture(inside),
        });
        rest = &rest[close + 1..];
    }
    found.push(Piece::Plain(rest));
    Ok(found)
}

/// Every text of an answer that may have placeholders.
pub(super) fn texts(answer: &Answer) -> Vec<&str> {
    fn inside<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(items) => items.iter().for_each(|item| inside(item, texts)),
            Value::Object(map) => map.values().for_each(|item| inside(item, texts)),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    for part in &answer.parts {
        match part {
            Part::Text(text) | Part::Thinking(text) => texts.push(text.as_str()),
            Part::Call { arguments, .. } => {
                arguments
                    .values()
                    .for_each(|value| inside(value, &mut texts));
            }
        }
    }
    texts
}

fn text(text: &str, captures: &Captures, tables: &Tables) -> String {
    let captured = |name: &str| captures.get(name).map_or("", String::as_str);
    let looked_up = |table: &str, capture: &str| {
        let key = captured(capture)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let mut entries = tables.get(table).into_iter().flatten();
        let found = entries.find(|(name, _)| name.eq_ignore_ascii_case(&key));
        found.map_or("", |(_, value)| value.as_str()).to_owned()
    };
    // The script was checked when it was read; a text that cannot be cut is one without placeholders.
    let pieces = pieces(text).unwrap_or_else(|_| vec![Piece::Plain(text)]);
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Plain(plain) => (*plain).to_owned(),
        Piece::Capture(name) => captured(name).to_owned(),
        Piece::Lookup { table, capture } => looked_up(table, capture),
    };
    pieces.iter().map(piece).collect()
}

fn value(template: &Value, captures: &Captures, tables: &Tables) -> Value {
    match template {
        Value::String(template) => Value::String(text(template, captures, tables)),
        Value::Array(items) => {
            let items = items.iter().map(|item| value(item, captures, tables));
            Value::Array(items.collect())
        }
        Value::Object(map) => Value::Object(object(map, captures, tables)),
        other => other.clone(),
    }
}

fn object(map: &Map<String, Value>, captures: &Captures, tables: &Tables) -> Map<String, Value> {
    let entries = map.iter();
    entries
        .map(|(name, item)| (name.clone(), value(item, captures, tables)))
        .collect()
}

/// The reaction with its placeholders filled in.
pub(super) fn reaction(template: &Reaction, captures: &Captures, tables: &Tables) -> Reaction {
    let Reaction::Answer(answer, cut) = template else {
        return template.clone();
    };
    let part = |part: &Part| match part {
        Part::Text(template) => Part::Text(text(template, captures, tables)),
        Part::Thinking(template) => Part::Thinking(text(template, captures, tables)),
        Part::Call { tool, arguments } => Part::Call {
            tool: tool.clone(),
            arguments: object(arguments, captures, tables),
        },
    };
    let parts = answer.parts.iter().map(part).collect();
    let answer = Answer {
        parts,
        ..answer.clone()
    };
    Reaction::Answer(answer, *cut)
}
