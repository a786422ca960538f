//! Messages of Chat Completions and what has to follow what.

use serde_json::Value;

use crate::media;
use crate::problem::Checked;
use crate::schema;
use crate::seen::Seen;
use crate::shape::{Fields, Node};

/// What the model and the server take.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub local: bool,
    pub hears: bool,
    pub sees: bool,
}

pub fn check(rules: Rules, node: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    // Calls of the last assistant message that have no result yet.
    let mut open: Vec<String> = Vec::new();
    for message in node.filled_list()? {
        let fields = message.object()?;
        let role = fields.required("role")?.one_of(if rules.local {
            &["system", "user", "assistant", "tool"]
        } else {
            &["developer", "system", "user", "assistant", "tool"]
        })?;
        if role != "tool" && !open.is_empty() {
            return Err(message.wrong(format!(
                "an assistant message with tool_calls has to be followed by one tool message for each id: {} is left",
                open.join(", ")
            )));
        }
        match role {
            "tool" => {
                let id = fields.required("tool_call_id")?;
                let text = id.text()?;
                let Some(position) = open.iter().position(|known| known == text) else {
                    return Err(id.wrong(format!("no call before has the id `{text}`")));
                };
                open.remove(position);
                text_content(&fields.required("content")?, seen)?;
            }
            "assistant" => open = assistant(&fields, seen)?,
            "user" => user(rules, &fields.required("content")?, seen)?,
            _ => text_content(&fields.required("content")?, seen)?,
        }
        if let Some(name) = fields.optional("name") {
            name.text()?;
        }
        fields.no_others()?;
    }
    if !open.is_empty() {
        return Err(node.wrong(format!("calls without a result: {}", open.join(", "))));
    }
    Ok(())
}

fn text_content(content: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    if let Value::String(text) = content.value {
        seen.add_text(text);
        return Ok(());
    }
    for part in content.filled_list()? {
        let fields = part.object()?;
        fields.required("type")?.one_of(&["text"])?;
        seen.add_text(fields.required("text")?.text()?);
        fields.no_others()?;
    }
    Ok(())
}

fn user(rules: Rules, content: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    if let Value::String(text) = content.value {
        seen.add_text(text);
        return Ok(());
    }
    for part in content.filled_list()? {
        let fields = part.object()?;
        let kind = fields.required("type")?;
        match kind.one_of(&["text", "image_url", "input_audio"])? {
            "text" => seen.add_text(fields.required("text")?.text()?),
            "image_url" => {
                if !rules.sees {
                    return Err(kind.wrong(format!("`{}` takes no pictures", seen.model)));
                }
                let image = fields.required("image_url")?.object()?;
                super::super::picture(&image.required("url")?, seen)?;
                // Not every local server knows the field.
                if !rules.local
                    && let Some(detail) = image.optional("detail")
                {
                    detail.one_of(&["auto", "low", "high", "original"])?;
                }
                image.no_others()?;
            }
            _ => {
                if !rules.hears {
                    return Err(kind.wrong(format!("`{}` takes no sound", seen.model)));
                }
                let sound = fields.required("input_audio")?.object()?;
                let format = sound.required("format")?.one_of(&["wav", "mp3"])?;
                let data = sound.required("data")?;
                media::sound(format, data.text()?).map_err(|what| data.wrong(what))?;
                sound.no_others()?;
                seen.audio += 1;
            }
        }
        if !rules.local {
            fields.ignore(&["prompt_cache_breakpoint"]);
        }
        fields.no_others()?;
    }
    Ok(())
}

/// The ids of its calls.
fn assistant(fields: &Fields<'_>, seen: &mut Seen) -> Checked<Vec<String>> {
    let content = fields.optional("content");
    let calls = fields.optional("tool_calls");
    if content.is_none() && calls.is_none() {
        return Err(fields.wrong("content", "an assistant message has content or tool_calls"));
    }
    if let Some(content) = content {
        text_content(&content, seen)?;
    }
    if let Some(refusal) = fields.optional("refusal") {
        refusal.text()?;
    }
    let mut ids = Vec::new();
    let Some(calls) = calls else {
        return Ok(ids);
    };
    for call in calls.filled_list()? {
        let call = call.object()?;
        call.required("type")?.one_of(&["function"])?;
        let id = call.required("id")?;
        let text = id.filled_text()?;
        if ids.iter().any(|known| known == text) {
            return Err(id.wrong("two calls have the same id"));
        }
        ids.push(text.to_owned());
        let function = call.required("function")?.object()?;
        schema::plain_name(&function.required("name")?)?;
        function.required("arguments")?.text()?;
        function.no_others()?;
        call.no_others()?;
    }
    Ok(ids)
}
