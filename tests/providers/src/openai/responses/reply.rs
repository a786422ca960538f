//! Answers of the Responses endpoint.

use dynacu_vocabulary::ActionKind;
use serde_json::{Value, json};

use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::protocol::in_words;
use crate::script::{Answer, Part, Stop};

pub(super) fn response(seen: &NeutralRequest, answer: &Answer, issued: &mut Issued) -> Value {
    let mut output = Vec::new();
    let cut = matches!(
        answer.stop,
        Some(Stop::MaxTokens | Stop::ContentFilter | Stop::ContextWindow)
    );
    let status = if cut { "incomplete" } else { "completed" };
    let mut characters = 0;
    for part in &answer.parts {
        match part {
            Part::Text(text) if answer.stop == Some(Stop::Refusal) => {
                output.push(message(
                    issued,
                    &json!({"type": "refusal", "refusal": text}),
                ));
            }
            Part::Text(text) => {
                characters += text.len();
                output.push(message(issued, &json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})));
            }
            Part::Thinking(_) => {
                let signature = issued.signature();
                let item = json!({"type": "reasoning", "id": issued.id("rs_"), "summary": [], "encrypted_content": signature});
                issued.remember(&signature, item.clone());
                output.push(item);
            }
            Part::Call { tool, arguments } if seen.in_words() => {
                let text = in_words(tool, arguments);
                output.push(message(issued, &json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})));
            }
            Part::Call { tool, arguments } => {
                characters += 40;
                let arguments = Value::Object(arguments.clone());
                let (id, call) = (issued.id("fc_"), issued.id("call_"));
                output.push(match native(tool, &arguments) {
                    Some(action) if !seen.offers(tool) => json!({
                        "type": "computer_call", "id": id, "call_id": call, "status": status,
                        "pending_safety_checks": [], "actions": [action],
                    }),
                    _ => json!({
                        "type": "function_call", "id": id, "call_id": call, "name": tool,
                        "arguments": arguments.to_string(), "status": status,
                    }),
                });
            }
        }
    }
    let incomplete = match answer.stop {
        Some(Stop::MaxTokens | Stop::ContextWindow) => json!({"reason": "max_output_tokens"}),
        Some(Stop::ContentFilter) => json!({"reason": "content_filter"}),
        _ => Value::Null,
    };
    let input = answer
        .usage
        .input
        .unwrap_or_else(|| seen.input_tokens(super::super::picture_tokens));
    let written = answer
        .usage
        .output
        .unwrap_or(characters as u64 / 4 + 8 + answer.usage.reasoning);
    json!({
        "id": issued.id("resp_"), "object": "response", "created_at": 1_796_000_000, "status": status,
        "model": answer.model.as_deref().unwrap_or(&seen.model),
        "error": null, "incomplete_details": incomplete, "output": output,
        // The real one repeats what it was asked with.
        "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
        "usage": {
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": answer.usage.cached, "cache_write_tokens": 0},
            "output_tokens": written, "output_tokens_details": {"reasoning_tokens": answer.usage.reasoning},
            "total_tokens": input + written,
        },
    })
}

fn message(issued: &mut Issued, part: &Value) -> Value {
    json!({
        "type": "message", "id": issued.id("msg_"), "role": "assistant", "status": "completed",
        "phase": "final_answer", "content": [part],
    })
}

/// How the computer tool says it.
pub(super) fn native(tool: &str, arguments: &Value) -> Option<Value> {
    let of = |name: &str| arguments[name].clone();
    Some(match ActionKind::named(tool)? {
        ActionKind::Click if arguments["count"] == 2 => {
            json!({"type": "double_click", "x": of("x"), "y": of("y")})
        }
        ActionKind::Click => {
            let button = match arguments["button"].as_str() {
                Some("right") => "right",
                Some("middle") => "wheel",
                _ => "left",
            };
            json!({"type": "click", "button": button, "x": of("x"), "y": of("y")})
        }
        ActionKind::Move => json!({"type": "move", "x": of("x"), "y": of("y")}),
        ActionKind::Drag => json!({"type": "drag", "path": [
            {"x": of("start_x"), "y": of("start_y")}, {"x": of("end_x"), "y": of("end_y")},
        ]}),
        ActionKind::Type => json!({"type": "type", "text": of("text")}),
        ActionKind::Key => {
            let combo = arguments["combo"].as_str().unwrap_or_default();
            let keys: Vec<String> = combo.split('+').map(str::to_uppercase).collect();
            json!({"type": "keypress", "keys": keys})
        }
        ActionKind::Scroll => {
            let pixels = arguments["amount"].as_i64().unwrap_or(3) * 100;
            let (across, down) = match arguments["direction"].as_str() {
                Some("up") => (0, -pixels),
                Some("left") => (-pixels, 0),
                Some("right") => (pixels, 0),
                _ => (0, pixels),
            };
            json!({"type": "scroll", "x": of("x"), "y": of("y"), "scroll_x": across, "scroll_y": down})
        }
        ActionKind::Wait => json!({"type": "wait"}),
        ActionKind::Speak | ActionKind::Done => return None,
    })
}
