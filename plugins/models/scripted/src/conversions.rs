//! From a script and a request to an answer; pure.

use std::collections::BTreeMap;

use dynacu_sdk::Duration;
use dynacu_sdk::model::{ModelError, Part, Request, Response, Role, StopReason, ToolCall, Usage};
use model_wire::{Answer, Outcome};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::script::{Lookup, Rule, Said, Script};

/// Answers a request.
///
/// # Errors
/// The error that the rule names; [`ModelError::InvalidRequest`] for a script that cannot be run, naming the rule.
pub fn answer(model: &str, script: &Script, request: &Request) -> Outcome {
    let facts = RequestFacts::of(request);
    for (index, rule) in script.rule.iter().enumerate() {
        let fault = |why: String| {
            ModelError::InvalidRequest(format!("settings: rule {}: {why}", index + 1))
        };
        let Some(found) = holds(rule, &facts).map_err(fault)? else {
            continue;
        };
        if let Some(name) = &rule.error {
            return Err(error(name, rule.after_ms.map(Duration::from_millis)).map_err(fault)?);
        }
        let found = looked_up(found, &script.lookup).map_err(fault)?;
        let parts = parts(&rule.answer, &found, script.takes.tools).map_err(fault)?;
        let stop = match &rule.stop {
            Some(name) => stop(name).map_err(fault)?,
            None => fitting(&parts),
        };
        let note = format!("rule {} of {}", index + 1, script.rule.len());
        return Ok(said(model, parts, stop, &facts, note));
    }
    let otherwise = match script.otherwise.as_slice() {
        [] if request.tools.is_empty() && script.takes.tools => vec![Said::Text {
            text: "ready".to_owned(),
        }],
        [] => vec![Said::Call {
            call: "wait".to_owned(),
            with: Map::from_iter([("seconds".to_owned(), 1.into())]),
        }],
        otherwise => otherwise.to_vec(),
    };
    let parts = parts(&otherwise, &BTreeMap::new(), script.takes.tools)
        .map_err(|why| ModelError::InvalidRequest(format!("settings: otherwise: {why}")))?;
    let stop = fitting(&parts);
    Ok(said(model, parts, stop, &facts, "no rule holds".to_owned()))
}

/// What rules look at.
struct RequestFacts {
    text: String,
    images: usize,
    clips: usize,
}

impl RequestFacts {
    /// System text is what the policy always says, and is left out.
    fn of(request: &Request) -> Self {
        let mut facts = Self {
            text: String::new(),
            images: 0,
            clips: 0,
        };
        let messages = request.messages.iter();
        let parts = messages
            .filter(|message| message.role != Role::System)
            .flat_map(|message| &message.parts);
        for part in parts {
            match part {
                Part::Text(text) => {
                    facts.text.push_str(text);
                    facts.text.push('\n');
                }
                Part::Image(_) => facts.images += 1,
                Part::Audio(_) => facts.clips += 1,
                Part::ToolCall(_) | Part::ToolResult(_) | Part::Opaque(_) => {}
            }
        }
        facts
    }
}

type Found = BTreeMap<String, String>;

fn holds(rule: &Rule, facts: &RequestFacts) -> Result<Option<Found>, String> {
    if facts.images < rule.images || facts.clips < rule.clips {
        return Ok(None);
    }
    let compiled = |text: &String| Regex::new(text).map_err(|error| error.to_string());
    for text in &rule.unless {
        if compiled(text)?.is_match(&facts.text) {
            return Ok(None);
        }
    }
    let mut found = Found::new();
    for text in &rule.when {
        let expression = compiled(text)?;
        let Some(captures) = expression.captures_iter(&facts.text).last() else {
            return Ok(None);
        };
        for name in expression.capture_names().flatten() {
            if let Some(group) = captures.name(name) {
                found.insert(name.to_owned(), group.as_str().to_owned());
            }
        }
    }
    Ok(Some(found))
}

fn looked_up(mut found: Found, lookups: &BTreeMap<String, Lookup>) -> Result<Found, String> {
    for (name, lookup) in lookups {
        let Some(key) = found.get(&lookup.key) else {
            continue;
        };
        let words = |text: &str| {
            text.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .to_lowercase()
        };
        let value = lookup
            .values
            .iter()
            .find(|(from, _)| words(from) == words(key))
            .map(|(_, to)| to.clone())
            .ok_or_else(|| format!("lookup.{name} has nothing for {key:?}"))?;
        found.insert(name.clone(), value);
    }
    Ok(found)
}

fn parts(answer: &[Said], found: &Found, tools: bool) -> Result<Vec<Part>, String> {
    answer
        .iter()
        .enumerate()
        .map(|(index, said)| {
            Ok(match said {
                Said::Text { text } => Part::Text(filled(text, found)?),
                Said::Call { call, with } => {
                    let arguments = filled_value(&Value::Object(with.clone()), found)?;
                    if tools {
                        let id = format!("call-{}", index + 1);
                        Part::ToolCall(ToolCall::new(id, call, arguments.to_string()))
                    } else {
                        let mut written = json!({"action": call});
                        if let (Some(written), Value::Object(arguments)) =
                            (written.as_object_mut(), arguments)
                        {
                            written.extend(arguments);
                        }
                        Part::Text(written.to_string())
                    }
                }
            })
        })
        .collect()
}

fn filled_value(value: &Value, found: &Found) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => filled(text, found)?.into(),
        Value::Array(list) => {
            let list: Result<Vec<Value>, String> = list
                .iter()
                .map(|value| filled_value(value, found))
                .collect();
            list?.into()
        }
        Value::Object(members) => {
            let members: Result<Map<String, Value>, String> = members
                .iter()
                .map(|(name, value)| Ok((name.clone(), filled_value(value, found)?)))
                .collect();
            members?.into()
        }
        other => other.clone(),
    })
}

/// The text with every `{name}` replaced.
fn filled(text: &str, found: &Found) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return Err(format!("a brace in {text:?} is not closed"));
        };
        let value = found.get(name).ok_or_else(|| {
            format!("nothing is called {{{name}}}: it is neither a group nor a lookup")
        })?;
        filled.push_str(before);
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn fitting(parts: &[Part]) -> StopReason {
    if parts.iter().any(|part| matches!(part, Part::ToolCall(_))) {
        StopReason::ToolCall
    } else {
        StopReason::EndTurn
    }
}

fn stop(name: &str) -> Result<StopReason, String> {
    Ok(match name {
        "end-turn" => StopReason::EndTurn,
        "max-tokens" => StopReason::MaxTokens,
        "stop-sequence" => StopReason::StopSequence,
        "tool-call" => StopReason::ToolCall,
        "refusal" => StopReason::Refusal,
        "other" => StopReason::Other,
        _ => return Err(format!("there is no stop reason {name:?}")),
    })
}

fn error(name: &str, after: Option<Duration>) -> Result<ModelError, String> {
    let why = || "the script says so".to_owned();
    Ok(match name {
        "rate-limited" => ModelError::RateLimited(after),
        "overloaded" => ModelError::Overloaded(after),
        "timeout" => ModelError::Timeout,
        "quota-exceeded" => ModelError::QuotaExceeded(why()),
        "authentication" => ModelError::Authentication(why()),
        "invalid-request" => ModelError::InvalidRequest(why()),
        "context-exceeded" => ModelError::ContextExceeded(why()),
        "refused" => ModelError::Refused(why()),
        "protocol" => ModelError::Protocol(why()),
        "other" => ModelError::Other(why()),
        _ => return Err(format!("there is no error {name:?}")),
    })
}

/// Tokens are a quarter of the characters, so that budgets have something to count.
fn said(
    model: &str,
    parts: Vec<Part>,
    stop_reason: StopReason,
    facts: &RequestFacts,
    note: String,
) -> Answer {
    let characters: usize = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => text.len(),
            Part::ToolCall(call) => call.name.len() + call.arguments.len(),
            Part::Image(_) | Part::Audio(_) | Part::ToolResult(_) | Part::Opaque(_) => 0,
        })
        .sum();
    Answer {
        response: Response {
            parts,
            stop_reason,
            usage: Some(Usage {
                input_tokens: (facts.text.len() as u64).div_ceil(4),
                output_tokens: (characters as u64).div_ceil(4),
                cached_input_tokens: None,
                reasoning_tokens: None,
            }),
            model: model.to_owned(),
        },
        notes: vec![note],
    }
}

#[cfg(test)]
#[path = "conversions_tests.rs"]
mod tests;
