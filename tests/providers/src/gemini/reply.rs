//! Answers in Gemini's form.

use dynacu_vocabulary::ActionKind;
use serde_json::{Value, json};

use super::Generation;
use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::protocol::in_words;
use crate::script::{Answer, Part, Stop};

pub(super) fn generated(seen: &NeutralRequest, answer: &Answer, issued: &mut Issued) -> Value {
    let name = answer.model.as_deref().unwrap_or(&seen.model);
    let input = answer
        .usage
        .input
        .unwrap_or_else(|| seen.input_tokens(|_, _| 1_120) + 32 * 60 * seen.audio as u64);
    if answer.stop == Some(Stop::ContentFilter) {
        return json!({
            "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
            "usageMetadata": {"promptTokenCount": input, "totalTokenCount": input},
            "modelVersion": name, "responseId": issued.id("r"),
        });
    }
    let mut characters = 0;
    let mut signed = false;
    let mut parts = Vec::new();
    for part in &answer.parts {
        match part {
            Part::Text(text) => {
                characters += text.len();
                parts.push(json!({"text": text}));
            }
            Part::Thinking(text) => parts.push(json!({"text": text, "thought": true})),
            Part::Call { tool, arguments } if seen.in_words() => {
                parts.push(json!({"text": in_words(tool, arguments)}))
            }
            Part::Call { tool, arguments } => {
                characters += 40;
                let arguments = Value::Object(arguments.clone());
                let (tool, arguments) = match native(&seen.model, tool, &arguments) {
                    Some((member, arguments)) if !seen.offers(tool) => {
                        (member.to_owned(), arguments)
                    }
                    _ => (tool.clone(), arguments),
                };
                let call = json!({"id": issued.id("fc"), "name": tool, "args": arguments});
                let mut part = json!({"functionCall": call});
                // The first call of an answer is signed, those beside it are not.
                if !signed && Generation::of(&seen.model) >= Generation(3) {
                    signed = true;
                    let signature = issued.signature();
                    part["thoughtSignature"] = signature.clone().into();
                    issued.remember(&signature, part.clone());
                }
                parts.push(part);
            }
        }
    }
    let reason = match answer.stop {
        Some(Stop::MaxTokens | Stop::ContextWindow) => "MAX_TOKENS",
        Some(Stop::Refusal) => "SAFETY",
        _ => "STOP",
    };
    let output = answer.usage.output.unwrap_or(characters as u64 / 4 + 8);
    let thoughts = answer.usage.reasoning;
    json!({
        "candidates": [{"index": 0, "finishReason": reason, "content": {"role": "model", "parts": parts}}],
        "usageMetadata": {
            "promptTokenCount": input, "cachedContentTokenCount": answer.usage.cached,
            "candidatesTokenCount": output, "thoughtsTokenCount": thoughts,
            "totalTokenCount": input + output + thoughts,
        },
        "modelVersion": name, "responseId": issued.id("r"),
    })
}

/// How the computer-use tool says it: the older models have other names.
pub(super) fn native(model: &str, tool: &str, arguments: &Value) -> Option<(&'static str, Value)> {
    let of = |name: &str| arguments[name].clone();
    let at = || json!({"y": of("y"), "x": of("x")});
    let legacy = ["2.5-computer-use", "3-flash", "3.1-pro"]
        .iter()
        .any(|part| model.contains(part));
    Some(match (ActionKind::named(tool)?, legacy) {
        (ActionKind::Click, true) => ("click_at", at()),
        (ActionKind::Click, false) => {
            let name = match (arguments["button"].as_str(), arguments["count"].as_u64()) {
                (Some("right"), _) => "right_click",
                (Some("middle"), _) => "middle_click",
                (_, Some(2)) => "double_click",
                (_, Some(3)) => "triple_click",
                _ => "click",
            };
            (name, at())
        }
        (ActionKind::Move, true) => ("hover_at", at()),
        (ActionKind::Move, false) => ("move", at()),
        (ActionKind::Drag, _) => (
            "drag_and_drop",
            json!({"start_y": of("start_y"), "start_x": of("start_x"), "end_y": of("end_y"), "end_x": of("end_x")}),
        ),
        (ActionKind::Type, false) => ("type", json!({"text": of("text"), "press_enter": false})),
        (ActionKind::Key, true) => ("key_combination", json!({"keys": of("combo")})),
        (ActionKind::Key, false) => match arguments["combo"].as_str().unwrap_or_default() {
            combo if combo.contains('+') => (
                "hotkey",
                json!({"keys": combo.split('+').collect::<Vec<_>>()}),
            ),
            _ => ("press_key", json!({"key": of("combo")})),
        },
        (ActionKind::Scroll, _) => {
            let magnitude = arguments["amount"].as_i64().unwrap_or(3) * 100;
            let placed = !arguments["x"].is_null();
            match (legacy, placed) {
                (true, false) => ("scroll_document", json!({"direction": of("direction")})),
                (true, true) => (
                    "scroll_at",
                    json!({"y": of("y"), "x": of("x"), "direction": of("direction"), "magnitude": magnitude}),
                ),
                (false, _) => (
                    "scroll",
                    json!({"y": of("y"), "x": of("x"), "direction": of("direction"), "magnitude_in_pixels": magnitude}),
                ),
            }
        }
        (ActionKind::Wait, true) => ("wait_5_seconds", json!({})),
        (ActionKind::Wait, false) => ("wait", json!({"seconds": of("seconds")})),
        // The older set has no typing without a click.
        (ActionKind::Type, true) | (ActionKind::Speak | ActionKind::Done, _) => return None,
    })
}
