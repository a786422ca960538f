//! Messages, their blocks, and what has to follow what.

use serde_json::Value;

use super::check::{Context, cache_mark};
use super::model::Model;
use crate::media;
use crate::problem::{Checked, Problem};
use crate::seen::Seen;
use crate::shape::{Fields, Node};

/// Characters of base64 of one picture.
const LARGEST_PICTURE: usize = 10 << 20;
/// Pixels of a side; the second once a request has more than twenty pictures.
const LONGEST_SIDES: (u32, u32) = (8_000, 2_000);

pub fn messages(
    context: &Context<'_>,
    model: Model<'_>,
    node: &Node<'_>,
    seen: &mut Seen,
    marks: &mut usize,
) -> Checked<()> {
    let messages = node.filled_list()?;
    // Calls of the assistant's last message, which the user's next one has to answer.
    let mut open: Vec<Call> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let last = index + 1 == messages.len();
        let fields = message.object()?;
        let role = fields.required("role")?.one_of(&["user", "assistant"])?;
        if index == 0 && role == "assistant" {
            return Err(fields.wrong("role", "the first message has to be the user's"));
        }
        if last && role == "assistant" && !model.takes_prefill() {
            return Err(fields.wrong(
                "role",
                "this model takes no prefill: the last message has to be the user's",
            ));
        }
        let content = fields.required("content")?;
        fields.no_others()?;
        if role == "user" {
            user(&content, seen, marks, &open)?;
            open.clear();
        } else {
            if !open.is_empty() {
                return Err(unanswered(&content, &open));
            }
            open = assistant(context, &content, seen, marks)?;
            for call in &open {
                if ids.contains(&call.id) {
                    return Err(content.wrong(format!(
                        "`tool_use` ids have to be unique, `{}` is not",
                        call.id
                    )));
                }
                ids.push(call.id.clone());
            }
            if last && !open.is_empty() {
                return Err(unanswered(&content, &open));
            }
        }
    }
    pictures(model, node, seen)
}

struct Call {
    id: String,
    toolset: Option<String>,
}

fn unanswered(content: &Node<'_>, open: &[Call]) -> Problem {
    let ids: Vec<&str> = open.iter().map(|call| call.id.as_str()).collect();
    content.wrong(format!(
        "`tool_use` without a `tool_result` in the next message: {}",
        ids.join(", ")
    ))
}

fn pictures(model: Model<'_>, node: &Node<'_>, seen: &Seen) -> Checked<()> {
    if seen.images > model.most_pictures() {
        return Err(node.wrong(format!(
            "{} pictures, at most {} are taken",
            seen.images,
            model.most_pictures()
        )));
    }
    let side = if seen.images > 20 {
        LONGEST_SIDES.1
    } else {
        LONGEST_SIDES.0
    };
    match seen
        .sizes
        .iter()
        .find(|(width, height)| width.max(height) > &side)
    {
        Some((width, height)) => Err(node.wrong(format!(
            "a picture of {width}x{height}, a side has at most {side} pixels"
        ))),
        None => Ok(()),
    }
}

/// A string, or a list of blocks.
fn blocks<'a>(content: &Node<'a>, seen: &mut Seen) -> Checked<Vec<Node<'a>>> {
    if let Value::String(_) = content.value {
        seen.add_text(content.filled_text()?);
        return Ok(Vec::new());
    }
    content.filled_list()
}

fn user(content: &Node<'_>, seen: &mut Seen, marks: &mut usize, open: &[Call]) -> Checked<()> {
    let mut answered: Vec<&str> = Vec::new();
    let mut other = false;
    for block in blocks(content, seen)? {
        let fields = block.object()?;
        match fields.required("type")?.text()? {
            "tool_result" => {
                if other {
                    return Err(block.wrong("`tool_result` blocks come before any other block"));
                }
                let id = fields.required("tool_use_id")?;
                let text = id.text()?;
                let Some(call) = open.iter().find(|call| call.id == text) else {
                    return Err(id.wrong(format!(
                        "no `tool_use` of the message before has the id `{text}`"
                    )));
                };
                if answered.contains(&text) {
                    return Err(id.wrong("a second `tool_result` for one call"));
                }
                answered.push(text);
                result(&fields, call, seen, marks)?;
            }
            "text" => {
                other = true;
                seen.add_text(fields.required("text")?.filled_text()?);
            }
            "image" => {
                other = true;
                picture(&fields, seen)?;
            }
            kind => {
                return Err(fields.wrong(
                    "type",
                    format!("`{kind}` is no block of a user's message here"),
                ));
            }
        }
        *marks += cache_mark(&fields)?;
        fields.no_others()?;
    }
    match open
        .iter()
        .find(|call| !answered.contains(&call.id.as_str()))
    {
        Some(_) => {
            let left = open
                .iter()
                .filter(|call| !answered.contains(&call.id.as_str()));
            let ids: Vec<&str> = left.map(|call| call.id.as_str()).collect();
            Err(content.wrong(format!(
                "`tool_use` without a `tool_result`: {}",
                ids.join(", ")
            )))
        }
        None => Ok(()),
    }
}

fn result(fields: &Fields<'_>, call: &Call, seen: &mut Seen, marks: &mut usize) -> Checked<()> {
    let toolset = fields
        .optional("toolset_name")
        .map(|name| name.text())
        .transpose()?;
    if toolset != call.toolset.as_deref() {
        return Err(fields.wrong("toolset_name", "is not that of the call"));
    }
    if let Some(is_error) = fields.optional("is_error") {
        is_error.boolean()?;
    }
    let Some(content) = fields.optional("content") else {
        return Ok(());
    };
    for block in blocks(&content, seen)? {
        let fields = block.object()?;
        match fields.required("type")?.one_of(&["text", "image"])? {
            "text" => seen.add_text(fields.required("text")?.filled_text()?),
            _ => picture(&fields, seen)?,
        }
        *marks += cache_mark(&fields)?;
        fields.no_others()?;
    }
    Ok(())
}

fn picture(fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
    let source = fields.required("source")?.object()?;
    source.required("type")?.one_of(&["base64"])?;
    let kind = source.required("media_type")?;
    let data = source.required("data")?;
    let decoded = media::picture(kind.text()?, data.text()?).map_err(|what| data.wrong(what))?;
    if decoded.encoded > LARGEST_PICTURE {
        return Err(data.wrong(format!("the picture exceeds {} MB", LARGEST_PICTURE >> 20)));
    }
    source.no_others()?;
    if let Some(transformations) = fields.optional("transformations") {
        let transformations = transformations.object()?;
        transformations
            .required("oversized_image")?
            .one_of(&["error", "downscale"])?;
        transformations.no_others()?;
    }
    seen.add_picture(decoded);
    Ok(())
}

fn assistant(
    context: &Context<'_>,
    content: &Node<'_>,
    seen: &mut Seen,
    marks: &mut usize,
) -> Checked<Vec<Call>> {
    let mut calls = Vec::new();
    for block in blocks(content, seen)? {
        let fields = block.object()?;
        match fields.required("type")?.text()? {
            "text" => seen.add_text(fields.required("text")?.filled_text()?),
            "thinking" => {
                fields.required("thinking")?.text()?;
                let signature = fields.required("signature")?;
                if !context.issued.is_unchanged(signature.text()?, block.value) {
                    return Err(signature.wrong("this block was not issued here, or was changed: send thinking back as it came"));
                }
            }
            "redacted_thinking" => {
                let data = fields.required("data")?;
                if !context.issued.is_unchanged(data.text()?, block.value) {
                    return Err(data.wrong("this block was not issued here, or was changed"));
                }
            }
            "tool_use" => calls.push(call(&fields)?),
            kind => {
                return Err(fields.wrong(
                    "type",
                    format!("`{kind}` is no block of an assistant's message here"),
                ));
            }
        }
        *marks += cache_mark(&fields)?;
        fields.no_others()?;
    }
    Ok(calls)
}

fn call(fields: &Fields<'_>) -> Checked<Call> {
    let id = fields.required("id")?;
    let text = id.filled_text()?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !text.bytes().all(fits) {
        return Err(id.wrong(format!("`{text}` does not match ^[a-zA-Z0-9_-]+$")));
    }
    crate::schema::plain_name(&fields.required("name")?)?;
    fields.required("input")?.object()?;
    let toolset = fields
        .optional("toolset_name")
        .map(|name| name.text())
        .transpose()?;
    if let Some(caller) = fields.optional("caller") {
        caller.object()?;
    }
    Ok(Call {
        id: text.to_owned(),
        toolset: toolset.map(str::to_owned),
    })
}
