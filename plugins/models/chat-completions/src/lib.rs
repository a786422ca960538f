//! The Chat Completions protocol: OpenAI's own, and what servers that are compatible with it make of it. Pure.

mod answer;
mod fault;
mod request;

pub use answer::answer;
pub use fault::fault;
pub use request::request;

use serde_json::{Map, Value};

/// In what the servers differ.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The field for the limit of the output: `max_completion_tokens`, or `max_tokens` for servers that know only that.
    pub limit: &'static str,
    /// Its value where the request has none.
    pub max_output_tokens: u32,
    /// Sent where tools are offered.
    pub tool_choice: Option<String>,
    /// The `detail` of pictures.
    pub detail: Option<String>,
    /// Whether a temperature is sent on.
    pub temperature: bool,
    /// Further members of the body.
    pub extra: Map<String, Value>,
    /// Bytes of one request, pictures in base64 included.
    pub max_bytes: u64,
}
