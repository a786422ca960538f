//! A neutral request as a body of the Messages API.

use dynacu_sdk::BlobId;
use dynacu_sdk::http::Json;
use dynacu_sdk::model::{ModelError, Part, Request, Tool, ToolCall};
use model_wire::history::{History, Results, arguments_object};
use model_wire::settings::ToolSet;
use model_wire::turns::{Dialect, turns};
use model_wire::{Draft, Media, misplaced, native, schema_of, system_text};
use serde_json::{Value, json};

use super::{Settings, computer};
use crate::models::MAX_BYTES;

/// Makes the body.
///
/// # Errors
/// [`ModelError::InvalidRequest`] for what the API has no place for, [`ModelError::ContextExceeded`] for too many
/// bytes of pictures.
pub fn request(
    model: &str,
    settings: &Settings,
    request: &Request,
    media: &Media,
) -> Result<Draft, ModelError> {
    let mut notes = Vec::new();
    if request.temperature.is_some() {
        notes.push("temperature left out: current models refuse it".to_owned());
    }
    let limit = request
        .max_output_tokens
        .unwrap_or(settings.max_output_tokens);
    let mut body: Vec<(&'static str, Json)> =
        vec![("model", model.into()), ("max_tokens", limit.into())];
    let system = system_text(&request.messages);
    if !system.is_empty() {
        let mut block = json!({"type": "text", "text": system});
        if settings.cache {
            // The tools come before the system text in what is cached, so one mark covers both.
            block["cache_control"] = json!({"type": "ephemeral"});
        }
        body.push(("system", json!([block]).into()));
    }
    let tools = tools(model, settings, request)?;
    if !tools.is_empty() {
        body.push(("tools", Value::Array(tools).into()));
    }
    if let Some(effort) = &settings.effort {
        body.push(("output_config", json!({"effort": effort}).into()));
    }
    body.push((
        "messages",
        Json::Array(turns(&Messages(media), &request.messages)?),
    ));
    let body = Json::object(body);
    media.fit(&body, MAX_BYTES)?;
    Ok(Draft { body, notes })
}

fn tools(model: &str, settings: &Settings, request: &Request) -> Result<Vec<Value>, ModelError> {
    if request.tools.is_empty() {
        return Ok(Vec::new());
    }
    match settings.tools {
        ToolSet::Host => request.tools.iter().map(function).collect(),
        ToolSet::Native => {
            let mut tools = vec![computer::declaration(model, request.display)];
            for tool in native::beside(&request.tools) {
                tools.push(function(tool)?);
            }
            Ok(tools)
        }
    }
}

fn function(tool: &Tool) -> Result<Value, ModelError> {
    let schema = schema_of(tool)?;
    Ok(json!({"name": tool.name, "description": tool.description, "input_schema": schema}))
}

struct Messages<'a>(&'a Media<'a>);

impl Dialect for Messages<'_> {
    const PROTOCOL: &'static str = "the Messages API";
    const MODEL: &'static str = "assistant";
    const PARTS: &'static str = "content";

    fn text(&self, text: &str) -> Json {
        json!({"type": "text", "text": text}).into()
    }

    fn medium(&self, part: &Part) -> Result<Json, ModelError> {
        match part {
            Part::Image(blob) => image(blob, self.0),
            Part::Audio(_) => Err(misplaced(Self::PROTOCOL, "audio")),
            Part::Text(_) | Part::ToolCall(_) | Part::ToolResult(_) | Part::Opaque(_) => {
                Err(misplaced(Self::PROTOCOL, "such part"))
            }
        }
    }

    fn call(&self, call: &ToolCall) -> Json {
        let input = arguments_object(call);
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}).into()
    }

    fn result(
        &self,
        result: &Results,
        _history: &History,
        _parts: &mut Vec<Json>,
    ) -> Result<Json, ModelError> {
        tool_result(result, self.0)
    }
}

fn tool_result(result: &Results, media: &Media) -> Result<Json, ModelError> {
    let mut content = Vec::new();
    let text = result.text();
    if !text.is_empty() {
        content.push(json!({"type": "text", "text": text}).into());
    }
    for blob in result.images() {
        content.push(image(blob, media)?);
    }
    let mut block: Vec<(&'static str, Json)> = vec![
        ("type", "tool_result".into()),
        ("tool_use_id", result.id.as_str().into()),
    ];
    let toolset = result
        .kept
        .as_ref()
        .and_then(|kept| kept.part.get("toolset_name"));
    if let Some(toolset) = toolset {
        block.push(("toolset_name", toolset.clone().into()));
    }
    if result.is_error() {
        block.push(("is_error", true.into()));
    }
    block.push(("content", Json::Array(content)));
    Ok(Json::object(block))
}

fn image(blob: &BlobId, media: &Media) -> Result<Json, ModelError> {
    let source = Json::object(vec![
        ("type", "base64".into()),
        ("media_type", media.type_of(blob)?.into()),
        ("data", Json::base64(blob)),
    ]);
    Ok(Json::object(vec![
        ("type", "image".into()),
        ("source", source),
    ]))
}
