//! JSON Schema as the subset that function declarations take.

use serde_json::{Map, Value};

/// Members that are taken over as they are.
const KEPT: [&str; 9] = [
    "description",
    "enum",
    "format",
    "required",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "title",
];

/// The schema of one value. What the subset does not have is left out: it only narrows what the policy checks anyway.
pub(super) fn declared(schema: &Value) -> Value {
    let Some(schema) = schema.as_object() else {
        return Value::Object(Map::new());
    };
    let mut declared = Map::new();
    match schema.get("type") {
        Some(Value::String(kind)) => {
            declared.insert("type".to_owned(), kind.to_uppercase().into());
        }
        // A union with null is written as a member of its own.
        Some(Value::Array(kinds)) => {
            let names = || kinds.iter().filter_map(Value::as_str);
            if let Some(kind) = names().find(|kind| *kind != "null") {
                declared.insert("type".to_owned(), kind.to_uppercase().into());
            }
            if names().any(|kind| kind == "null") {
                declared.insert("nullable".to_owned(), true.into());
            }
        }
        _ => {}
    }
    for name in KEPT {
        match schema.get(name) {
            Some(Value::Array(list)) if list.is_empty() => {}
            Some(value) => {
                declared.insert(name.to_owned(), value.clone());
            }
            None => {}
        }
    }
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let properties: Map<String, Value> = properties
            .iter()
            .map(|(name, schema)| (name.clone(), self::declared(schema)))
            .collect();
        declared.insert("properties".to_owned(), properties.into());
    }
    if let Some(items) = schema.get("items") {
        declared.insert("items".to_owned(), self::declared(items));
    }
    if let Some(Value::Array(any)) = schema.get("anyOf") {
        declared.insert("anyOf".to_owned(), any.iter().map(self::declared).collect());
    }
    Value::Object(declared)
}

/// The parameters of a function; none for one without properties, since an object of none is refused.
pub(super) fn parameters(schema: &Value) -> Option<Value> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| !properties.is_empty())
        .then(|| declared(schema))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_subset_is_left() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["x"],
            "properties": {
                "x": {"type": "integer", "description": "from the left"},
                "note": {"type": ["string", "null"], "default": ""},
                "keys": {"type": "array", "items": {"type": "string"}},
            },
        });
        let wanted = json!({
            "type": "OBJECT",
            "required": ["x"],
            "properties": {
                "x": {"type": "INTEGER", "description": "from the left"},
                "note": {"type": "STRING", "nullable": true},
                "keys": {"type": "ARRAY", "items": {"type": "STRING"}},
            },
        });
        assert_eq!(parameters(&schema), Some(wanted));
        let none = json!({"type": "object", "properties": {}, "required": []});
        assert_eq!(parameters(&none), None);
    }
}
