//! Messages, their blocks, and what has to follow what.

use serde_json::Value;

use super::check::Context;
use super::model::Model;
use crate::media;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::{Checked, Problem};

/// Characters of base64 of one picture.
const LARGEST_PICTURE: usize = 10 << 20;
/// Pixels of a side; the second once a request has more than twenty pictures.
const LONGEST_SIDES: (u32, u32) = (8_000, 2_000);

pub(super) fn messages(
    context: &Context<'_>,
    model: Model<'_>,
    node: &Node<'_>,
    seen: &mut NeutralRequest,
) -> Checked<()> {
    let messages = node.filled_items()?;
    // Calls of the assistant's last message, which the user's next one has to answer.
    let mut open: Vec<Call> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let last = index + 1 == messages.len();
        let role = message.field("role");
        let content = message.field("content");
        if index == 0 && role.text() != "user" {
            return Err(role.wrong("the first message has to be the user's"));
        }
        if last && role.text() == "assistant" && !model.takes_prefill() {
            return Err(
                role.wrong("this model takes no prefill: the last message has to be the user's")
            );
        }
        match role.text() {
            "user" => {
                user(&content, seen, &open)?;
                open.clear();
                continue;
            }
            "system" => {
                for block in blocks(&content, seen)? {
                    seen.add_text(block.field("text").filled_text()?);
                }
                continue;
            }
            _ => {}
        }
        if !open.is_empty() {
            return Err(unanswered(&content, &open));
        }
        open = assistant(context, &content, seen)?;
        for call in &open {
            if ids.contains(&call.id) {
                return Err(content.wrong(format!(
                    "`tool_use` ids have to be unique, `{}` is not",
                    call.id
                )));
            }
            ids.push(call.id.clone());
        }
    }
    if !open.is_empty() {
        return Err(unanswered(node, &open));
    }
    pictures(model, node, seen)
}

struct Call {
    id: String,
    toolset: Option<String>,
}

fn unanswered(at: &Node<'_>, open: &[Call]) -> Problem {
    let ids: Vec<&str> = open.iter().map(|call| call.id.as_str()).collect();
    at.wrong(format!(
        "`tool_use` without a `tool_result` in the next message: {}",
        ids.join(", ")
    ))
}

fn pictures(model: Model<'_>, node: &Node<'_>, seen: &NeutralRequest) -> Checked<()> {
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
fn blocks<'a>(content: &Node<'a>, seen: &mut NeutralRequest) -> Checked<Vec<Node<'a>>> {
    if let Value::String(_) = content.value {
        seen.add_text(content.filled_text()?);
        return Ok(Vec::new());
    }
    content.filled_items()
}

fn user(content: &Node<'_>, seen: &mut NeutralRequest, open: &[Call]) -> Checked<()> {
    let mut answered: Vec<&str> = Vec::new();
    let mut other = false;
    for block in blocks(content, seen)? {
        match block.field("type").text() {
            "tool_result" => {
                if other {
                    return Err(block.wrong("`tool_result` blocks come before any other block"));
                }
                let id = block.field("tool_use_id");
                let Some(call) = open.iter().find(|call| call.id == id.text()) else {
                    return Err(id.wrong(format!(
                        "no `tool_use` of the message before has the id `{}`",
                        id.text()
                    )));
                };
                if answered.contains(&id.text()) {
                    return Err(id.wrong("a second `tool_result` for one call"));
                }
                answered.push(id.text());
                result(&block, call, seen)?;
            }
            kind => {
                other = true;
                shown(&block, kind, "a user's message", seen)?;
            }
        }
    }
    let left = open
        .iter()
        .filter(|call| !answered.contains(&call.id.as_str()));
    let left: Vec<&str> = left.map(|call| call.id.as_str()).collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(content.wrong(format!(
        "`tool_use` without a `tool_result`: {}",
        left.join(", ")
    )))
}

/// A text or a picture.
fn shown(block: &Node<'_>, kind: &str, place: &str, seen: &mut NeutralRequest) -> Checked<()> {
    match kind {
        "text" => seen.add_text(block.field("text").filled_text()?),
        "image" => picture(block, seen)?,
        other => {
            return Err(block
                .field("type")
                .wrong(format!("`{other}` is no block of {place} here")));
        }
    }
    Ok(())
}

fn result(block: &Node<'_>, call: &Call, seen: &mut NeutralRequest) -> Checked<()> {
    let toolset = block.field("toolset_name");
    if toolset.value.as_str() != call.toolset.as_deref() {
        return Err(toolset.wrong("is not that of the call"));
    }
    let Some(content) = block.given("content") else {
        return Ok(());
    };
    for block in blocks(&content, seen)? {
        shown(&block, block.field("type").text(), "a `tool_result`", seen)?;
    }
    Ok(())
}

fn picture(block: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    let source = block.field("source");
    if source.field("type").text() != "base64" {
        return Err(source.wrong("this server fetches no addresses and keeps no files"));
    }
    let data = source.field("data");
    let kind = source.field("media_type").text();
    let decoded = media::picture(kind, data.text()).map_err(|what| data.wrong(what))?;
    if decoded.encoded > LARGEST_PICTURE {
        return Err(data.wrong(format!("the picture exceeds {} MB", LARGEST_PICTURE >> 20)));
    }
    seen.add_picture(decoded);
    Ok(())
}

fn assistant(
    context: &Context<'_>,
    content: &Node<'_>,
    seen: &mut NeutralRequest,
) -> Checked<Vec<Call>> {
    let mut calls = Vec::new();
    for block in blocks(content, seen)? {
        let unchanged = |name: &str| {
            let signature = block.field(name);
            if context.issued.is_unchanged(signature.text(), block.value) {
                return Ok(());
            }
            Err(signature.wrong(
                "this block was not issued here, or was changed: send thinking back as it came",
            ))
        };
        match block.field("type").text() {
            "text" => seen.add_text(block.field("text").filled_text()?),
            "thinking" => unchanged("signature")?,
            "redacted_thinking" => unchanged("data")?,
            "tool_use" => calls.push(call(&block)?),
            kind => {
                return Err(block.field("type").wrong(format!(
                    "`{kind}` is no block of an assistant's message here"
                )));
            }
        }
    }
    Ok(calls)
}

fn call(block: &Node<'_>) -> Checked<Call> {
    let id = block.field("id");
    let text = id.filled_text()?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !text.bytes().all(fits) {
        return Err(id.wrong(format!("`{text}` does not match ^[a-zA-Z0-9_-]+$")));
    }
    crate::schema::plain_name(&block.field("name"))?;
    let toolset = block.field("toolset_name").value.as_str();
    Ok(Call {
        id: text.to_owned(),
        toolset: toolset.map(str::to_owned),
    })
}
