//! Input items of the Responses endpoint and what has to follow what.

use serde_json::Value;

use crate::issued::Issued;
use crate::problem::Checked;
use crate::schema;
use crate::seen::Seen;
use crate::shape::{Fields, Node};

/// A call that wants its output.
struct Call {
    id: String,
    computer: bool,
    /// Ids of the safety checks that its output has to acknowledge.
    checks: Vec<String>,
}

pub fn check(stored: bool, issued: &Issued, input: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    if let Value::String(text) = input.value {
        seen.add_text(text);
        return Ok(());
    }
    let items = input.filled_list()?;
    let mut open: Vec<Call> = Vec::new();
    let mut after_reasoning = false;
    for item in &items {
        let fields = item.object()?;
        let kind = fields
            .optional("type")
            .map_or(Ok("message"), |kind| kind.text())?;
        // A reasoning item belongs to the item that came after it.
        if after_reasoning && kind.ends_with("_output") {
            return Err(item.wrong("the reasoning item before has lost the item that it came with"));
        }
        after_reasoning = false;
        match kind {
            "message" => message(&fields, seen)?,
            "reasoning" => {
                after_reasoning = true;
                reasoning(stored, issued, item, &fields)?;
            }
            "function_call" => {
                open.push(Call {
                    id: fields.required("call_id")?.filled_text()?.to_owned(),
                    computer: false,
                    checks: Vec::new(),
                });
                schema::plain_name(&fields.required("name")?)?;
                fields.required("arguments")?.text()?;
                fields.ignore(&["id", "status", "namespace", "caller"]);
            }
            "computer_call" => open.push(computer_call(&fields)?),
            "function_call_output" => {
                answered(&fields, &mut open, false)?;
                output(&fields.required("output")?, seen)?;
                fields.ignore(&["id", "status"]);
            }
            "computer_call_output" => {
                let call = answered(&fields, &mut open, true)?;
                acknowledged(&fields, &call)?;
                let screenshot = fields.required("output")?.object()?;
                screenshot
                    .required("type")?
                    .one_of(&["computer_screenshot"])?;
                super::super::picture(&screenshot.required("image_url")?, seen)?;
                screenshot.no_others()?;
                fields.ignore(&["id", "status"]);
            }
            other => {
                return Err(fields.wrong(
                    "type",
                    format!("`{other}` is no type of an input item here"),
                ));
            }
        }
        fields.no_others()?;
    }
    if after_reasoning {
        return Err(input.wrong("a reasoning item was given without the item that follows it"));
    }
    match open.first() {
        Some(call) => {
            Err(input.wrong(format!("no tool output was found for the call {}", call.id)))
        }
        None => Ok(()),
    }
}

fn message(fields: &Fields<'_>, seen: &mut Seen) -> Checked<()> {
    let role = fields
        .required("role")?
        .one_of(&["user", "assistant", "system", "developer"])?;
    let content = fields.required("content")?;
    if let Value::String(text) = content.value {
        seen.add_text(text);
    } else {
        for part in content.filled_list()? {
            let part = part.object()?;
            if role == "assistant" {
                match part.required("type")?.one_of(&["output_text", "refusal"])? {
                    "refusal" => seen.add_text(part.required("refusal")?.text()?),
                    _ => seen.add_text(part.required("text")?.text()?),
                }
                part.ignore(&["annotations", "logprobs"]);
                part.no_others()?;
            } else {
                input_part(&part, role == "user", seen)?;
            }
        }
    }
    fields.ignore(&["type"]);
    if role == "assistant" {
        fields.ignore(&["id", "status", "phase"]);
    }
    Ok(())
}

fn input_part(part: &Fields<'_>, pictures: bool, seen: &mut Seen) -> Checked<()> {
    let kinds: &[&str] = if pictures {
        &["input_text", "input_image"]
    } else {
        &["input_text"]
    };
    match part.required("type")?.one_of(kinds)? {
        "input_text" => seen.add_text(part.required("text")?.text()?),
        _ => {
            super::super::picture(&part.required("image_url")?, seen)?;
            part.required("detail")?
                .one_of(&["auto", "low", "high", "original"])?;
        }
    }
    part.ignore(&["prompt_cache_breakpoint"]);
    part.no_others()
}

fn reasoning(stored: bool, issued: &Issued, item: &Node<'_>, fields: &Fields<'_>) -> Checked<()> {
    fields.required("id")?.text()?;
    fields.required("summary")?.list()?;
    fields.ignore(&["content", "status"]);
    match fields.optional("encrypted_content") {
        Some(content) if issued.is_unchanged(content.text()?, item.value) => Ok(()),
        Some(content) => Err(content.wrong(
            "this item was not issued here, or was changed: send reasoning back as it came",
        )),
        None if stored => Ok(()),
        None => Err(item.wrong("with store false, a reasoning item needs its encrypted_content")),
    }
}

fn computer_call(fields: &Fields<'_>) -> Checked<Call> {
    let mut checks = Vec::new();
    if let Some(list) = fields.optional("pending_safety_checks") {
        for check in list.list()? {
            let check = check.object()?;
            checks.push(check.required("id")?.text()?.to_owned());
            check.ignore(&["code", "message"]);
            check.no_others()?;
        }
    }
    fields.ignore(&["id", "status", "action", "actions"]);
    Ok(Call {
        id: fields.required("call_id")?.filled_text()?.to_owned(),
        computer: true,
        checks,
    })
}

fn answered(fields: &Fields<'_>, open: &mut Vec<Call>, computer: bool) -> Checked<Call> {
    let id = fields.required("call_id")?;
    let text = id.text()?;
    match open
        .iter()
        .position(|call| call.id == text && call.computer == computer)
    {
        Some(position) => Ok(open.remove(position)),
        None => Err(id.wrong(format!("no call before has the id `{text}`"))),
    }
}

fn acknowledged(fields: &Fields<'_>, call: &Call) -> Checked<()> {
    let mut known = Vec::new();
    if let Some(list) = fields.optional("acknowledged_safety_checks") {
        for check in list.list()? {
            let check = check.object()?;
            known.push(check.required("id")?.text()?);
            check.ignore(&["code", "message"]);
            check.no_others()?;
        }
    }
    match call
        .checks
        .iter()
        .find(|check| !known.contains(&check.as_str()))
    {
        Some(check) => Err(fields.wrong(
            "acknowledged_safety_checks",
            format!("the check {check} was not acknowledged"),
        )),
        None => Ok(()),
    }
}

/// A text, or a list of parts.
fn output(output: &Node<'_>, seen: &mut Seen) -> Checked<()> {
    if let Value::String(text) = output.value {
        seen.add_text(text);
        return Ok(());
    }
    for part in output.filled_list()? {
        input_part(&part.object()?, true, seen)?;
    }
    Ok(())
}
