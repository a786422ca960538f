//! What the model adapters share.
//!
//! An adapter is `client` (one HTTP exchange), `conversions` (pure: a neutral request into a provider's body, a
//! provider's answer into a neutral response) and glue. Everything here but [`client`] is pure as well. What is worth
//! knowing about an exchange besides its content is a *note*, and the glue logs it.
//!
//! Calls are handed on as the model wrote them: `dynacu_sdk::tools` is tolerant in one way for all adapters.

pub mod client;
pub mod fault;
pub mod history;
pub mod instants;
pub mod native;
pub mod reply;
pub mod settings;
pub mod turns;

#[cfg(not(target_arch = "wasm32"))]
pub mod fixtures;

use dynacu_sdk::BlobId;
use dynacu_sdk::blobs::{BlobError, BlobInfo};
use dynacu_sdk::model::{Message, ModelError, Part, Response, Role, Tool};
use serde_json::Value;

use dynacu_sdk::http::Json;

/// A provider's request, short of where it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The JSON body.
    pub body: Json,
    /// What of the neutral request was left out, one line each.
    pub notes: Vec<String>,
}

/// A response and what should be noted about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What goes to the policy.
    pub response: Response,
    /// One line each, for the log.
    pub notes: Vec<String>,
}

/// What the conversion of a reply comes to.
pub type Outcome = Result<Answer, ModelError>;

/// Looks up a blob's media type and size.
pub struct Media<'a>(pub &'a dyn Fn(&BlobId) -> Result<BlobInfo, BlobError>);

impl Media<'_> {
    /// The media type of a blob.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] when there is no such blob.
    pub fn type_of(&self, blob: &BlobId) -> Result<String, ModelError> {
        Ok(self.info(blob)?.media_type)
    }

    /// Checks that the blobs of a body fit, counted in base64.
    ///
    /// # Errors
    /// [`ModelError::ContextExceeded`]: fewer pictures will do.
    pub fn fit(&self, body: &Json, largest: u64) -> Result<(), ModelError> {
        let mut bytes = 0;
        for blob in body.blobs() {
            bytes += self.info(blob)?.size.div_ceil(3) * 4;
        }
        if bytes > largest {
            return Err(ModelError::ContextExceeded(format!(
                "{} pictures and clips of {bytes} bytes in base64, more than the {largest} of one request",
                body.blobs().len()
            )));
        }
        Ok(())
    }

    fn info(&self, blob: &BlobId) -> Result<BlobInfo, ModelError> {
        (self.0)(blob).map_err(|error| {
            ModelError::InvalidRequest(match error {
                BlobError::NotFound => format!("no blob of this episode has the id {blob}"),
                BlobError::TooLarge(quota) => format!("the blob {blob} is over {quota} bytes"),
                BlobError::Other(why) => format!("the blob {blob} could not be read: {why}"),
            })
        })
    }
}

/// The text of all system messages.
pub fn system_text(messages: &[Message]) -> String {
    let texts: Vec<&str> = messages
        .iter()
        .filter(|message| message.role == Role::System)
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image(_)
            | Part::Audio(_)
            | Part::ToolCall(_)
            | Part::ToolResult(_)
            | Part::Opaque(_) => None,
        })
        .collect();
    texts.join("\n\n")
}

/// The schema of a tool's arguments.
///
/// # Errors
/// [`ModelError::InvalidRequest`]: it is no JSON.
pub fn schema_of(tool: &Tool) -> Result<Value, ModelError> {
    serde_json::from_str(&tool.input_schema).map_err(|error| {
        ModelError::InvalidRequest(format!("the schema of the tool {}: {error}", tool.name))
    })
}

/// A part that a provider has no place for.
pub fn misplaced(provider: &str, what: &str) -> ModelError {
    ModelError::InvalidRequest(format!("{provider} takes no {what} there"))
}

/// The model that answered; noted where it is not the one that was asked, or a dated form of it.
pub fn answered_by(asked: &str, answered: Option<&str>, notes: &mut Vec<String>) -> String {
    let answered = answered.unwrap_or(asked);
    if !answered.starts_with(asked) {
        notes.push(format!("answered by {answered}"));
    }
    answered.to_owned()
}

/// Leaves only the text of an answer that was cut off or refused: a call in it may be half a call, whole as it looks.
pub fn drop_calls(parts: &mut Vec<Part>, notes: &mut Vec<String>) {
    let calls = parts
        .iter()
        .filter(|part| matches!(part, Part::ToolCall(_)))
        .count();
    if calls > 0 {
        notes.push(format!("dropped_calls: {calls}"));
    }
    parts.retain(|part| matches!(part, Part::Text(_)));
}
