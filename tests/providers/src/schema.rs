//! Tool declarations: names, and the JSON Schema of their arguments.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::node::Node;
use crate::problem::Checked;
use crate::structure::check_schema;

/// Letters, digits, `_` and `-`, up to 64 of them: Anthropic's and OpenAI's rule.
pub(crate) fn plain_name(node: &Node<'_>) -> Checked<String> {
    let name = node.text();
    let fits = (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !fits {
        return Err(node.wrong(format!("`{name}` does not match ^[a-zA-Z0-9_-]{{1,64}}$")));
    }
    Ok(name.to_owned())
}

/// Two tools of one name cannot be told apart.
pub(crate) fn distinct(node: &Node<'_>, name: &str, names: &mut Vec<String>) -> Checked<()> {
    if names.iter().any(|known| known == name) {
        return Err(node.wrong(format!("two tools are called `{name}`")));
    }
    names.push(name.to_owned());
    Ok(())
}

/// A forced tool is one of those that were declared.
pub(crate) fn declared(name: &Node<'_>, tools: &[String]) -> Checked<()> {
    if tools.iter().any(|tool| tool == name.text()) {
        return Ok(());
    }
    Err(name.wrong("no tool has this name"))
}

/// A JSON Schema whose root is an object. `strict` asks for closed objects; `all_required` also wants every property
/// in `required`, as OpenAI's strict mode does.
pub(crate) fn arguments(node: &Node<'_>, strict: bool, all_required: bool) -> Checked<()> {
    check_schema(node.value, &node.at)?;
    let kind = node.required("type")?;
    if kind.text() != "object" {
        return Err(kind.wrong("the arguments of a tool are an object"));
    }
    inside(node, strict, strict && all_required)
}

/// What a schema may say and a model still could not fulfil.
fn inside(node: &Node<'_>, closed: bool, all_required: bool) -> Checked<()> {
    let kind = node.field("type");
    let is_object =
        kind.text() == "object" || kind.items().iter().any(|kind| kind.text() == "object");
    let required = required(node, "required")?;
    for (_, property) in node.field("properties").fields() {
        inside(&property, closed, all_required)?;
    }
    if is_object && closed {
        if node.field("additionalProperties").value != &Value::Bool(false) {
            return Err(node.wrong("with `strict`, `additionalProperties` has to be false"));
        }
        let mut names = node.field("properties").fields().into_iter();
        if all_required && let Some((name, _)) = names.find(|(name, _)| !required.contains(name)) {
            return Err(node.wrong(format!(
                "with `strict`, every property has to be in `required`: `{name}` is not"
            )));
        }
    }
    if let Some(items) = node.given("items") {
        inside(&items, closed, all_required)?;
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        for choice in node.field(name).items() {
            inside(&choice, closed, all_required)?;
        }
    }
    Ok(())
}

/// A list of names, each of which is a property.
fn required<'a>(node: &Node<'a>, list: &str) -> Checked<BTreeSet<&'a str>> {
    let properties = node.field("properties");
    let mut names = BTreeSet::new();
    for name in node.field(list).items() {
        let text = name.text();
        if properties.value.get(text).is_none() {
            return Err(name.wrong(format!("`{text}` is required but is no property")));
        }
        names.insert(text);
    }
    Ok(names)
}

/// Gemini's own subset (`parameters`), beyond its fields.
pub(crate) fn gemini(node: &Node<'_>) -> Checked<()> {
    let kind = node.required("type")?;
    let properties = node.field("properties");
    let is_empty = properties.fields().is_empty();
    if is_empty && properties.value.is_object() {
        return Err(properties.wrong("an object type has no properties: leave `parameters` out"));
    }
    if is_empty && kind.text() == "OBJECT" {
        return Err(node.wrong("an object type has no properties: leave `parameters` out"));
    }
    for (_, property) in properties.fields() {
        gemini(&property)?;
    }
    for list in ["required", "propertyOrdering"] {
        required(node, list)?;
    }
    match node.given("items") {
        Some(items) => gemini(&items)?,
        None if kind.text() == "ARRAY" => return Err(node.wrong("a list needs `items`")),
        None => {}
    }
    for choice in node.field("anyOf").items() {
        gemini(&choice)?;
    }
    Ok(())
}
