//! Turns, their parts, and what has to follow what.

use serde_json::Value;

use super::Generation;
use crate::issued::Issued;
use crate::media;
use crate::problem::{Checked, Problem};
use crate::seen::Seen;
use crate::shape::{Fields, Node};

/// Pictures a request may have, on the model that takes fewest.
const MOST_PICTURES: usize = 900;

pub fn system(node: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    let fields = node.object()?;
    for part in fields.required("parts")?.filled_list()? {
        let part = part.object()?;
        seen.add_text(part.required("text")?.text()?);
        part.no_others()?;
    }
    fields.ignore(&["role"]);
    fields.no_others()
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

pub fn check(
    generation: Generation,
    issued: &Issued,
    node: &Node<'_>,
    seen: &mut Seen,
) -> Checked<()> {
    let turns = node.filled_list()?;
    // The current turn begins with the last message of the user's that is no function response.
    let mut open: Vec<Call> = Vec::new();
    let mut model_spoke_last = false;
    for turn in &turns {
        let fields = turn.object()?;
        let role = match fields.optional("role") {
            Some(role) => role.one_of(&["user", "model"])?,
            None if turns.len() == 1 => "user",
            None => {
                return Err(fields.wrong(
                    "role",
                    "has to be user or model where there are several turns",
                ));
            }
        };
        let mut held = Turn::default();
        let parts = fields.required("parts")?;
        for part in parts.filled_list()? {
            read_part(generation, issued, role, &part, &mut held, seen)?;
        }
        fields.no_others()?;
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

const KINDS: [&str; 4] = ["text", "inlineData", "functionCall", "functionResponse"];

fn read_part(
    generation: Generation,
    issued: &Issued,
    role: &str,
    part: &Node<'_>,
    held: &mut Turn,
    seen: &mut Seen,
) -> Checked<()> {
    let fields = part.object()?;
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| fields.has(kind)).collect();
    let [kind] = kinds.as_slice() else {
        return Err(match kinds.first() {
            None => {
                fields.ignore(&["thought", "thoughtSignature", "mediaResolution"]);
                fields
                    .no_others()
                    .err()
                    .unwrap_or_else(|| part.wrong("a part has to have its data"))
            }
            Some(_) => part.wrong("a part has one kind of data"),
        });
    };
    match *kind {
        "text" => {
            seen.add_text(fields.required("text")?.text()?);
            if let Some(thought) = fields.optional("thought") {
                thought.boolean()?;
            }
        }
        "inlineData" => {
            inline(&fields.required("inlineData")?, seen)?;
            resolution(&fields)?;
        }
        "functionCall" if role == "model" => {
            let call = fields.required("functionCall")?.object()?;
            held.calls.push(named(&call)?);
            if let Some(args) = call.optional("args") {
                args.object()?;
            }
            call.no_others()?;
        }
        "functionResponse" if role == "user" => {
            let response = fields.required("functionResponse")?.object()?;
            held.responses.push(named(&response)?);
            response.required("response")?.object()?;
            if let Some(parts) = response.optional("parts") {
                for part in parts.list()? {
                    let part = part.object()?;
                    inline(&part.required("inlineData")?, seen)?;
                    part.no_others()?;
                }
            }
            response.ignore(&["willContinue", "scheduling"]);
            response.no_others()?;
        }
        other => {
            return Err(part.wrong(format!("`{other}` does not stand in a turn of role {role}")));
        }
    }
    signature(generation, issued, part, &fields, *kind == "functionCall")?;
    fields.no_others()
}

fn named(fields: &Fields<'_>) -> Checked<Call> {
    let id = fields.optional("id").map(|id| id.text()).transpose()?;
    Ok(Call {
        name: fields.required("name")?.filled_text()?.to_owned(),
        id: id.map(str::to_owned),
    })
}

/// A signature comes back in the part with which it was issued, and it must not get lost from a call.
fn signature(
    generation: Generation,
    issued: &Issued,
    part: &Node<'_>,
    fields: &Fields<'_>,
    is_call: bool,
) -> Checked<()> {
    match fields.optional("thoughtSignature") {
        Some(signature) if issued.is_unchanged(signature.text()?, part.value) => Ok(()),
        Some(signature) => Err(signature.wrong("this signature was not issued here for this part")),
        None if is_call && generation >= Generation(3) => {
            let same = |known: &Value| known["functionCall"] == part.value["functionCall"];
            if issued.was_signed(same) {
                let at = part.at.key("thoughtSignature");
                return Err(Problem::at(
                    at,
                    "the function call has lost its thoughtSignature",
                ));
            }
            Ok(())
        }
        None => Ok(()),
    }
}

fn inline(node: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    let fields = node.object()?;
    let kind = fields.required("mimeType")?;
    let data = fields.required("data")?;
    let text = kind.text()?;
    match text.split_once('/') {
        Some(("image", _)) => {
            let decoded = media::picture(text, data.text()?).map_err(|what| data.wrong(what))?;
            seen.add_picture(decoded);
        }
        Some(("audio", format)) => {
            let format = match format {
                "mpeg" => "mp3",
                "x-wav" => "wav",
                other => other,
            };
            media::sound(format, data.text()?).map_err(|what| data.wrong(what))?;
            seen.audio += 1;
        }
        _ => return Err(kind.wrong(format!("unsupported MIME type: {text}"))),
    }
    fields.no_others()
}

fn resolution(fields: &Fields<'_>) -> Checked<()> {
    if let Some(resolution) = fields.optional("mediaResolution") {
        let resolution = resolution.object()?;
        resolution.required("level")?.one_of(&[
            "MEDIA_RESOLUTION_LOW",
            "MEDIA_RESOLUTION_MEDIUM",
            "MEDIA_RESOLUTION_HIGH",
            "MEDIA_RESOLUTION_ULTRA_HIGH",
        ])?;
        resolution.no_others()?;
    }
    Ok(())
}
