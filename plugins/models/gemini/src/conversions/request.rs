//! A neutral request as a body of generateContent.

use dynacu_sdk::http::Json;
use dynacu_sdk::model::{ModelError, Part, Request, Role, Tool};
use model_wire::history::{History, Kept, Results, arguments_object};
use model_wire::settings::ToolSet;
use model_wire::{Draft, Media, misplaced, native, system_text};
use serde_json::{Value, json};

use super::{Settings, computer, schema};
use crate::models;

/// Makes the body.
///
/// # Errors
/// [`ModelError::InvalidRequest`] for what the protocol has no place for, [`ModelError::ContextExceeded`] for too many
/// bytes of pictures and sound.
pub fn request(
    model: &str,
    settings: &Settings,
    request: &Request,
    media: &Media,
) -> Result<Draft, ModelError> {
    let mut notes = Vec::new();
    if request.temperature.is_some() {
        notes.push("temperature left out: current models ignore or refuse it".to_owned());
    }
    let mut body: Vec<(&'static str, Json)> = Vec::new();
    let system = system_text(&request.messages);
    if !system.is_empty() {
        body.push((
            "systemInstruction",
            json!({"parts": [{"text": system}]}).into(),
        ));
    }
    body.push(("contents", Json::Array(contents(model, request, media)?)));
    if !request.tools.is_empty() {
        body.push((
            "tools",
            Value::Array(tools(settings, &request.tools)?).into(),
        ));
        // Which of the native functions a mode would force is not said anywhere.
        if settings.tools == ToolSet::Host {
            let config = json!({"functionCallingConfig": {"mode": settings.mode}});
            body.push(("toolConfig", config.into()));
        }
    }
    let limit = request
        .max_output_tokens
        .unwrap_or(settings.max_output_tokens);
    let mut generation = json!({"maxOutputTokens": limit});
    if let Some(level) = &settings.thinking_level {
        generation["thinkingConfig"] = json!({"thinkingLevel": level});
    }
    if let Some(resolution) = &settings.media_resolution {
        generation["mediaResolution"] = resolution.as_str().into();
    }
    body.push(("generationConfig", generation.into()));
    let body = Json::object(body);
    media.fit(&body, models::MAX_BYTES)?;
    Ok(Draft { body, notes })
}

fn tools(settings: &Settings, offered: &[Tool]) -> Result<Vec<Value>, ModelError> {
    let mut tools = Vec::new();
    let functions: Result<Vec<Value>, ModelError> = match settings.tools {
        ToolSet::Host => offered.iter().map(function).collect(),
        ToolSet::Native => {
            tools.push(json!({"computerUse": computer::declaration()}));
            native::beside(offered).map(function).collect()
        }
    };
    let functions = functions?;
    if !functions.is_empty() {
        tools.push(json!({"functionDeclarations": functions}));
    }
    Ok(tools)
}

fn function(tool: &Tool) -> Result<Value, ModelError> {
    let schema: Value = serde_json::from_str(&tool.input_schema).map_err(|error| {
        ModelError::InvalidRequest(format!("the schema of the tool {}: {error}", tool.name))
    })?;
    let mut function = json!({"name": tool.name, "description": tool.description});
    if let Some(parameters) = schema::parameters(&schema) {
        function["parameters"] = parameters;
    }
    Ok(function)
}

/// One turn: neighbours of one role are one content there.
struct Turn {
    role: &'static str,
    /// Responses of functions come first in a user turn.
    results: Vec<Json>,
    parts: Vec<Json>,
}

fn contents(model: &str, request: &Request, media: &Media) -> Result<Vec<Json>, ModelError> {
    let history = History::of(&request.messages)?;
    let mut turns: Vec<Turn> = Vec::new();
    for message in &request.messages {
        let role = match message.role {
            Role::System => continue,
            Role::User | Role::Tool => "user",
            Role::Assistant => "model",
        };
        if turns.last().is_none_or(|turn| turn.role != role) {
            turns.push(Turn {
                role,
                results: Vec::new(),
                parts: Vec::new(),
            });
        }
        let Some(turn) = turns.last_mut() else {
            continue;
        };
        let mut results = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text(text) if text.is_empty() => {}
                Part::Text(text) => turn.parts.push(json!({"text": text}).into()),
                Part::Image(blob) | Part::Audio(blob) if role == "user" => {
                    turn.parts.push(inline(blob, media)?);
                }
                Part::ToolCall(call) if role == "model" => {
                    if history.kept(&call.id).is_none() {
                        let call = json!({"name": call.name, "args": arguments_object(call)});
                        turn.parts.push(json!({"functionCall": call}).into());
                    }
                }
                Part::Opaque(opaque) if role == "model" => {
                    turn.parts.push(Kept::read(opaque)?.part.into());
                }
                Part::ToolResult(result) if role == "user" => results.push(result),
                Part::Image(_) | Part::Audio(_) => {
                    return Err(misplaced("generateContent", "picture or sound"));
                }
                Part::ToolCall(_) => return Err(misplaced("generateContent", "tool call")),
                Part::Opaque(_) => return Err(misplaced("generateContent", "part of its own")),
                Part::ToolResult(_) => return Err(misplaced("generateContent", "tool result")),
            }
        }
        for result in history.grouped(&results) {
            let mut pictures = Vec::new();
            for blob in result.images() {
                pictures.push(inline(blob, media)?);
            }
            let inside = models::results_hold_pictures(model) && !pictures.is_empty();
            let held = if inside {
                std::mem::take(&mut pictures)
            } else {
                Vec::new()
            };
            turn.results.push(response(&result, &history, held));
            turn.parts.append(&mut pictures);
        }
    }
    Ok(turns
        .into_iter()
        .filter(|turn| !turn.results.is_empty() || !turn.parts.is_empty())
        .map(|mut turn| {
            turn.results.append(&mut turn.parts);
            Json::object(vec![
                ("role", turn.role.into()),
                ("parts", Json::Array(turn.results)),
            ])
        })
        .collect())
}

fn response(result: &Results, history: &History, pictures: Vec<Json>) -> Json {
    let call = result
        .kept
        .as_ref()
        .and_then(|kept| kept.part.get("functionCall"));
    let name = call
        .and_then(|call| call.get("name")?.as_str())
        .or_else(|| history.name(&result.results[0].id))
        .unwrap_or_default();
    let member = if result.is_error() { "error" } else { "output" };
    let mut told = json!({member: result.text()});
    if call.is_some_and(computer::wants_confirmation) {
        // It was noted when it came; without this the conversation would be refused.
        told["safety_acknowledgement"] = true.into();
    }
    let mut response: Vec<(&'static str, Json)> = Vec::new();
    if let Some(id) = call.and_then(|call| call.get("id")) {
        response.push(("id", id.clone().into()));
    }
    response.push(("name", name.into()));
    response.push(("response", told.into()));
    if !pictures.is_empty() {
        response.push(("parts", Json::Array(pictures)));
    }
    Json::object(vec![("functionResponse", Json::object(response))])
}

fn inline(blob: &str, media: &Media) -> Result<Json, ModelError> {
    let data = Json::object(vec![
        ("mimeType", media.type_of(blob)?.into()),
        ("data", Json::base64(blob)),
    ]);
    Ok(Json::object(vec![("inlineData", data)]))
}
