//! What the server remembers of each request.

use serde::Serialize;
use serde_json::Value;

use crate::neutral::NeutralRequest;

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Outcome {
    /// A rule answered, as a model or with the trouble that the script wanted.
    Answered { rule: String },
    /// The list of models was given.
    Listed,
    /// The real server would have rejected it.
    Rejected { why: String },
    /// It was a good request, and no rule of the script held.
    Unmatched,
}

/// One request and what was made of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Exchange {
    /// From 1.
    pub number: u32,
    pub method: String,
    pub path: String,
    /// Names in lower case. Credentials are kept: this server only ever gets invented ones.
    pub headers: Vec<(String, String)>,
    /// The body, with long base64 shortened to its length.
    pub body: Value,
    /// None where it was rejected.
    pub seen: Option<NeutralRequest>,
    pub outcome: Outcome,
    pub status: u16,
    /// What was sent back, as far as it is text.
    pub reply: String,
}

/// Strings longer than this that hold one long word are media.
const LONG: usize = 2_000;

/// The body without its media.
pub(crate) fn shortened(body: &Value) -> Value {
    match body {
        Value::String(text) if text.len() > LONG && !text.contains(char::is_whitespace) => {
            let start: String = text.chars().take(40).collect();
            Value::String(format!("{start}… ({} characters)", text.len()))
        }
        Value::Array(items) => Value::Array(items.iter().map(shortened).collect()),
        Value::Object(map) => {
            let entries = map.iter();
            Value::Object(
                entries
                    .map(|(name, item)| (name.clone(), shortened(item)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}
