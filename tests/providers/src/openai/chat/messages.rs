//! Messages of Chat Completions and what has to follow what.

use serde_json::Value;

use crate::media;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::Checked;
use crate::schema;

/// What the model takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub hears: bool,
    pub sees: bool,
}

pub(super) fn check(rules: Rules, node: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    // Calls of the last assistant message that have no result yet.
    let mut open: Vec<String> = Vec::new();
    for message in node.filled_items()? {
        let role = message.field("role").text();
        if role != "tool" && !open.is_empty() {
            return Err(message.wrong(format!(
                "an assistant message with tool_calls has to be followed by one tool message for each id: {} is left",
                open.join(", ")
            )));
        }
        if role == "tool" {
            let id = message.field("tool_call_id");
            let Some(position) = open.iter().position(|known| known == id.text()) else {
                return Err(id.wrong(format!("no call before has the id `{}`", id.text())));
            };
            open.remove(position);
        }
        content(rules, &message.field("content"), seen)?;
        if role == "assistant" {
            open = calls(&message)?;
        }
    }
    if !open.is_empty() {
        return Err(node.wrong(format!("calls without a result: {}", open.join(", "))));
    }
    Ok(())
}

fn content(rules: Rules, content: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    if let Value::String(text) = content.value {
        seen.add_text(text);
        return Ok(());
    }
    if content.value.is_null() {
        return Ok(());
    }
    for part in content.filled_items()? {
        let kind = part.field("type");
        match kind.text() {
            "text" => seen.add_text(part.field("text").text()),
            "refusal" => seen.add_text(part.field("refusal").text()),
            "image_url" => {
                if !rules.sees {
                    return Err(kind.wrong(format!("`{}` takes no pictures", seen.model)));
                }
                super::super::picture(&part.field("image_url").field("url"), seen)?;
            }
            "input_audio" => {
                if !rules.hears {
                    return Err(kind.wrong(format!("`{}` takes no sound", seen.model)));
                }
                let sound = part.field("input_audio");
                let data = sound.field("data");
                media::sound(sound.field("format").text(), data.text())
                    .map_err(|what| data.wrong(what))?;
                seen.audio += 1;
            }
            other => return Err(kind.wrong(format!("this server takes no `{other}`"))),
        }
    }
    Ok(())
}

/// The ids of an assistant's calls.
fn calls(message: &Node<'_>) -> Checked<Vec<String>> {
    let Some(calls) = message.given("tool_calls") else {
        let content = message.field("content");
        if content.value.is_null() {
            return Err(content.wrong("an assistant message has content or tool_calls"));
        }
        return Ok(Vec::new());
    };
    let mut ids: Vec<String> = Vec::new();
    for call in calls.filled_items()? {
        let id = call.field("id");
        if ids
            .iter()
            .any(|known| known == id.filled_text().unwrap_or_default())
        {
            return Err(id.wrong("two calls have the same id"));
        }
        ids.push(id.filled_text()?.to_owned());
        let kind = call.field("type");
        if kind.text() != "function" {
            return Err(kind.wrong("this server calls functions only"));
        }
        schema::plain_name(&call.field("function").field("name"))?;
    }
    Ok(ids)
}
