//! An answer of Responses as a neutral response.

use dynacu_sdk::http;
use dynacu_sdk::model::{ModelError, Part, Response, StopReason, ToolCall, Usage};
use model_wire::history::Kept;
use model_wire::settings::SafetyChecks;
use model_wire::{Answer, Outcome, answered_by, drop_calls, fault as wire, native, reply};
use serde_json::{Map, Value};

use super::computer;
use crate::conversions::Settings;

/// Reads the answer.
///
/// # Errors
/// As [`chat_completions::fault`], and by the status that stands in the body.
pub fn answer(model: &str, settings: &Settings, reply: &http::Response) -> Outcome {
    let body = reply::object(reply)?;
    let status = body.get("status").and_then(Value::as_str);
    if !(200..300).contains(&reply.status) || (status.is_none() && body.contains_key("error")) {
        return Err(chat_completions::fault(reply, &body));
    }
    let mut notes = Vec::new();
    let cut = match status {
        Some("completed") | None => None,
        Some("incomplete") => Some(why_incomplete(&body, &mut notes)),
        Some("failed") => return Err(failed(reply, &body)),
        Some(other @ ("queued" | "in_progress")) => {
            return Err(ModelError::InvalidRequest(format!(
                "the answer is {other}: the provider works in the background, which was not asked for"
            )));
        }
        Some(other) => {
            return Err(ModelError::Protocol(format!("an answer of status {other}")));
        }
    };
    let Some(output) = body.get("output").and_then(Value::as_array) else {
        return Err(ModelError::Protocol(
            "an answer without `output`".to_owned(),
        ));
    };
    let mut items = Items {
        parts: Vec::new(),
        notes,
        refused: false,
        settings,
    };
    for item in output {
        items.read(item);
    }
    let Items {
        mut parts,
        mut notes,
        refused,
        ..
    } = items;
    let stop_reason = match cut {
        Some(cut) => cut,
        None if refused => StopReason::Refusal,
        None if parts.iter().any(|part| matches!(part, Part::ToolCall(_))) => StopReason::ToolCall,
        None => StopReason::EndTurn,
    };
    if cut.is_some() || refused {
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

struct Items<'a> {
    parts: Vec<Part>,
    notes: Vec<String>,
    refused: bool,
    settings: &'a Settings,
}

impl Items<'_> {
    fn read(&mut self, item: &Value) {
        let Some(members) = item.as_object() else {
            self.notes.push("an item that is no object".to_owned());
            return;
        };
        match members.get("type").and_then(Value::as_str) {
            Some("message") => self.message(members),
            Some("reasoning") => {
                // Without its content the provider would look for what it was told not to store.
                if reply::text(members, "encrypted_content").is_some() {
                    self.parts.push(Kept::part(item.clone()));
                }
            }
            Some("function_call") => self.function(members),
            Some("computer_call") => self.computer(item, members),
            other => {
                let kind = other.unwrap_or("an item without type");
                self.notes.push(format!("ignored: {kind}"));
            }
        }
    }

    fn message(&mut self, members: &Map<String, Value>) {
        let content = members.get("content").and_then(Value::as_array);
        for part in content.into_iter().flatten().filter_map(Value::as_object) {
            if let Some(text) = reply::text(part, "text") {
                self.parts.push(Part::Text(text.to_owned()));
            }
            if let Some(refusal) = reply::text(part, "refusal") {
                self.refused = true;
                self.parts.push(Part::Text(refusal.to_owned()));
            }
        }
    }

    fn function(&mut self, members: &Map<String, Value>) {
        if members.get("status").and_then(Value::as_str) == Some("incomplete") {
            self.notes
                .push("dropped: a call that was cut off".to_owned());
            return;
        }
        let arguments = match members.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        self.parts.push(Part::ToolCall(ToolCall::new(
            reply::text(members, "call_id").unwrap_or_default(),
            reply::text(members, "name").unwrap_or_default(),
            arguments,
        )));
    }

    fn computer(&mut self, item: &Value, members: &Map<String, Value>) {
        let checks = members
            .get("pending_safety_checks")
            .and_then(Value::as_array);
        for check in checks.into_iter().flatten() {
            let word = |name: &str| check.get(name).and_then(Value::as_str).unwrap_or_default();
            let told = wire::shown(&format!("{}: {}", word("code"), word("message")));
            self.notes.push(format!("safety_check {told}"));
            self.refused |= self.settings.safety_checks == SafetyChecks::Stop;
        }
        let id = reply::text(members, "call_id").unwrap_or_default();
        let calls = native::calls(id, computer::meanings(members), &mut self.notes);
        self.parts.push(Kept::calls(item.clone(), id, &calls));
        self.parts.extend(calls.into_iter().map(Part::ToolCall));
    }
}

fn why_incomplete(body: &Map<String, Value>, notes: &mut Vec<String>) -> StopReason {
    let reason = body
        .get("incomplete_details")
        .and_then(|details| details.get("reason"))
        .and_then(Value::as_str);
    match reason {
        Some("max_output_tokens") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::Refusal,
        other => {
            notes.push(format!(
                "incomplete: {}",
                other.unwrap_or("no reason given")
            ));
            StopReason::Other
        }
    }
}

/// A failure that comes with the status of a success.
fn failed(reply: &http::Response, body: &Map<String, Value>) -> ModelError {
    let error = body.get("error").and_then(Value::as_object);
    let code = error
        .and_then(|error| reply::text(error, "code"))
        .unwrap_or_default();
    let message = error.and_then(|error| reply::text(error, "message"));
    let told = wire::shown(&format!("{code}: {}", message.unwrap_or_default()));
    match code {
        "server_error" | "" => ModelError::Overloaded(wire::wait(reply)),
        "invalid_prompt"
        | "bio_policy"
        | "misalignment_policy_violation"
        | "image_content_policy_violation" => ModelError::Refused(told),
        _ => chat_completions::fault(reply, body),
    }
}

fn usage(body: &Map<String, Value>) -> Option<Usage> {
    let usage = body.get("usage")?.as_object()?;
    Some(Usage {
        input_tokens: reply::count(usage, &["input_tokens"]).unwrap_or_default(),
        output_tokens: reply::count(usage, &["output_tokens"]).unwrap_or_default(),
        cached_input_tokens: reply::count(usage, &["input_tokens_details", "cached_tokens"]),
        reasoning_tokens: reply::count(usage, &["output_tokens_details", "reasoning_tokens"]),
    })
}
