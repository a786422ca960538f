//! A model adapter: translates one neutral request into one HTTP call, and the reply back.
//!
//! It speaks Chat Completions, as vLLM, llama.cpp and Ollama do. The host adds credentials, enforces deadlines and retries;
//! the case of an adapter's error tells the host what to do.

use dynacu_sdk::http::{self, HttpError, Json};
use dynacu_sdk::model::{
    AdapterDescriptor, Capabilities, Message, ModelAdapter, ModelError, Part, Request, Response,
    Role, StopReason, ToolCall, ToolOutput, Usage,
};
use dynacu_sdk::settings::NoSettings;
use dynacu_sdk::{Duration, blobs, export_adapter};
use serde_json::{Value, json};

/// A placeholder: `--endpoint {{name}}.invalid=http://127.0.0.1:8000` says where the server is. The same
/// name is in plugin.toml; put your provider's host into both.
const URL: &str = "https://{{name}}.invalid/v1/chat/completions";

struct Provider;

impl ModelAdapter for Provider {
    type Settings = NoSettings;

    fn describe() -> AdapterDescriptor {
        AdapterDescriptor::new("{{name}}", Vec::<String>::new())
    }

    fn capabilities_of(_model: &str, _settings: &NoSettings) -> Capabilities {
        Capabilities {
            images: true,
            tools: true,
            ..Capabilities::default()
        }
    }

    fn complete(
        model: &str,
        _settings: NoSettings,
        request: Request,
    ) -> Result<Response, ModelError> {
        let reply =
            http::send(&http::Request::post(URL, &body(model, &request)?)).map_err(broken_off)?;
        if reply.status != 200 {
            return Err(refused(&reply));
        }
        answer(model, &reply.body)
    }
}

export_adapter!(Provider);

fn body(model: &str, request: &Request) -> Result<Json, ModelError> {
    let messages: Result<Vec<Json>, ModelError> = request.messages.iter().map(message).collect();
    let limit = request.max_output_tokens.unwrap_or(4096);
    let mut body = vec![
        ("model", model.into()),
        ("max_tokens", limit.into()),
        ("messages", Json::Array(messages?)),
    ];
    if !request.tools.is_empty() {
        let mut tools = Vec::new();
        for tool in &request.tools {
            let schema: Value = serde_json::from_str(&tool.input_schema)
                .map_err(|error| ModelError::InvalidRequest(error.to_string()))?;
            tools.push(json!({
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": schema},
            }));
        }
        body.push(("tools", Value::Array(tools).into()));
    }
    Ok(Json::object(body))
}

fn message(said: &Message) -> Result<Json, ModelError> {
    let (mut text, mut content, mut calls) = (String::new(), Vec::new(), Vec::new());
    for part in &said.parts {
        match part {
            Part::Text(some) => {
                text.push_str(some);
                content.push(json!({"type": "text", "text": some}).into());
            }
            Part::Image(blob) => {
                let info = blobs::stat(blob)
                    .map_err(|error| ModelError::InvalidRequest(format!("{error:?}")))?;
                // The host inserts the picture, so that it stays out of this guest's memory.
                let url = Json::data_uri(&info.media_type, blob);
                content.push(Json::object(vec![
                    ("type", "image_url".into()),
                    ("image_url", Json::object(vec![("url", url)])),
                ]));
            }
            Part::ToolCall(call) => calls.push(json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })),
            Part::ToolResult(result) => {
                let lines = result.output.iter().filter_map(|output| match output {
                    ToolOutput::Text(text) => Some(text.as_str()),
                    ToolOutput::Image(_) => None,
                });
                let text: Vec<&str> = lines.collect();
                return Ok(json!({
                    "role": "tool", "tool_call_id": result.id, "content": text.join("\n"),
                })
                .into());
            }
            Part::Audio(_) | Part::Opaque(_) => {
                return Err(ModelError::InvalidRequest(
                    "this adapter takes text, pictures and tool calls".to_owned(),
                ));
            }
        }
    }
    let role = match said.role {
        Role::User => {
            return Ok(Json::object(vec![
                ("role", "user".into()),
                ("content", Json::Array(content)),
            ]));
        }
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut plain = json!({"role": role, "content": text});
    if !calls.is_empty() {
        plain["tool_calls"] = Value::Array(calls);
    }
    Ok(plain.into())
}

/// The case decides what the host does next.
fn broken_off(error: HttpError) -> ModelError {
    match error {
        HttpError::Denied(why) => ModelError::InvalidRequest(why),
        HttpError::Timeout => ModelError::Timeout,
        HttpError::Connect(_) => ModelError::Overloaded(None),
        HttpError::ResponseTooLarge(bytes) => ModelError::Protocol(format!("{bytes} bytes")),
        HttpError::Other(why) => ModelError::Other(why),
    }
}

fn refused(reply: &http::Response) -> ModelError {
    let text = String::from_utf8_lossy(&reply.body);
    let said: String = text.chars().take(300).collect();
    match reply.status {
        401 | 403 => ModelError::Authentication(said),
        402 => ModelError::QuotaExceeded(said),
        429 => {
            let seconds = reply
                .header("retry-after")
                .and_then(|wait| wait.parse().ok());
            ModelError::RateLimited(seconds.map(Duration::from_secs))
        }
        500.. => ModelError::Overloaded(None),
        status => ModelError::InvalidRequest(format!("HTTP {status}: {said}")),
    }
}

fn answer(asked: &str, body: &[u8]) -> Result<Response, ModelError> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| ModelError::Protocol(format!("the answer is not JSON: {error}")))?;
    let choice = &body["choices"][0];
    let Some(message) = choice["message"].as_object() else {
        return Err(ModelError::Protocol(
            "the answer holds no message".to_owned(),
        ));
    };
    let mut parts = Vec::new();
    if let Some(text) = message.get("content").and_then(Value::as_str) {
        parts.push(Part::from(text));
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let function = &call["function"];
        // Passed on as the model wrote it: policies read calls with one common tolerance.
        let arguments = text(&function["arguments"]);
        parts.push(ToolCall::new(text(&call["id"]), text(&function["name"]), arguments).into());
    }
    let called = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
    let stop_reason = match choice["finish_reason"].as_str() {
        Some("length") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::Refusal,
        _ if called => StopReason::ToolCall,
        _ => StopReason::EndTurn,
    };
    let count = |name: &str| body["usage"][name].as_u64();
    let usage = count("prompt_tokens").map(|input_tokens| Usage {
        input_tokens,
        output_tokens: count("completion_tokens").unwrap_or_default(),
        cached_input_tokens: None,
        reasoning_tokens: None,
    });
    Ok(Response {
        parts,
        stop_reason,
        usage,
        model: body["model"].as_str().unwrap_or(asked).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_handed_on_as_it_was_written() {
        let body = br#"{"model": "m", "choices": [{"finish_reason": "tool_calls", "message": {"content": null,
            "tool_calls": [{"id": "1", "function": {"name": "click", "arguments": "{\"x\": 5,}"}}]}}]}"#;
        let response = answer("m", body).unwrap();
        let call = ToolCall::new("1", "click", "{\"x\": 5,}");
        assert_eq!(response.parts, [Part::from(call)]);
        assert_eq!(response.stop_reason, StopReason::ToolCall);
        assert!(answer("m", b"<html>").is_err());
    }
}
