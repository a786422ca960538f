//! The arguments of a call, taken out one by one.

use serde_json::{Map, Value};

use super::Unusable;
use super::text::first_object;
use crate::{ActionKind, Duration};

/// A longer wait is cut to this many seconds: a typing error should not cost an episode.
const LONGEST_WAIT: f64 = 60.0;
/// Times that arguments may have been written as a string inside a string.
const ENCODED: usize = 2;

/// The arguments of one call; what is read is taken out.
pub(super) struct Arguments {
    pub(super) kind: ActionKind,
    pub(super) object: Map<String, Value>,
    pub(super) tolerated: Vec<String>,
}

impl Arguments {
    pub(super) fn wrong(&self, key: &str, what: &str) -> Unusable {
        Unusable(format!("`{key}` of `{}` {what}", self.kind))
    }

    /// Takes a pair such as `coordinate: [x, y]` apart, where the two are not there themselves.
    pub(super) fn spread(&mut self, pair: &str, x: &str, y: &str) -> Result<(), Unusable> {
        if self.object.contains_key(x) || self.object.contains_key(y) {
            return Ok(());
        }
        match self.object.remove(pair) {
            None => Ok(()),
            Some(Value::Array(values)) if values.len() == 2 => {
                for (key, value) in [x, y].into_iter().zip(values) {
                    self.object.insert(key.to_owned(), value);
                }
                self.tolerated.push(format!("`{pair}` for `{x}` and `{y}`"));
                Ok(())
            }
            Some(_) => Err(self.wrong(pair, &format!("is not used; give `{x}` and `{y}`"))),
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Result<Option<f64>, Unusable> {
        let number = match self.object.remove(key) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) if digits(text.trim()) => {
                self.tolerated.push(format!("`{key}` in quotes"));
                text.trim().parse().ok()
            }
            Some(_) => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(key, "is not a number")),
        }
    }

    pub(super) fn whole(&mut self, key: &str) -> Result<Option<i64>, Unusable> {
        match self.number(key)? {
            None => Ok(None),
            Some(number) if number.fract() == 0.0 && number.abs() < 1e9 => Ok(Some(number as i64)),
            Some(_) => Err(self.wrong(key, "is not a whole number")),
        }
    }

    /// A word of a short list.
    pub(super) fn word(&mut self, key: &str) -> Result<Option<String>, Unusable> {
        match self.object.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(word)) => Ok(Some(word.trim().to_lowercase())),
            Some(_) => Err(self.wrong(key, "is not a word")),
        }
    }

    /// The first of these keys that is there.
    pub(super) fn text(&mut self, keys: &[&str]) -> Result<String, Unusable> {
        for (place, key) in keys.iter().enumerate() {
            let Some(value) = self.object.remove(*key) else {
                continue;
            };
            if place > 0 {
                self.tolerated.push(format!("`{key}` for `{}`", keys[0]));
            }
            return match value {
                Value::String(text) => Ok(text),
                Value::Number(number) => {
                    self.tolerated.push(format!("`{key}` without quotes"));
                    Ok(number.to_string())
                }
                Value::Array(names) if self.kind == ActionKind::Key => {
                    self.tolerated.push(format!("`{key}` as a list"));
                    let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
                    match names {
                        Some(names) => Ok(names.join("+")),
                        None => Err(self.wrong(key, "is not a text")),
                    }
                }
                _ => Err(self.wrong(key, "is not a text")),
            };
        }
        Err(self.wrong(keys[0], "is missing"))
    }

    pub(super) fn chord(&mut self) -> Result<String, Unusable> {
        let written = self.text(&["combo", "key", "keys", "text"])?;
        if written == "\n" {
            return Ok("Return".to_owned());
        }
        if written == " " {
            return Ok("space".to_owned());
        }
        let mut chord = written.trim().to_owned();
        let first = chord.split(['-', '+']).next().unwrap_or_default();
        let modifier = matches!(
            first.to_lowercase().as_str(),
            "ctrl" | "control" | "shift" | "alt" | "meta" | "super" | "cmd"
        );
        if modifier && !chord.contains('+') {
            let joined = chord.replace('-', "+");
            if joined != chord {
                self.tolerated.push("`-` for `+`".to_owned());
                chord = joined;
            }
        }
        if chord == "+" || chord.ends_with("++") {
            chord.truncate(chord.len() - 1);
            chord.push_str("plus");
        }
        if chord.is_empty() || chord.ends_with('+') || chord.contains(char::is_whitespace) {
            return Err(self.wrong("combo", "is one chord, for example ctrl+a"));
        }
        Ok(chord)
    }

    pub(super) fn time(&mut self) -> Result<Duration, Unusable> {
        let key = if self.object.contains_key("duration") && !self.object.contains_key("seconds") {
            self.tolerated.push("`duration` for `seconds`".to_owned());
            "duration"
        } else {
            "seconds"
        };
        match self.number(key)? {
            None => {
                self.tolerated.push("no `seconds`: one second".to_owned());
                Ok(Duration::from_secs(1))
            }
            Some(seconds) if seconds < 0.0 => Err(self.wrong(key, "is below 0")),
            Some(seconds) => {
                if seconds > LONGEST_WAIT {
                    self.tolerated
                        .push(format!("{seconds} s cut to {LONGEST_WAIT} s"));
                }
                Ok(std::time::Duration::from_secs_f64(seconds.min(LONGEST_WAIT)).into())
            }
        }
    }
}

/// Plain decimal digits, with a sign and a point perhaps: no `inf`, no exponents, no other scripts.
fn digits(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    unsigned.starts_with(|first: char| first.is_ascii_digit())
        && unsigned
            .chars()
            .all(|character| character.is_ascii_digit() || character == '.')
}

/// The arguments as an object, in spite of what happens to them on the way.
pub(super) fn object(written: &str, tolerated: &mut Vec<String>) -> Option<Map<String, Value>> {
    if written.trim().is_empty() {
        return Some(Map::new());
    }
    let mut value: Value = match serde_json::from_str(written) {
        Ok(value) => value,
        Err(_) => {
            tolerated.push("arguments with stray characters".to_owned());
            Value::Object(first_object(written)?)
        }
    };
    for _ in 0..ENCODED {
        let Value::String(inner) = &value else { break };
        tolerated.push("arguments as a string in a string".to_owned());
        value = serde_json::from_str(inner).ok()?;
    }
    match value {
        Value::Object(object) => Some(object),
        Value::Null => Some(Map::new()),
        _ => None,
    }
}
