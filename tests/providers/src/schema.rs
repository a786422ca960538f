//! Tool declarations: names, and the JSON Schema of their arguments.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::problem::Checked;
use crate::shape::Node;

/// Letters, digits, `_` and `-`, up to 64 of them: Anthropic's and OpenAI's rule.
pub fn plain_name(node: &Node<'_>) -> Checked<String> {
    let name = node.text()?;
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
pub fn distinct(node: &Node<'_>, name: &str, names: &mut Vec<String>) -> Checked<()> {
    if names.iter().any(|known| known == name) {
        return Err(node.wrong(format!("two tools are called `{name}`")));
    }
    names.push(name.to_owned());
    Ok(())
}

const TYPES: [&str; 7] = [
    "object", "array", "string", "integer", "number", "boolean", "null",
];

/// A JSON Schema whose root is an object. `strict` asks for closed objects; `all_required` also wants every property
/// in `required`, as OpenAI's strict mode does.
pub fn arguments(node: &Node<'_>, strict: bool, all_required: bool) -> Checked<()> {
    let root = node.object()?;
    if root.required("type")?.text()? != "object" {
        return Err(root.wrong("type", "the arguments of a tool are an object"));
    }
    schema(node, strict, strict && all_required)
}

fn schema(node: &Node<'_>, closed: bool, all_required: bool) -> Checked<()> {
    let fields = node.object()?;
    let mut is_object = false;
    if let Some(kind) = fields.optional("type") {
        let kinds = match kind.value {
            Value::Array(_) => kind.filled_list()?,
            _ => vec![kind],
        };
        for kind in kinds {
            is_object |= kind.one_of(&TYPES)? == "object";
        }
    }
    let mut names = BTreeSet::new();
    if let Some(properties) = fields.optional("properties") {
        for (name, value) in properties.value.as_object().into_iter().flatten() {
            names.insert(name.as_str());
            let at = properties.at.key(name);
            schema(&Node { value, at }, closed, all_required)?;
        }
        properties.object()?;
    }
    let mut required = BTreeSet::new();
    if let Some(list) = fields.optional("required") {
        for name in list.list()? {
            let text = name.text()?;
            if !names.contains(text) {
                return Err(name.wrong(format!("`{text}` is required but is no property")));
            }
            required.insert(text);
        }
    }
    if is_object && closed {
        let open = fields.optional("additionalProperties");
        if !open.is_some_and(|open| open.value == &Value::Bool(false)) {
            return Err(node.wrong("with `strict`, `additionalProperties` has to be false"));
        }
        if all_required && let Some(name) = names.difference(&required).next() {
            return Err(node.wrong(format!(
                "with `strict`, every property has to be in `required`: `{name}` is not"
            )));
        }
    }
    if let Some(items) = fields.optional("items") {
        schema(&items, closed, all_required)?;
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        if let Some(choices) = fields.optional(name) {
            for choice in choices.filled_list()? {
                schema(&choice, closed, all_required)?;
            }
        }
    }
    if let Some(choices) = fields.optional("enum") {
        choices.filled_list()?;
    }
    Ok(())
}

/// Gemini's own subset (`parameters`): OpenAPI's keys, and only those.
pub fn gemini(node: &Node<'_>) -> Checked<()> {
    let fields = node.object()?;
    let kind = fields.required("type")?;
    let upper = kind.text()?.to_ascii_uppercase();
    if !TYPES
        .iter()
        .any(|known| known.to_ascii_uppercase() == upper)
    {
        return Err(kind.wrong(format!("`{upper}` is no type")));
    }
    let mut names = BTreeSet::new();
    if let Some(properties) = fields.optional("properties") {
        properties.object()?;
        for (name, value) in properties.value.as_object().into_iter().flatten() {
            names.insert(name.as_str());
            let at = properties.at.key(name);
            gemini(&Node { value, at })?;
        }
        if names.is_empty() {
            return Err(
                properties.wrong("an object type has no properties: leave `parameters` out")
            );
        }
    } else if upper == "OBJECT" {
        return Err(node.wrong("an object type has no properties: leave `parameters` out"));
    }
    for list in ["required", "propertyOrdering"] {
        if let Some(list) = fields.optional(list) {
            for name in list.list()? {
                let text = name.text()?;
                if !names.contains(text) {
                    return Err(name.wrong(format!("`{text}` is no property")));
                }
            }
        }
    }
    match fields.optional("items") {
        Some(items) => gemini(&items)?,
        None if upper == "ARRAY" => return Err(node.wrong("a list needs `items`")),
        None => {}
    }
    if let Some(choices) = fields.optional("anyOf") {
        for choice in choices.filled_list()? {
            gemini(&choice)?;
        }
    }
    if let Some(choices) = fields.optional("enum") {
        for choice in choices.filled_list()? {
            choice.text()?;
        }
    }
    fields.ignore(&[
        "format",
        "title",
        "description",
        "nullable",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "example",
        "default",
    ]);
    fields.no_others()
}
