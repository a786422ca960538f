//! Input items of the Responses endpoint and what has to follow what.

use serde_json::Value;

use crate::issued::Issued;
use crate::neutral::NeutralRequest;
use crate::node::Node;
use crate::problem::Checked;
use crate::schema;

/// A call that wants its output.
struct Call {
    id: String,
    computer: bool,
    /// Ids of the safety checks that its output has to acknowledge.
    checks: Vec<String>,
}

pub(super) fn check(
    stored: bool,
    issued: &Issued,
    input: &Node<'_>,
    seen: &mut NeutralRequest,
) -> Checked<()> {
    if let Value::String(text) = input.value {
        seen.add_text(text);
        return Ok(());
    }
    let mut open: Vec<Call> = Vec::new();
    let mut after_reasoning = false;
    for item in input.filled_items()? {
        let kind = item.field("type");
        // A reasoning item belongs to the item that came after it.
        if after_reasoning && kind.text().ends_with("_output") {
            return Err(item.wrong("the reasoning item before has lost the item that it came with"));
        }
        after_reasoning = false;
        match kind.text() {
            "" | "message" => message(&item, seen)?,
            "reasoning" => {
                after_reasoning = true;
                reasoning(stored, issued, &item)?;
            }
            "function_call" => {
                schema::plain_name(&item.field("name"))?;
                open.push(call(&item, false)?);
            }
            "computer_call" => open.push(call(&item, true)?),
            "function_call_output" => {
                answered(&item, &mut open, false)?;
                content(&item.field("output"), seen)?;
            }
            "computer_call_output" => {
                let call = answered(&item, &mut open, true)?;
                acknowledged(&item, &call)?;
                super::super::picture(&item.field("output").required("image_url")?, seen)?;
            }
            other => return Err(kind.wrong(format!("this server takes no `{other}`"))),
        }
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

fn message(item: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    let role = item.field("role").text();
    let parts = item.field("content");
    for part in parts.items() {
        let kind = part.field("type");
        let written = matches!(kind.text(), "output_text" | "refusal");
        // The SDK's types allow an assistant's `input_text`; the server does not.
        if (role == "assistant") != written {
            return Err(kind.wrong(format!("`{}` is not supported for {role}", kind.text())));
        }
        if kind.text() == "input_image" && role != "user" {
            return Err(kind.wrong(format!("{role} shows no pictures")));
        }
    }
    content(&parts, seen)
}

/// A text, or a list of parts.
fn content(content: &Node<'_>, seen: &mut NeutralRequest) -> Checked<()> {
    if let Value::String(text) = content.value {
        seen.add_text(text);
        return Ok(());
    }
    for part in content.filled_items()? {
        let kind = part.field("type");
        match kind.text() {
            "input_text" | "output_text" => seen.add_text(part.field("text").text()),
            "refusal" => seen.add_text(part.field("refusal").text()),
            "input_image" => super::super::picture(&part.required("image_url")?, seen)?,
            other => return Err(kind.wrong(format!("this server takes no `{other}`"))),
        }
    }
    Ok(())
}

fn reasoning(stored: bool, issued: &Issued, item: &Node<'_>) -> Checked<()> {
    match item.given("encrypted_content") {
        Some(content) if issued.is_unchanged(content.text(), item.value) => Ok(()),
        Some(content) => Err(content.wrong(
            "this item was not issued here, or was changed: send reasoning back as it came",
        )),
        None if stored => Ok(()),
        None => Err(item.wrong("with store false, a reasoning item needs its encrypted_content")),
    }
}

fn call(item: &Node<'_>, computer: bool) -> Checked<Call> {
    let checks = item.field("pending_safety_checks").items();
    Ok(Call {
        id: item.field("call_id").filled_text()?.to_owned(),
        computer,
        checks: checks
            .iter()
            .map(|check| check.field("id").text().to_owned())
            .collect(),
    })
}

fn answered(item: &Node<'_>, open: &mut Vec<Call>, computer: bool) -> Checked<Call> {
    let id = item.required("call_id")?;
    match open
        .iter()
        .position(|call| call.id == id.text() && call.computer == computer)
    {
        Some(position) => Ok(open.remove(position)),
        None => Err(id.wrong(format!("no call before has the id `{}`", id.text()))),
    }
}

fn acknowledged(item: &Node<'_>, call: &Call) -> Checked<()> {
    let list = item.field("acknowledged_safety_checks");
    let known: Vec<_> = list.items();
    let is_known = |check: &&String| known.iter().any(|one| one.field("id").text() == *check);
    match call.checks.iter().find(|check| !is_known(check)) {
        Some(check) => Err(list.wrong(format!("the check {check} was not acknowledged"))),
        None => Ok(()),
    }
}
