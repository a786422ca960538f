//! A call that was written into text, by a model without tools or by one that forgot them.

use serde_json::{Map, Value};

use super::read::known;
use super::{ReadCall, Tools, Unusable};

/// Keys under which the name of an action is found, and those under which its arguments are.
const NAMES: [&str; 4] = ["action", "name", "tool", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "args", "input", "parameters"];
/// Bytes that are walked through in search of objects. Each brace may cost a walk through the rest of the text.
const WALK: usize = 4 * LONGEST;
/// Bytes of a text that are looked at; no answer to one step is so long.
const LONGEST: usize = 65_536;
/// How the thinking of a model is marked where its server does not take it out.
const THINKING: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

impl Tools {
    /// The one action that a text names, or none where it names no action at all.
    ///
    /// What is marked as thinking is left out. Then every JSON object that names a known action counts, wherever it
    /// stands: alone, in a fence, in prose, in a tag that names it. Several that say the same are one.
    ///
    /// ```
    /// use dynacu_sdk::{Action, Size, tools::Tools};
    ///
    /// let tools = Tools::new(Size { width: 1280, height: 720 });
    /// let read = tools.recover("I will search.\n```json\n{\"action\": \"key\", \"combo\": \"Return\"}\n```").unwrap();
    /// assert_eq!(read.unwrap().action, Action::key("Return"));
    /// assert_eq!(tools.recover("I think that I am done."), Ok(None));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unusable`] where two different actions are named, or where the one cannot be read.
    pub fn recover(&self, text: &str) -> Result<Option<ReadCall>, Unusable> {
        let text = without_thinking(&text[..text.floor_char_boundary(LONGEST)]);
        let calls = objects(&text);
        let mut calls = calls
            .into_iter()
            .filter_map(|(before, object)| named(before, object));
        let Some((name, arguments)) = calls.next() else {
            return Ok(None);
        };
        if calls.any(|(other, others)| (&other, &others) != (&name, &arguments)) {
            return Err(Unusable(
                "the text names several different actions; name one".to_owned(),
            ));
        }
        let mut read = self.read_call(&name, &arguments.to_string())?;
        read.tolerated.push("a call written as text".to_owned());
        Ok(Some(read))
    }
}

/// The name and the arguments of an object that is a call.
fn named(before: &str, mut object: Map<String, Value>) -> Option<(String, Value)> {
    let name = NAMES.iter().find_map(|key| {
        let name = object.get(*key)?.as_str()?.to_owned();
        known(&name)?;
        object.remove(*key);
        Some(name)
    });
    let name = name.or_else(|| tagged(before))?;
    let arguments = ARGUMENTS
        .iter()
        .find_map(|key| object.remove(*key))
        .unwrap_or(Value::Object(object));
    Some((name, arguments))
}

/// The name in a tag right before an object: `<tool_call name="click">`.
fn tagged(before: &str) -> Option<String> {
    let tag = before.trim_end().strip_suffix('>')?;
    let tag = &tag[tag.rfind('<')?..];
    let name = tag.split_once("name=\"")?.1.split_once('"')?.0;
    known(name).map(|_| name.to_owned())
}

fn without_thinking(text: &str) -> String {
    let mut left = text.to_owned();
    for (open, close) in THINKING {
        let mut kept = String::new();
        let mut rest = left.as_str();
        while let Some((before, after)) = rest.split_once(open) {
            kept.push_str(before);
            // Never closed: all that follows is thinking.
            rest = after.split_once(close).map_or("", |(_, after)| after);
        }
        kept.push_str(rest);
        // Closed, but never opened: all before it is.
        left = match kept.rfind(close) {
            Some(end) => kept.split_off(end + close.len()),
            None => kept,
        };
    }
    left
}

/// The first JSON object of a text. One comma too many before its end is forgiven.
pub(super) fn first_object(text: &str) -> Option<Map<String, Value>> {
    let start = text.find('{')?;
    parse(balanced(&text[start..])?)
}

/// Every outermost JSON object, each with the text before it.
fn objects(text: &str) -> Vec<(&str, Map<String, Value>)> {
    let mut found = Vec::new();
    let (mut from, mut walked) = (0, 0);
    while let Some(offset) = text[from..].find('{') {
        let start = from + offset;
        let piece = balanced(&text[start..]);
        walked += piece.map_or(text.len() - start, str::len);
        if walked > WALK {
            break;
        }
        match piece.and_then(|piece| Some((piece.len(), parse(piece)?))) {
            Some((length, object)) => {
                found.push((&text[..start], object));
                from = start + length;
            }
            None => from = start + 1,
        }
    }
    found
}

fn parse(piece: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(piece).ok().or_else(|| {
        let inner = piece.strip_suffix('}')?.trim_end().strip_suffix(',')?;
        serde_json::from_str(&format!("{inner}}}")).ok()
    })
}

/// From the brace that a text begins with to the one that closes it; braces inside strings do not count.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[..=at]);
                }
            }
            _ => {}
        }
    }
    None
}
