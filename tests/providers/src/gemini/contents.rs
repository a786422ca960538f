//! Turns, their parts, and what has to follow what.

use serde_json::Value;

use super::Generation;
use crate::issued::Issued;
use crate::media;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::Checked;

/// Pictures a request may have, on the model that takes fewest.
const MOST_PICTURES: usize = 900;

pub(super) fn system(node: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    for part in node.field("parts").filled_items()? {
        seen.add_text(part.required("text")?.text());
    }
    Ok(())
}

struct Call {
    name: String,
    id: Option<String>,
}

/// What one turn held.
#[derive(Default)]
struct Turn {
    calls: Vec<Call>,
    responses: Vec<Call>,
}

pub(super) fn check(
    generation: Generation,
    issued: &Issued,
    node: &Node<'_>,
    seen: &mut NeutralRequest,
) -> Checked<()> {
    let turns = node.filled_items()?;
    let mut open: Vec<Call> = Vec::new();
    let mut model_spoke_last = false;
    for turn in &turns {
        let role = turn.field("role");
        let role = match role.text() {
            "" if turns.len() == 1 => "user",
            known @ ("user" | "model") => known,
            _ => return Err(role.wrong("has to be user or model, or absent from a single turn")),
        };
        let mut held = Turn::default();
        let parts = turn.field("parts");
        for part in parts.filled_items()? {
            read_part(generation, issued, role, &part, &mut held, seen)?;
        }
        if role == "user" {
            answered(&parts, &open, &held.responses)?;
            open.clear();
        } else {
            if !open.is_empty() {
                return Err(
                    parts.wrong("a turn with function calls has to be followed by their responses")
                );
            }
            open = held.calls;
        }
        model_spoke_last = role == "model";
    }
    if model_spoke_last {
        return Err(node.wrong("the last turn has to be the user's"));
    }
    if seen.images > MOST_PICTURES {
        return Err(node.wrong(format!("at most {MOST_PICTURES} pictures are taken")));
    }
    Ok(())
}

fn answered(parts: &Node<'_>, calls: &[Call], responses: &[Call]) -> Checked<()> {
    if calls.len() != responses.len() {
        return Err(parts.wrong(format!(
            "the number of function response parts has to be equal to the number of function call parts: {} and {}",
            responses.len(),
            calls.len()
        )));
    }
    for (call, response) in calls.iter().zip(responses) {
        if call.name != response.name {
            return Err(parts.wrong(format!(
                "the response to `{}` is called `{}`",
                call.name, response.name
            )));
        }
        if call.id.is_some() && response.id.is_some() && call.id != response.id {
            return Err(parts.wrong(format!("the response to `{}` has another id", call.name)));
        }
    }
    Ok(())
}

const KINDS: [&str; 5] = [
    "text",
    "inlineData",
    "functionCall",
    "functionResponse",
    "fileData",
];

fn read_part(
    generation: Generation,
    issued: &Issued,
    role: &str,
    part: &Node<'_>,
    held: &mut Turn,
    seen: &mut NeutralRequest,
) -> Checked<()> {
    let mut kinds = KINDS.into_iter().filter(|kind| part.given(kind).is_some());
    let Some(kind) = kinds.next() else {
        return Err(part.wrong("a part has to have its data"));
    };
    if kinds.next().is_some() {
        return Err(part.wrong("a part has one kind of data"));
    }
    let data = part.field(kind);
    match kind {
        "text" => seen.add_text(data.text()),
        "inlineData" => inline(&data, seen)?,
        "functionCall" if role == "model" => held.calls.push(named(&data)?),
        "functionResponse" if role == "user" => {
            held.responses.push(named(&data)?);
            for part in data.field("parts").items() {
                inline(&part.required("inlineData")?, seen)?;
            }
        }
        other => {
            return Err(part.wrong(format!(
                "`{other}` does not stand in a turn of role {role} here"
            )));
        }
    }
    signature(generation, issued, part, kind == "functionCall")
}

fn named(node: &Node<'_>) -> Checked<Call> {
    let id = node.field("id").value.as_str();
    Ok(Call {
        name: node.required("name")?.filled_text()?.to_owned(),
        id: id.map(str::to_owned),
    })
}

/// A signature comes back in the part with which it was issued, and it must not get lost from a call.
fn signature(
    generation: Generation,
    issued: &Issued,
    part: &Node<'_>,
    is_call: bool,
) -> Checked<()> {
    let same = |known: &Value| known["functionCall"] == part.value["functionCall"];
    let signature = part.field("thoughtSignature");
    match signature.value.as_str() {
        Some(text) if issued.is_unchanged(text, part.value) => Ok(()),
        Some(_) => Err(signature.wrong("this signature was not issued here for this part")),
        None if is_call && generation >= Generation(3) && issued.was_signed(same) => {
            Err(signature.wrong("the function call has lost its thoughtSignature"))
        }
        None => Ok(()),
    }
}

fn inline(node: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    let kind = node.field("mimeType");
    let data = node.field("data");
    match kind.text().split_once('/') {
        Some(("image", _)) => {
            let decoded =
                media::picture(kind.text(), data.text()).map_err(|what| data.wrong(what))?;
            seen.add_picture(decoded);
        }
        Some(("audio", format)) => {
            let format = match format {
                "mpeg" => "mp3",
                "x-wav" => "wav",
                other => other,
            };
            media::sound(format, data.text()).map_err(|what| data.wrong(what))?;
            seen.audio += 1;
        }
        _ => return Err(kind.wrong(format!("unsupported MIME type: {}", kind.text()))),
    }
    Ok(())
}
