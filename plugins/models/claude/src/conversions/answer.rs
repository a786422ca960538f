//! An answer of the Messages API as a neutral response.

use dynacu_sdk::http;
use dynacu_sdk::model::{ModelError, Part, Response, StopReason, ToolCall, Usage};
use model_wire::history::Kept;
use model_wire::{Answer, Outcome, answered_by, drop_calls, fault, native, reply};
use serde_json::{Map, Value};

use super::computer;

/// Reads the answer.
///
/// # Errors
/// By the type of the API's error, then by the status.
pub fn answer(model: &str, reply: &http::Response) -> Outcome {
    let body = reply::object(reply)?;
    if let Some(error) = body.get("error").and_then(Value::as_object) {
        return Err(fault_of(reply, error));
    }
    if !(200..300).contains(&reply.status) {
        return Err(fault::by_status(reply, &Value::Object(body).to_string()));
    }
    let Some(content) = body.get("content").and_then(Value::as_array) else {
        return Err(ModelError::Protocol(
            "an answer without `content`".to_owned(),
        ));
    };
    let mut notes = Vec::new();
    let mut parts = read(content, &mut notes);
    let stop = body.get("stop_reason").and_then(Value::as_str);
    let stop_reason = match stop {
        Some("max_tokens") => StopReason::MaxTokens,
        Some("model_context_window_exceeded") => {
            return Err(ModelError::ContextExceeded(
                "the window was full before the answer was whole".to_owned(),
            ));
        }
        Some("refusal") => {
            notes.push(refusal(&body));
            StopReason::Refusal
        }
        // A server-side tool was interrupted, and none is ever offered.
        Some("pause_turn") => {
            notes.push("pause_turn".to_owned());
            StopReason::Other
        }
        _ if parts.iter().any(|part| matches!(part, Part::ToolCall(_))) => StopReason::ToolCall,
        Some("stop_sequence") => StopReason::StopSequence,
        Some("end_turn" | "tool_use") => StopReason::EndTurn,
        _ => StopReason::Other,
    };
    if !matches!(
        stop_reason,
        StopReason::ToolCall | StopReason::EndTurn | StopReason::StopSequence
    ) {
        drop_calls(&mut parts, &mut notes);
    }
    Ok(Answer {
        response: Response {
            parts,
            stop_reason,
            usage: usage(&body),
            model: answered_by(model, reply::text(&body, "model"), &mut notes),
        },
        notes,
    })
}

fn read(content: &[Value], notes: &mut Vec<String>) -> Vec<Part> {
    let mut parts = Vec::new();
    for block in content {
        let Some(members) = block.as_object() else {
            notes.push("a block that is no object".to_owned());
            continue;
        };
        match members.get("type").and_then(Value::as_str) {
            Some("text") => {
                if let Some(text) = reply::text(members, "text") {
                    parts.push(Part::Text(text.to_owned()));
                }
            }
            Some("thinking" | "redacted_thinking") => parts.push(Kept::part(block.clone())),
            Some("tool_use") => call(block, members, &mut parts, notes),
            other => notes.push(format!(
                "ignored: {}",
                other.unwrap_or("a block without type")
            )),
        }
    }
    parts
}

fn call(
    block: &Value,
    members: &Map<String, Value>,
    parts: &mut Vec<Part>,
    notes: &mut Vec<String>,
) {
    let id = reply::text(members, "id").unwrap_or_default();
    let name = reply::text(members, "name").unwrap_or_default();
    let input = members.get("input").unwrap_or(&Value::Null);
    let toolset = reply::text(members, "toolset_name");
    // The pair decides: own tools may have the name of a native one.
    let native = match (toolset, name) {
        (Some("computer"), _) => Some(name),
        (None, "computer") => input.get("action").and_then(Value::as_str),
        _ => None,
    };
    let (Some(action), Some(arguments)) = (native, input.as_object()) else {
        let arguments = match input {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        parts.push(Part::ToolCall(ToolCall::new(id, name, arguments)));
        return;
    };
    let meaning = computer::meaning(action, arguments);
    let calls = native::calls(id, vec![(meaning, input.clone())], notes);
    parts.push(Kept::calls(block.clone(), id, &calls));
    parts.extend(calls.into_iter().map(Part::ToolCall));
}

fn refusal(body: &Map<String, Value>) -> String {
    let category = body
        .get("stop_details")
        .and_then(|details| details.get("category"))
        .and_then(Value::as_str);
    format!("refused, category {}", category.unwrap_or("unknown"))
}

/// Input counts what was written to and read from the cache, which the API counts apart.
fn usage(body: &Map<String, Value>) -> Option<Usage> {
    let usage = body.get("usage")?.as_object()?;
    let count = |path: &[&str]| reply::count(usage, path);
    let cached = count(&["cache_read_input_tokens"]);
    let written = count(&["cache_creation_input_tokens"]).unwrap_or_default();
    Some(Usage {
        input_tokens: count(&["input_tokens"])
            .unwrap_or_default()
            .saturating_add(cached.unwrap_or_default())
            .saturating_add(written),
        output_tokens: count(&["output_tokens"]).unwrap_or_default(),
        cached_input_tokens: cached,
        reasoning_tokens: count(&["output_tokens_details", "thinking_tokens"]),
    })
}

fn fault_of(reply: &http::Response, error: &Map<String, Value>) -> ModelError {
    let message = reply::text(error, "message").unwrap_or_default();
    let told = fault::shown(message);
    let finer = error
        .get("details")
        .and_then(|details| details.get("error_code"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    // Gateways rewrite statuses, so the type counts first.
    match reply::text(error, "type").unwrap_or_default() {
        _ if finer.ends_with("spend_limit_reached") => {
            ModelError::QuotaExceeded(format!("{finer}: {told}"))
        }
        "authentication_error" | "permission_error" => ModelError::Authentication(told),
        "billing_error" => ModelError::QuotaExceeded(told),
        "rate_limit_error" => fault::limited(fault::wait(reply), told),
        "overloaded_error" | "api_error" | "conflict_error" => {
            ModelError::Overloaded(fault::wait(reply))
        }
        "timeout_error" => ModelError::Timeout,
        "request_too_large" => ModelError::ContextExceeded(told),
        "invalid_request_error"
            if message.contains("usage limit") || message.contains("credit balance") =>
        {
            ModelError::QuotaExceeded(told)
        }
        "invalid_request_error" if fault::is_about_size(message) => {
            ModelError::ContextExceeded(told)
        }
        "invalid_request_error" | "not_found_error" => ModelError::InvalidRequest(told),
        _ => fault::by_status(reply, message),
    }
}
