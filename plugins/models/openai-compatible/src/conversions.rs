//! Settings of a server, and what they make of the protocol; pure.

use chat_completions as chat;
use chat_completions::Dialect;
use dynacu_sdk::http;
use dynacu_sdk::model::{Capabilities, Part, Request};
use model_wire::Outcome;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Characters that one token stands for at the very most, over a whole prompt.
const CHARACTERS_OF_A_TOKEN: u64 = 10;

/// What the operator knows of a server and its model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Where the server has the protocol, below its address.
    pub path: String,
    /// Whether the model sees.
    pub images: bool,
    /// Pictures of one request.
    pub max_images: Option<u32>,
    /// Whether the model hears.
    pub audio: bool,
    /// Whether the server offers tools to the model; without, policies ask for an action in words.
    pub tools: bool,
    /// The size of the grid that the model answers on; pixels of the picture where it is left out.
    pub coordinate_grid: Option<u32>,
    /// `auto`, `required`, or none at all for servers that do not know the field.
    pub tool_choice: Option<String>,
    /// The name of the field for the limit of the output.
    pub limit_field: LimitField,
    /// Where the request sets no limit.
    pub max_output_tokens: u32,
    /// The `detail` of pictures, for servers that know it.
    pub detail: Option<String>,
    /// Further members of the body, for example `chat_template_kwargs`.
    pub extra: Map<String, Value>,
}

/// The name of a field that changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// What all of them know.
    #[default]
    MaxTokens,
    /// What OpenAI calls it now.
    MaxCompletionTokens,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            path: "/v1/chat/completions".to_owned(),
            images: true,
            max_images: None,
            audio: false,
            tools: true,
            coordinate_grid: None,
            tool_choice: None,
            limit_field: LimitField::MaxTokens,
            max_output_tokens: 4096,
            detail: None,
            extra: Map::new(),
        }
    }
}

impl Settings {
    /// As the policy is told.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities {
            images: self.images,
            max_images: self.max_images,
            audio: self.audio,
            tools: self.tools,
            coordinate_grid: self.coordinate_grid,
        }
    }

    /// The protocol as this server speaks it.
    pub fn dialect(&self) -> Dialect {
        Dialect {
            limit: match self.limit_field {
                LimitField::MaxTokens => "max_tokens",
                LimitField::MaxCompletionTokens => "max_completion_tokens",
            },
            max_output_tokens: self.max_output_tokens,
            tool_choice: self.tool_choice.clone(),
            detail: self.detail.clone(),
            temperature: true,
            extra: self.extra.clone(),
            max_bytes: u64::MAX,
        }
    }
}

/// Reads the answer, and notes where the server seems to have read only a part of the prompt: some drop its beginning,
/// instructions and tools with it, without a word.
///
/// # Errors
/// As [`chat::answer`].
pub fn answer(model: &str, turn: usize, request: &Request, reply: &http::Response) -> Outcome {
    let mut answer = chat::answer(model, turn, reply)?;
    let characters: usize = request
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .map(|part| match part {
            Part::Text(text) => text.chars().count(),
            Part::Image(_)
            | Part::Audio(_)
            | Part::ToolCall(_)
            | Part::ToolResult(_)
            | Part::Opaque(_) => 0,
        })
        .sum();
    if let Some(usage) = answer.response.usage
        && usage.input_tokens > 0
        && usage.input_tokens.saturating_mul(CHARACTERS_OF_A_TOKEN) < characters as u64
    {
        answer.notes.push(format!(
            "prompt_cut: {} tokens were read of a prompt of {characters} characters; raise the server's context",
            usage.input_tokens
        ));
    }
    Ok(answer)
}
