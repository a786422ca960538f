//! A neutral request as a body of the Messages API.

use dynacu_sdk::http::Json;
use dynacu_sdk::model::{ModelError, Part, Request, Role, Tool};
use model_wire::history::{History, Kept, Results, arguments_object};
use model_wire::settings::ToolSet;
use model_wire::{Draft, Media, misplaced, native, system_text};
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
    body.push(("messages", Json::Array(messages(request, media)?)));
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
    let schema: Value = serde_json::from_str(&tool.input_schema).map_err(|error| {
        ModelError::InvalidRequest(format!("the schema of the tool {}: {error}", tool.name))
    })?;
    Ok(json!({"name": tool.name, "description": tool.description, "input_schema": schema}))
}

/// One turn of the API: neighbours of one role are one message there.
struct Turn {
    role: &'static str,
    /// Results come first in a user turn.
    results: Vec<Json>,
    content: Vec<Json>,
}

fn messages(request: &Request, media: &Media) -> Result<Vec<Json>, ModelError> {
    let history = History::of(&request.messages)?;
    let mut turns: Vec<Turn> = Vec::new();
    for message in &request.messages {
        let role = match message.role {
            Role::System => continue,
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        if turns.last().is_none_or(|turn| turn.role != role) {
            turns.push(Turn {
                role,
                results: Vec::new(),
                content: Vec::new(),
            });
        }
        let Some(turn) = turns.last_mut() else {
            continue;
        };
        let mut results = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text(text) if text.is_empty() => {}
                Part::Text(text) => turn
                    .content
                    .push(json!({"type": "text", "text": text}).into()),
                Part::Image(blob) if role == "user" => turn.content.push(image(blob, media)?),
                Part::ToolCall(call) if role == "assistant" => {
                    if history.kept(&call.id).is_none() {
                        let input = arguments_object(call);
                        let call = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input});
                        turn.content.push(call.into());
                    }
                }
                Part::Opaque(opaque) if role == "assistant" => {
                    turn.content.push(Kept::read(opaque)?.part.into());
                }
                Part::ToolResult(result) if role == "user" => results.push(result),
                Part::Audio(_) => return Err(misplaced("the Messages API", "audio")),
                Part::Image(_) => return Err(misplaced("the Messages API", "image")),
                Part::ToolCall(_) => return Err(misplaced("the Messages API", "tool call")),
                Part::Opaque(_) => return Err(misplaced("the Messages API", "part of its own")),
                Part::ToolResult(_) => return Err(misplaced("the Messages API", "tool result")),
            }
        }
        for result in history.grouped(&results) {
            turn.results.push(tool_result(&result, media)?);
        }
    }
    Ok(turns
        .into_iter()
        .filter(|turn| !turn.results.is_empty() || !turn.content.is_empty())
        .map(|mut turn| {
            turn.results.append(&mut turn.content);
            Json::object(vec![
                ("role", turn.role.into()),
                ("content", Json::Array(turn.results)),
            ])
        })
        .collect())
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

fn image(blob: &str, media: &Media) -> Result<Json, ModelError> {
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
