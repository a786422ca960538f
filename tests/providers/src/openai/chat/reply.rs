//! Answers of Chat Completions.

use serde_json::{Value, json};

use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::protocol::in_words;
use crate::script::{Answer, Part, Stop};

pub(super) fn completion(
    seen: &NeutralRequest,
    answer: &Answer,
    local: bool,
    issued: &mut Issued,
) -> Value {
    let mut text = String::new();
    let mut reasoning = String::new();
    let mut calls = Vec::new();
    for part in &answer.parts {
        match part {
            Part::Text(part) => text.push_str(part),
            // OpenAI keeps it to itself; local servers show it in a field of its own.
            Part::Thinking(part) => reasoning.push_str(part),
            Part::Call { tool, arguments } if seen.in_words() => {
                text.push_str(&in_words(tool, arguments))
            }
            Part::Call { tool, arguments } => {
                let arguments = Value::Object(arguments.clone()).to_string();
                calls.push(json!({
                    "id": issued.id("call_"), "type": "function",
                    "function": {"name": tool, "arguments": arguments},
                }));
            }
        }
    }
    let reason = match answer.stop {
        Some(Stop::MaxTokens | Stop::ContextWindow) => "length",
        Some(Stop::ContentFilter) => "content_filter",
        Some(Stop::Refusal) => "stop",
        None if !calls.is_empty() => "tool_calls",
        None => "stop",
    };
    let output = answer.usage.output.unwrap_or_else(|| {
        (text.len() + reasoning.len() + 40 * calls.len()) as u64 / 4 + 4 + answer.usage.reasoning
    });
    let input = answer
        .usage
        .input
        .unwrap_or_else(|| seen.input_tokens(super::super::picture_tokens));
    let mut message = json!({"role": "assistant", "content": null, "refusal": null});
    if answer.stop == Some(Stop::Refusal) {
        message["refusal"] = text.into();
    } else if !text.is_empty() {
        message["content"] = text.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    if local && !reasoning.is_empty() {
        message["reasoning"] = reasoning.into();
    }
    json!({
        "id": issued.id("chatcmpl-"), "object": "chat.completion", "created": 1_796_000_000,
        "model": answer.model.as_deref().unwrap_or(&seen.model),
        "choices": [{"index": 0, "finish_reason": reason, "logprobs": null, "message": message}],
        "usage": {
            "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
            "prompt_tokens_details": {"cached_tokens": answer.usage.cached, "cache_write_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": answer.usage.reasoning, "audio_tokens": 0},
        },
    })
}
