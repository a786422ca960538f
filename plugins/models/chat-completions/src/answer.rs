//! An answer of Chat Completions as a neutral response.

use dynacu_sdk::http;
use dynacu_sdk::model::{ModelError, Part, Response, StopReason, ToolCall, Usage};
use model_wire::{Answer, Outcome, answered_by, drop_calls, reply};
use serde_json::{Map, Value};

use crate::fault;

/// Reads the answer. `turn` makes ids where a server leaves them out.
///
/// # Errors
/// As [`fault`]; [`ModelError::Protocol`] for an answer without a message, as proxies and busy servers send it.
pub fn answer(model: &str, turn: usize, reply: &http::Response) -> Outcome {
    let body = reply::object(reply)?;
    if !(200..300).contains(&reply.status) || fault::is_error(&body) {
        return Err(fault(reply, &body));
    }
    let choice = body
        .get("choices")
        .and_then(Value::as_array)
        .and_then(|choices| choices.first());
    let Some((choice, message)) =
        choice.and_then(|choice| Some((choice, choice.get("message")?.as_object()?)))
    else {
        return Err(ModelError::Protocol(
            "empty_reply: no message in it".to_owned(),
        ));
    };
    let mut notes = Vec::new();
    let mut parts = Vec::new();
    if let Some(text) = message.get("content").and_then(content) {
        parts.push(Part::Text(text));
    }
    let calls = calls(message, turn, &mut notes);
    parts.extend(calls.into_iter().map(Part::ToolCall));
    let usage = usage(&body);
    let refusal = reply::text(message, "refusal");
    let finish = choice.get("finish_reason").and_then(Value::as_str);
    let stop_reason = match (refusal, finish) {
        (Some(_), _) | (_, Some("content_filter")) => StopReason::Refusal,
        (_, Some("length")) => StopReason::MaxTokens,
        _ if parts.iter().any(|part| matches!(part, Part::ToolCall(_))) => StopReason::ToolCall,
        (_, Some("stop" | "tool_calls" | "function_call") | None) => StopReason::EndTurn,
        _ => StopReason::Other,
    };
    if matches!(stop_reason, StopReason::Refusal | StopReason::MaxTokens) {
        drop_calls(&mut parts, &mut notes);
    }
    if let Some(refusal) = refusal {
        parts.push(Part::Text(refusal.to_owned()));
    }
    let thought = usage.and_then(|usage| usage.reasoning_tokens);
    if stop_reason == StopReason::MaxTokens && parts.is_empty() && thought > Some(0) {
        notes.push("reasoning used the whole output limit".to_owned());
    }
    Ok(Answer {
        response: Response {
            parts,
            stop_reason,
            usage,
            model: answered_by(model, reply::text(&body, "model"), &mut notes),
        },
        notes,
    })
}

/// Text, whether as a string or as a list of parts.
fn content(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

fn calls(message: &Map<String, Value>, turn: usize, notes: &mut Vec<String>) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = Vec::new();
    let listed = message
        .get("tool_calls")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (index, call) in listed.iter().enumerate() {
        let Some(function) = call.get("function").filter(|function| function.is_object()) else {
            let kind = call.get("type").and_then(Value::as_str).unwrap_or("empty");
            notes.push(format!("ignored: a call of type {kind}"));
            continue;
        };
        let id = call
            .get("id")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty() && calls.iter().all(|call| call.id != **id));
        let id = id.map_or_else(|| format!("call-{turn}-{index}"), str::to_owned);
        calls.push(read(id, function));
    }
    if calls.is_empty()
        && let Some(function) = message.get("function_call").filter(|call| call.is_object())
    {
        notes.push("legacy_call".to_owned());
        calls.push(read(format!("call-{turn}-0"), function));
    }
    calls
}

fn read(id: String, function: &Value) -> ToolCall {
    let name = function.get("name").and_then(Value::as_str);
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    ToolCall::new(id, name.unwrap_or_default(), arguments)
}

fn usage(body: &Map<String, Value>) -> Option<Usage> {
    let usage = body.get("usage")?.as_object()?;
    Some(Usage {
        input_tokens: reply::count(usage, &["prompt_tokens"]).unwrap_or_default(),
        output_tokens: reply::count(usage, &["completion_tokens"]).unwrap_or_default(),
        cached_input_tokens: reply::count(usage, &["prompt_tokens_details", "cached_tokens"]),
        reasoning_tokens: reply::count(usage, &["completion_tokens_details", "reasoning_tokens"]),
    })
}
