//! A neutral request as a body of Responses.

use dynacu_sdk::BlobId;
use dynacu_sdk::http::Json;
use dynacu_sdk::model::{Message, ModelError, Part, Request, Role, Tool};
use model_wire::history::{History, Kept, Results};
use model_wire::settings::ToolSet;
use model_wire::{Draft, Media, misplaced, native, schema_of, system_text};
use serde_json::{Value, json};

use crate::conversions::Settings;
use crate::models;

/// Makes the body. Nothing is stored at the provider, so reasoning travels with the conversation, encrypted.
///
/// # Errors
/// [`ModelError::InvalidRequest`] for what the protocol has no place for, [`ModelError::ContextExceeded`] for too many
/// bytes of pictures.
pub fn request(
    model: &str,
    settings: &Settings,
    request: &Request,
    media: &Media,
) -> Result<Draft, ModelError> {
    let mut notes = Vec::new();
    if request.temperature.is_some() {
        notes.push("temperature left out: reasoning models refuse it".to_owned());
    }
    let limit = request
        .max_output_tokens
        .unwrap_or(settings.max_output_tokens);
    let mut body: Vec<(&'static str, Json)> = vec![
        ("model", model.into()),
        ("max_output_tokens", limit.into()),
        ("store", false.into()),
        ("include", json!(["reasoning.encrypted_content"]).into()),
    ];
    let system = system_text(&request.messages);
    if !system.is_empty() {
        body.push(("instructions", system.into()));
    }
    if let Some(effort) = &settings.effort {
        body.push(("reasoning", json!({"effort": effort}).into()));
    }
    if !request.tools.is_empty() {
        body.push((
            "tools",
            Value::Array(tools(settings, &request.tools)?).into(),
        ));
        body.push(("tool_choice", settings.tool_choice.as_str().into()));
    }
    let pictures = Pictures {
        detail: settings
            .detail
            .as_deref()
            .unwrap_or_else(|| models::detail(model)),
        media,
    };
    body.push(("input", Json::Array(items(&request.messages, &pictures)?)));
    let body = Json::object(body);
    media.fit(&body, models::MAX_BYTES)?;
    Ok(Draft { body, notes })
}

fn tools(settings: &Settings, offered: &[Tool]) -> Result<Vec<Value>, ModelError> {
    match settings.tools {
        ToolSet::Host => offered.iter().map(function).collect(),
        ToolSet::Native => {
            let mut tools = vec![json!({"type": "computer"})];
            for tool in native::beside(offered) {
                tools.push(function(tool)?);
            }
            Ok(tools)
        }
    }
}

/// Not strict: that would make every optional argument a required one that may be null.
fn function(tool: &Tool) -> Result<Value, ModelError> {
    let schema = schema_of(tool)?;
    Ok(json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": schema,
        "strict": false,
    }))
}

struct Pictures<'a> {
    detail: &'a str,
    media: &'a Media<'a>,
}

impl Pictures<'_> {
    fn input(&self, blob: &BlobId) -> Result<Json, ModelError> {
        Ok(Json::object(vec![
            ("type", "input_image".into()),
            ("detail", self.detail.into()),
            (
                "image_url",
                Json::data_uri(&self.media.type_of(blob)?, blob),
            ),
        ]))
    }

    fn screenshot(&self, blob: &BlobId) -> Result<Json, ModelError> {
        Ok(Json::object(vec![
            ("type", "computer_screenshot".into()),
            (
                "image_url",
                Json::data_uri(&self.media.type_of(blob)?, blob),
            ),
        ]))
    }
}

fn items(messages: &[Message], pictures: &Pictures) -> Result<Vec<Json>, ModelError> {
    let history = History::of(messages)?;
    let mut items = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        match message.role {
            Role::System => {}
            Role::User | Role::Tool => {
                from_outside(message, &messages[index..], &history, pictures, &mut items)?;
            }
            Role::Assistant => from_model(message, &history, &mut items)?,
        }
    }
    Ok(items)
}

fn from_outside(
    message: &Message,
    onward: &[Message],
    history: &History,
    pictures: &Pictures,
    items: &mut Vec<Json>,
) -> Result<(), ModelError> {
    let mut content = Vec::new();
    let mut results = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(text) if text.is_empty() => {}
            Part::Text(text) => content.push(json!({"type": "input_text", "text": text}).into()),
            Part::Image(blob) => content.push(pictures.input(blob)?),
            Part::ToolResult(result) => results.push(result),
            Part::Audio(_) => return Err(misplaced("Responses", "audio")),
            Part::ToolCall(_) => return Err(misplaced("Responses", "tool call")),
            Part::Opaque(_) => return Err(misplaced("Responses", "part of its own")),
        }
    }
    for result in history.grouped(&results) {
        items.push(match &result.kept {
            Some(kept) => computer_output(&result, kept, onward, pictures)?,
            None => function_output(&result, pictures)?,
        });
    }
    if !content.is_empty() {
        items.push(Json::object(vec![
            ("role", "user".into()),
            ("content", Json::Array(content)),
        ]));
    }
    Ok(())
}

fn function_output(result: &Results, pictures: &Pictures) -> Result<Json, ModelError> {
    let images = result.images();
    let output = if images.is_empty() {
        result.text().into()
    } else {
        let text = result.text();
        let mut output = Vec::new();
        if !text.is_empty() {
            output.push(json!({"type": "input_text", "text": text}).into());
        }
        for blob in images {
            output.push(pictures.input(blob)?);
        }
        Json::Array(output)
    };
    Ok(Json::object(vec![
        ("type", "function_call_output".into()),
        ("call_id", result.id.as_str().into()),
        ("output", output),
    ]))
}

/// A computer call wants a screenshot back: the result's own, or the one that the user shows next.
fn computer_output(
    result: &Results,
    kept: &Kept,
    onward: &[Message],
    pictures: &Pictures,
) -> Result<Json, ModelError> {
    let shown = || {
        onward
            .iter()
            .take_while(|message| message.role != Role::Assistant)
            .flat_map(|message| &message.parts)
            .filter_map(|part| match part {
                Part::Image(blob) => Some(blob),
                Part::Text(_)
                | Part::Audio(_)
                | Part::ToolCall(_)
                | Part::ToolResult(_)
                | Part::Opaque(_) => None,
            })
            .last()
    };
    let Some(screenshot) = result.images().last().copied().or_else(shown) else {
        return Err(ModelError::InvalidRequest(
            "a result of the computer tool needs a picture, its own or one after it".to_owned(),
        ));
    };
    let mut item = vec![
        ("type", "computer_call_output".into()),
        ("call_id", result.id.as_str().into()),
    ];
    // They were noted when they came; without this the conversation would be refused.
    match kept.part.get("pending_safety_checks") {
        Some(Value::Array(checks)) if !checks.is_empty() => item.push((
            "acknowledged_safety_checks",
            Value::Array(checks.clone()).into(),
        )),
        _ => {}
    }
    item.push(("output", pictures.screenshot(screenshot)?));
    Ok(Json::object(item))
}

fn from_model(
    message: &Message,
    history: &History,
    items: &mut Vec<Json>,
) -> Result<(), ModelError> {
    for part in &message.parts {
        match part {
            Part::Text(text) if text.is_empty() => {}
            Part::Text(text) => {
                items.push(json!({"role": "assistant", "content": text}).into());
            }
            Part::Opaque(opaque) => items.push(Kept::read(opaque)?.part.into()),
            Part::ToolCall(call) => {
                if history.kept(&call.id).is_none() {
                    items.push(
                        json!({
                            "type": "function_call",
                            "call_id": call.id,
                            "name": call.name,
                            "arguments": call.arguments,
                        })
                        .into(),
                    );
                }
            }
            Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) => {
                return Err(misplaced("Responses", "picture, sound or result"));
            }
        }
    }
    Ok(())
}
