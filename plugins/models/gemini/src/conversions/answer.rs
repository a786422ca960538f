//! An answer of generateContent as a neutral response.

use dynacu_sdk::http;
use dynacu_sdk::model::{ModelError, Part, Request, Response, StopReason, ToolCall, Usage};
use model_wire::history::Kept;
use model_wire::settings::{SafetyChecks, ToolSet};
use model_wire::{Answer, Outcome, answered_by, drop_calls, fault as wire, native, reply};
use serde_json::{Map, Value};

use super::fault::fault;
use super::{Settings, computer};

/// Reads the answer.
///
/// # Errors
/// By the status that stands in the error; [`ModelError::Protocol`] for an answer without a candidate or a reason.
pub fn answer(
    model: &str,
    settings: &Settings,
    request: &Request,
    reply: &http::Response,
) -> Outcome {
    let body = reply::object(reply)?;
    if let Some(error) = body.get("error").and_then(Value::as_object) {
        return Err(fault(reply, error));
    }
    if !(200..300).contains(&reply.status) {
        return Err(wire::by_status(reply, &Value::Object(body).to_string()));
    }
    let mut reading = Reading {
        settings,
        request,
        parts: Vec::new(),
        notes: Vec::new(),
        unconfirmed: false,
    };
    let candidate = body
        .get("candidates")
        .and_then(Value::as_array)
        .and_then(|candidates| candidates.first());
    let stop_reason = match candidate {
        Some(candidate) => reading.candidate(candidate)?,
        None => reading.blocked(&body)?,
    };
    let Reading {
        mut parts,
        mut notes,
        ..
    } = reading;
    if !matches!(stop_reason, StopReason::ToolCall | StopReason::EndTurn) {
        drop_calls(&mut parts, &mut notes);
    }
    Ok(Answer {
        response: Response {
            parts,
            stop_reason,
            usage: usage(&body),
            model: answered_by(model, reply::text(&body, "modelVersion"), &mut notes),
        },
        notes,
    })
}

struct Reading<'a> {
    settings: &'a Settings,
    request: &'a Request,
    parts: Vec<Part>,
    notes: Vec<String>,
    unconfirmed: bool,
}

impl Reading<'_> {
    fn blocked(&mut self, body: &Map<String, Value>) -> Result<StopReason, ModelError> {
        let reason = body
            .get("promptFeedback")
            .and_then(|feedback| feedback.get("blockReason")?.as_str());
        match reason {
            Some(reason) => {
                self.notes.push(format!("prompt blocked: {reason}"));
                Ok(StopReason::Refusal)
            }
            None => Err(ModelError::Protocol(
                "empty_reply: no candidate in it".to_owned(),
            )),
        }
    }

    fn candidate(&mut self, candidate: &Value) -> Result<StopReason, ModelError> {
        let parts = candidate
            .get("content")
            .and_then(|content| content.get("parts")?.as_array());
        for part in parts.into_iter().flatten().filter_map(Value::as_object) {
            self.part(part);
        }
        let has_call = self
            .parts
            .iter()
            .any(|part| matches!(part, Part::ToolCall(_)));
        let reason = candidate.get("finishReason").and_then(Value::as_str);
        Ok(match reason {
            Some("STOP") | None if self.unconfirmed => StopReason::Refusal,
            Some("STOP") | None if has_call => StopReason::ToolCall,
            Some("STOP") => StopReason::EndTurn,
            None if !self.parts.is_empty() => StopReason::EndTurn,
            Some("MAX_TOKENS" | "CONTINUATION") => StopReason::MaxTokens,
            Some(
                reason @ ("SAFETY" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" | "RECITATION"
                | "LANGUAGE" | "ESCALATION" | "MODEL_ARMOR"),
            ) => {
                self.notes.push(format!("refused: {reason}"));
                StopReason::Refusal
            }
            Some(reason) if reason.starts_with("IMAGE_") => {
                self.notes.push(format!("refused: {reason}"));
                StopReason::Refusal
            }
            // What the model wrote is not to be used, even where a call stands beside it.
            Some(
                reason @ ("MALFORMED_FUNCTION_CALL"
                | "UNEXPECTED_TOOL_CALL"
                | "MALFORMED_RESPONSE"
                | "TOO_MANY_TOOL_CALLS"),
            ) => {
                self.notes.push(format!("malformed: {reason}"));
                StopReason::Other
            }
            Some("MISSING_THOUGHT_SIGNATURE") => {
                return Err(ModelError::InvalidRequest(
                    "a call of an earlier turn came back without its signature".to_owned(),
                ));
            }
            Some("PUP_LIMITED_DISABLED") => {
                return Err(ModelError::Authentication(
                    "the account is limited or disabled".to_owned(),
                ));
            }
            Some(reason) => {
                return Err(ModelError::Protocol(format!("it ended with {reason}")));
            }
            None => {
                return Err(ModelError::Protocol(
                    "empty_reply: a candidate without content and reason".to_owned(),
                ));
            }
        })
    }

    fn part(&mut self, part: &Map<String, Value>) {
        // Summaries of thoughts are no answer, whatever they look like.
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            return;
        }
        if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
            self.call(part, call);
        } else if let Some(text) = reply::text(part, "text") {
            self.parts.push(Part::Text(text.to_owned()));
        } else if !part.contains_key("text") && !part.contains_key("thoughtSignature") {
            let kind = part.keys().next().map_or("an empty part", String::as_str);
            self.notes.push(format!("ignored: {kind}"));
        }
    }

    fn call(&mut self, part: &Map<String, Value>, call: &Value) {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        let args = call.get("args").cloned().unwrap_or_default();
        if computer::wants_confirmation(call) {
            self.notes
                .push(format!("safety_check {name}: {}", explanation(&args)));
            self.unconfirmed |= self.settings.safety_checks == SafetyChecks::Stop;
        }
        // Ids are optional there, and results have to find their call in the whole conversation.
        let number = self
            .parts
            .iter()
            .filter(|part| matches!(part, Part::Opaque(_)))
            .count();
        let id = match call.get("id").and_then(Value::as_str) {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => format!("call-{}-{number}", self.request.messages.len()),
        };
        let own = self.settings.tools == ToolSet::Host
            || native::beside(&self.request.tools).any(|tool| tool.name == name);
        let members = match &args {
            Value::Null => Some(Map::new()),
            other => other.as_object().cloned(),
        };
        let calls = match members {
            Some(members) if !own => {
                let meaning = computer::meaning(name, &members);
                native::calls(&id, vec![(meaning, args)], &mut self.notes)
            }
            Some(members) => vec![ToolCall::new(&id, name, Value::Object(members).to_string())],
            None => vec![ToolCall::new(&id, name, args.to_string())],
        };
        // Kept whole: its signature has to come back in the same part.
        self.parts
            .push(Kept::calls(Value::Object(part.clone()), &id, &calls));
        self.parts.extend(calls.into_iter().map(Part::ToolCall));
    }
}

fn explanation(args: &Value) -> String {
    let told = args
        .get("safety_decision")
        .and_then(|decision| decision.get("explanation")?.as_str());
    wire::shown(told.unwrap_or("no reason given"))
}

/// Candidates leave out thoughts there, and both are paid as output.
fn usage(body: &Map<String, Value>) -> Option<Usage> {
    let usage = body.get("usageMetadata")?.as_object()?;
    let count = |name: &str| reply::count(usage, &[name]);
    let sum = |one: &str, other: &str| {
        count(one)
            .unwrap_or_default()
            .saturating_add(count(other).unwrap_or_default())
    };
    Some(Usage {
        input_tokens: sum("promptTokenCount", "toolUsePromptTokenCount"),
        output_tokens: sum("candidatesTokenCount", "thoughtsTokenCount"),
        cached_input_tokens: count("cachedContentTokenCount"),
        reasoning_tokens: count("thoughtsTokenCount"),
    })
}
