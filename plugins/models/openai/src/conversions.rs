//! Between neutral requests and OpenAI's two protocols; pure.

pub mod responses;

use chat_completions::Dialect;
use dynacu_sdk::model::ModelError;
use model_wire::settings::{SafetyChecks, ToolSet};
use serde::Deserialize;

use crate::models;

/// The adapter's settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Which protocol.
    pub api: Api,
    /// Own tools, or the computer tool.
    pub tools: ToolSet,
    /// `none`, `low`, `medium`, `high` and so on; the model's own default where it is left out.
    pub effort: Option<String>,
    /// `low`, `high`, `original` or `auto` for all pictures; the finest that the model takes where it is left out.
    pub detail: Option<String>,
    /// `required` or `auto`.
    pub tool_choice: String,
    /// What to do with a call that a person should confirm.
    pub safety_checks: SafetyChecks,
    /// Where the request sets no limit. Hidden reasoning counts.
    pub max_output_tokens: u32,
}

/// The protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// By the model.
    #[default]
    Auto,
    /// Chat Completions.
    Chat,
    /// Responses.
    Responses,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            api: Api::Auto,
            tools: ToolSet::Host,
            effort: None,
            detail: None,
            tool_choice: "required".to_owned(),
            safety_checks: SafetyChecks::Continue,
            max_output_tokens: 8192,
        }
    }
}

impl Settings {
    /// Whether a model is spoken to through Chat Completions.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`]: the computer tool was chosen, which is not there.
    pub fn is_chat(&self, model: &str) -> Result<bool, ModelError> {
        let chat = match self.api {
            Api::Auto => models::is_of_chat(model),
            Api::Chat => true,
            Api::Responses => false,
        };
        if chat && self.tools == ToolSet::Native {
            return Err(ModelError::InvalidRequest(format!(
                "tools = \"native\": Chat Completions, which {model} is asked through, has no computer tool"
            )));
        }
        Ok(chat)
    }
}

/// Chat Completions as OpenAI speaks it.
pub fn chat(model: &str, settings: &Settings) -> Dialect {
    let mut extra = serde_json::Map::new();
    extra.insert("store".to_owned(), false.into());
    if let Some(effort) = &settings.effort {
        extra.insert("reasoning_effort".to_owned(), effort.as_str().into());
    }
    let detail = settings.detail.as_deref();
    Dialect {
        limit: "max_completion_tokens",
        max_output_tokens: settings.max_output_tokens,
        tool_choice: Some(settings.tool_choice.clone()),
        detail: Some(detail.unwrap_or_else(|| models::detail(model)).to_owned()),
        temperature: models::is_of_chat(model),
        extra,
        max_bytes: models::MAX_BYTES,
    }
}
