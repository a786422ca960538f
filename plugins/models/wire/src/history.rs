//! Calls and results of earlier turns, as the provider wrote them.
//!
//! A provider's own part travels through the policy as [`Part::Opaque`] and comes back unchanged. Where it stands for
//! calls (a native call that became several, a call with a signature), it says so, and those calls are not sent again.

use std::collections::HashMap;

use dynacu_sdk::BlobId;
use dynacu_sdk::model::{Message, ModelError, Part, ToolCall, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A provider's own part on its way through the policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The part, unchanged.
    pub part: Value,
    /// The ids of the neutral calls that it stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// The provider's id of the call, which results name; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
}

impl Kept {
    /// A part that stands for no call: reasoning.
    pub fn part(part: Value) -> Part {
        Self {
            part,
            calls: Vec::new(),
            id: String::new(),
        }
        .into_part()
    }

    /// A part that stands for these calls.
    pub fn calls(part: Value, id: &str, calls: &[ToolCall]) -> Part {
        Self {
            part,
            calls: calls.iter().map(|call| call.id.clone()).collect(),
            id: id.to_owned(),
        }
        .into_part()
    }

    fn into_part(self) -> Part {
        Part::Opaque(serde_json::json!(self).to_string())
    }

    /// Reads it back.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`]: the policy sends what no adapter wrote.
    pub fn read(opaque: &str) -> Result<Self, ModelError> {
        serde_json::from_str(opaque).map_err(|error| {
            ModelError::InvalidRequest(format!("an opaque part that no adapter wrote: {error}"))
        })
    }
}

/// All calls of a conversation.
#[derive(Debug, Default)]
pub struct History {
    kept: HashMap<String, Kept>,
    names: HashMap<String, String>,
}

impl History {
    /// Reads the calls of all turns.
    ///
    /// # Errors
    /// As [`Kept::read`].
    pub fn of(messages: &[Message]) -> Result<Self, ModelError> {
        let mut history = Self::default();
        for part in messages.iter().flat_map(|message| &message.parts) {
            match part {
                Part::Opaque(opaque) => {
                    let kept = Kept::read(opaque)?;
                    for call in &kept.calls {
                        history.kept.insert(call.clone(), kept.clone());
                    }
                }
                Part::ToolCall(call) => {
                    history.names.insert(call.id.clone(), call.name.clone());
                }
                Part::Text(_) | Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) => {}
            }
        }
        Ok(history)
    }

    /// The provider's own part that stands for a call.
    pub fn kept(&self, call: &str) -> Option<&Kept> {
        self.kept.get(call)
    }

    /// The name of a call.
    pub fn name(&self, call: &str) -> Option<&str> {
        self.names.get(call).map(String::as_str)
    }

    /// Results as the provider counts them: those of calls that were one call there are together.
    pub fn grouped<'a>(&self, results: &[&'a ToolResult]) -> Vec<Results<'a>> {
        let mut groups: Vec<Results> = Vec::new();
        for &result in results {
            let kept = self.kept(&result.id);
            let same = |group: &&mut Results| {
                kept.is_some_and(|kept| kept.calls.contains(&group.results[0].id))
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.results.push(result),
                None => groups.push(Results {
                    id: match kept {
                        Some(kept) => kept.id.clone(),
                        None => result.id.clone(),
                    },
                    kept: kept.cloned(),
                    results: vec![result],
                }),
            }
        }
        groups
    }
}

/// The results of one call as the provider counts them.
#[derive(Debug)]
pub struct Results<'a> {
    /// The provider's id.
    pub id: String,
    /// The call, where it was kept.
    pub kept: Option<Kept>,
    /// At least one.
    pub results: Vec<&'a ToolResult>,
}

impl Results<'_> {
    /// The texts of all, one a line.
    pub fn text(&self) -> String {
        use dynacu_sdk::model::ToolOutput;
        let texts: Vec<&str> = self
            .results
            .iter()
            .flat_map(|result| &result.output)
            .filter_map(|output| match output {
                ToolOutput::Text(text) => Some(text.as_str()),
                ToolOutput::Image(_) => None,
            })
            .collect();
        texts.join("\n")
    }

    /// The pictures of all.
    pub fn images(&self) -> Vec<&BlobId> {
        use dynacu_sdk::model::ToolOutput;
        self.results
            .iter()
            .flat_map(|result| &result.output)
            .filter_map(|output| match output {
                ToolOutput::Image(blob) => Some(blob),
                ToolOutput::Text(_) => None,
            })
            .collect()
    }

    /// Whether one of them is an error.
    pub fn is_error(&self) -> bool {
        self.results.iter().any(|result| result.is_error)
    }
}

/// The arguments of a call as the object that providers insist on in a history; what was no object is shown as text.
pub fn arguments_object(call: &ToolCall) -> Value {
    match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(object)) => Value::Object(object),
        Ok(Value::Null) => Value::Object(Map::new()),
        _ if call.arguments.trim().is_empty() => Value::Object(Map::new()),
        _ => serde_json::json!({"unreadable": call.arguments}),
    }
}
