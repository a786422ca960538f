//! Answers in Anthropic's form.

use dynacu_vocabulary::ActionKind;
use serde_json::{Map, Value, json};

use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::script::{Answer, Part, Stop};

pub(super) fn message(seen: &NeutralRequest, answer: &Answer, issued: &mut Issued) -> Value {
    let mut content = Vec::new();
    let mut calls = false;
    let mut characters = 0;
    for part in &answer.parts {
        match part {
            Part::Text(text) => {
                characters += text.len();
                content.push(json!({"type": "text", "text": text}));
            }
            Part::Thinking(thinking) => {
                let signature = issued.signature();
                let block =
                    json!({"type": "thinking", "thinking": thinking, "signature": signature});
                issued.remember(&signature, block.clone());
                content.push(block);
            }
            Part::Call { tool, arguments } => {
                characters += 40;
                if seen.in_words() {
                    content.push(
                        json!({"type": "text", "text": crate::protocol::in_words(tool, arguments)}),
                    );
                } else {
                    calls = true;
                    content.push(call(seen, tool, arguments, issued));
                }
            }
        }
    }
    let stop = match answer.stop {
        Some(Stop::MaxTokens) => "max_tokens",
        Some(Stop::Refusal | Stop::ContentFilter) => "refusal",
        Some(Stop::ContextWindow) => "model_context_window_exceeded",
        None if calls => "tool_use",
        None => "end_turn",
    };
    let details = match answer.stop {
        Some(Stop::Refusal) => json!({"type": "refusal", "category": null, "explanation": null}),
        Some(Stop::ContentFilter) => {
            json!({"type": "refusal", "category": "general_harms", "explanation": "declined"})
        }
        _ => Value::Null,
    };
    let input = answer.usage.input.unwrap_or_else(|| {
        seen.input_tokens(|width, height| u64::from(width.div_ceil(28) * height.div_ceil(28)))
    });
    let output = answer
        .usage
        .output
        .unwrap_or(characters as u64 / 4 + 8 + answer.usage.reasoning);
    let name = answer.model.as_deref().unwrap_or(&seen.model);
    json!({
        "id": issued.id("msg_"), "type": "message", "role": "assistant", "model": name,
        "content": content, "stop_reason": stop, "stop_sequence": null, "stop_details": details,
        "usage": {
            "input_tokens": input.saturating_sub(answer.usage.cached),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": answer.usage.cached,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": output,
            "output_tokens_details": {"thinking_tokens": answer.usage.reasoning},
            "service_tier": "standard",
        },
    })
}

/// A function call, or, where only the native tool can do it, a call of that.
fn call(
    seen: &NeutralRequest,
    tool: &str,
    arguments: &Map<String, Value>,
    issued: &mut Issued,
) -> Value {
    let id = issued.id("toolu_");
    if !seen.offers(tool)
        && let Some((member, input)) = native(tool, &Value::Object(arguments.clone()))
    {
        if seen.native.as_deref() == Some("computer_toolset_20260801") {
            return json!({"type": "tool_use", "id": id, "name": member, "toolset_name": "computer", "input": input,
                "caller": {"type": "direct"}});
        }
        let mut input = input;
        input["action"] = member.into();
        return json!({"type": "tool_use", "id": id, "name": "computer", "input": input, "caller": {"type": "direct"}});
    }
    json!({"type": "tool_use", "id": id, "name": tool, "input": arguments, "caller": {"type": "direct"}})
}

/// How the native computer tool says it: member and input.
pub(super) fn native(tool: &str, arguments: &Value) -> Option<(&'static str, Value)> {
    let of = |name: &str| arguments[name].clone();
    let point = |x: &str, y: &str| json!([of(x), of(y)]);
    Some(match ActionKind::named(tool)? {
        ActionKind::Click => {
            let member = match (arguments["button"].as_str(), arguments["count"].as_u64()) {
                (Some("right"), _) => "right_click",
                (Some("middle"), _) => "middle_click",
                (_, Some(2)) => "double_click",
                (_, Some(3)) => "triple_click",
                _ => "left_click",
            };
            (member, json!({"coordinate": point("x", "y")}))
        }
        ActionKind::Move => ("mouse_move", json!({"coordinate": point("x", "y")})),
        ActionKind::Drag => (
            "left_click_drag",
            json!({"start_coordinate": point("start_x", "start_y"), "coordinate": point("end_x", "end_y")}),
        ),
        ActionKind::Type => ("type", json!({"text": of("text")})),
        ActionKind::Key => ("key", json!({"text": of("combo")})),
        ActionKind::Scroll => {
            let mut input =
                json!({"scroll_direction": of("direction"), "scroll_amount": of("amount")});
            if !arguments["x"].is_null() {
                input["coordinate"] = point("x", "y");
            }
            ("scroll", input)
        }
        ActionKind::Wait => {
            let seconds = arguments["seconds"].as_f64().unwrap_or(1.0);
            ("wait", json!({"duration": seconds.max(1.0).round() as u64}))
        }
        ActionKind::Speak | ActionKind::Done => return None,
    })
}
