//! A neutral request as a body of generateContent.

use dynacu_sdk::BlobId;
use dynacu_sdk::http::Json;
use dynacu_sdk::model::{ModelError, Part, Request, Tool, ToolCall};
use model_wire::history::{History, Results, arguments_object};
use model_wire::settings::ToolSet;
use model_wire::turns::{Dialect, turns};
use model_wire::{Draft, Media, misplaced, native, schema_of, system_text};
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
    let contents = turns(&Contents { model, media }, &request.messages)?;
    body.push(("contents", Json::Array(contents)));
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
    let schema = schema_of(tool)?;
    let mut function = json!({"name": tool.name, "description": tool.description});
    if let Some(parameters) = schema::parameters(&schema) {
        function["parameters"] = parameters;
    }
    Ok(function)
}

struct Contents<'a> {
    model: &'a str,
    media: &'a Media<'a>,
}

impl Dialect for Contents<'_> {
    const PROTOCOL: &'static str = "generateContent";
    const MODEL: &'static str = "model";
    const PARTS: &'static str = "parts";

    fn text(&self, text: &str) -> Json {
        json!({"text": text}).into()
    }

    fn medium(&self, part: &Part) -> Result<Json, ModelError> {
        match part {
            Part::Image(blob) | Part::Audio(blob) => inline(blob, self.media),
            Part::Text(_) | Part::ToolCall(_) | Part::ToolResult(_) | Part::Opaque(_) => {
                Err(misplaced(Self::PROTOCOL, "such part"))
            }
        }
    }

    fn call(&self, call: &ToolCall) -> Json {
        let call = json!({"name": call.name, "args": arguments_object(call)});
        json!({"functionCall": call}).into()
    }

    fn result(
        &self,
        result: &Results,
        history: &History,
        parts: &mut Vec<Json>,
    ) -> Result<Json, ModelError> {
        let mut pictures = Vec::new();
        for blob in result.images() {
            pictures.push(inline(blob, self.media)?);
        }
        if models::results_hold_pictures(self.model) {
            return Ok(response(result, history, pictures));
        }
        parts.append(&mut pictures);
        Ok(response(result, history, Vec::new()))
    }
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

fn inline(blob: &BlobId, media: &Media) -> Result<Json, ModelError> {
    let data = Json::object(vec![
        ("mimeType", media.type_of(blob)?.into()),
        ("data", Json::base64(blob)),
    ]);
    Ok(Json::object(vec![("inlineData", data)]))
}
