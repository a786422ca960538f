//! A neutral request as a body of Chat Completions.

use dynacu_sdk::BlobId;
use dynacu_sdk::http::Json;
use dynacu_sdk::model::{Message, ModelError, Part, Request, Role, Tool};
use model_wire::history::History;
use model_wire::{Draft, Media, misplaced, schema_of, system_text};
use serde_json::{Value, json};

use crate::Dialect;

/// Makes the body.
///
/// # Errors
/// [`ModelError::InvalidRequest`] for what the protocol has no place for, [`ModelError::ContextExceeded`] for too many
/// bytes of pictures.
pub fn request(
    model: &str,
    dialect: &Dialect,
    request: &Request,
    media: &Media,
) -> Result<Draft, ModelError> {
    let mut notes = Vec::new();
    let limit = request
        .max_output_tokens
        .unwrap_or(dialect.max_output_tokens);
    let mut body: Vec<(&'static str, Json)> =
        vec![("model", model.into()), (dialect.limit, limit.into())];
    match request.temperature {
        Some(temperature) if dialect.temperature => {
            body.push(("temperature", shortest(temperature).into()));
        }
        Some(_) => notes.push("temperature left out: this model refuses it".to_owned()),
        None => {}
    }
    if !request.tools.is_empty() {
        let tools: Result<Vec<Value>, ModelError> = request.tools.iter().map(function).collect();
        body.push(("tools", Value::Array(tools?).into()));
        if let Some(choice) = &dialect.tool_choice {
            body.push(("tool_choice", choice.as_str().into()));
        }
    }
    body.push(("messages", Json::Array(messages(request, dialect, media)?)));
    let mut body = Json::object(body);
    for (name, value) in &dialect.extra {
        body = body.with(name, value.clone().into());
    }
    media.fit(&body, dialect.max_bytes)?;
    Ok(Draft { body, notes })
}

/// The shortest decimal number that is this one; as an `f64` it would be sent with digits that nobody asked for.
fn shortest(number: f32) -> Value {
    number
        .to_string()
        .parse::<f64>()
        .map_or(Value::Null, Value::from)
}

fn function(tool: &Tool) -> Result<Value, ModelError> {
    let schema = schema_of(tool)?;
    Ok(json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": schema},
    }))
}

fn messages(request: &Request, dialect: &Dialect, media: &Media) -> Result<Vec<Json>, ModelError> {
    let mut messages = Vec::new();
    let system = system_text(&request.messages);
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}).into());
    }
    let history = History::of(&request.messages)?;
    for message in &request.messages {
        match message.role {
            Role::System => {}
            Role::User | Role::Tool => {
                from_outside(message, &history, dialect, media, &mut messages)?
            }
            Role::Assistant => messages.push(from_model(message)?.into()),
        }
    }
    Ok(messages)
}

/// Results each become a message of their own, of text only; their pictures follow in the user's.
fn from_outside(
    message: &Message,
    history: &History,
    dialect: &Dialect,
    media: &Media,
    messages: &mut Vec<Json>,
) -> Result<(), ModelError> {
    let mut content = Vec::new();
    let mut results = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(text) if text.is_empty() => {}
            Part::Text(text) => content.push(json!({"type": "text", "text": text}).into()),
            Part::Image(blob) => content.push(image(blob, dialect, media)?),
            Part::Audio(blob) => content.push(audio(blob, media)?),
            Part::ToolResult(result) => results.push(result),
            Part::ToolCall(_) => return Err(misplaced("Chat Completions", "tool call")),
            Part::Opaque(_) => return Err(misplaced("Chat Completions", "part of its own")),
        }
    }
    let mut pictures = Vec::new();
    for result in history.grouped(&results) {
        messages.push(
            json!({"role": "tool", "tool_call_id": result.id, "content": result.text()}).into(),
        );
        for blob in result.images() {
            pictures.push(image(blob, dialect, media)?);
        }
    }
    pictures.append(&mut content);
    match pictures.as_slice() {
        [] => {}
        // Templates of local models often know only plain text.
        [Json::Value(text)] => {
            messages.push(json!({"role": "user", "content": text["text"]}).into());
        }
        _ => messages.push(Json::object(vec![
            ("role", "user".into()),
            ("content", Json::Array(pictures)),
        ])),
    }
    Ok(())
}

fn from_model(message: &Message) -> Result<Value, ModelError> {
    let mut text = String::new();
    let mut calls = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(said) => text.push_str(said),
            Part::ToolCall(call) => calls.push(json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })),
            Part::Opaque(_) => {
                return Err(misplaced("Chat Completions", "part of another protocol"));
            }
            Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) => {
                return Err(misplaced("Chat Completions", "picture, sound or result"));
            }
        }
    }
    let mut said = json!({
        "role": "assistant",
        "content": if text.is_empty() { Value::Null } else { text.into() },
    });
    if !calls.is_empty() {
        said["tool_calls"] = Value::Array(calls);
    }
    Ok(said)
}

fn image(blob: &BlobId, dialect: &Dialect, media: &Media) -> Result<Json, ModelError> {
    let mut picture = vec![("url", Json::data_uri(&media.type_of(blob)?, blob))];
    if let Some(detail) = &dialect.detail {
        picture.push(("detail", detail.as_str().into()));
    }
    Ok(Json::object(vec![
        ("type", "image_url".into()),
        ("image_url", Json::object(picture)),
    ]))
}

fn audio(blob: &BlobId, media: &Media) -> Result<Json, ModelError> {
    let media_type = media.type_of(blob)?;
    let format = match media_type.as_str() {
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/flac" => "flac",
        _ => {
            return Err(ModelError::InvalidRequest(format!(
                "Chat Completions takes no {media_type}"
            )));
        }
    };
    let clip = Json::object(vec![
        ("data", Json::base64(blob)),
        ("format", format.into()),
    ]);
    Ok(Json::object(vec![
        ("type", "input_audio".into()),
        ("input_audio", clip),
    ]))
}
