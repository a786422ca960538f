//! Which of a validator's errors to tell, and of the alternatives in a schema, the one that was meant.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::problem::{At, Fault, Problem};

/// The fields by which alternatives are told apart; where both are wrong, the first is told.
const TAGS: [&str; 2] = ["type", "role"];

/// The error to tell: a wrong `type` explains the others, and one that is missing explains more than one that is too many.
pub(super) fn first(errors: &[ValidationError<'_>]) -> Option<Problem> {
    let rank = |finding: &Finding| match finding.fault {
        Fault::Other(_) if TAGS.into_iter().any(|tag| finding.at.ends_with(tag)) => 0,
        Fault::Missing => 1,
        Fault::Expected(_) | Fault::Other(_) => 2,
        Fault::Unknown => 3,
    };
    let findings = errors.iter().map(finding);
    let Finding { at, fault } = findings.min_by_key(rank)?;
    Some(Problem::Invalid { at, fault })
}

struct Finding {
    at: At,
    fault: Fault,
}

fn place(error: &ValidationError<'_>) -> At {
    let mut at = At::default();
    for segment in error.instance_path() {
        at = match segment {
            LocationSegment::Property(name) => at.key(&name),
            LocationSegment::Index(index) => at.index(index),
        };
    }
    at
}

fn finding(error: &ValidationError<'_>) -> Finding {
    let at = place(error);
    let fault = match error.kind() {
        ValidationErrorKind::Required { property } => {
            return Finding {
                at: at.key(property.as_str().unwrap_or_default()),
                fault: Fault::Missing,
            };
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let name = unexpected.first().map(String::as_str);
            return Finding {
                at: at.key(name.unwrap_or_default()),
                fault: Fault::Unknown,
            };
        }
        ValidationErrorKind::AnyOf { context } => return meant(error, &at, context),
        ValidationErrorKind::Type { .. } => Fault::Expected(expected(&[error])),
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => {
            not_offered(error.instance(), &offered(error))
        }
        _ => Fault::Other(error.to_string()),
    };
    Finding { at, fault }
}

/// How an alternative fails.
enum Failure {
    /// It is for another kind of value: a list where an object stands.
    Kind,
    /// It is for another `type` or `role`.
    Tag(Vec<&'static str>),
    /// It was meant, and something in it is wrong.
    Inside,
}

fn failure(at: &At, errors: &[ValidationError<'_>]) -> Failure {
    let tag_of = |error: &ValidationError<'_>| {
        let place = match error.kind() {
            ValidationErrorKind::Required { property } => {
                place(error).key(property.as_str().unwrap_or_default())
            }
            _ => place(error),
        };
        TAGS.into_iter().find(|tag| place == at.key(tag))
    };
    if errors.iter().any(|error| {
        matches!(error.kind(), ValidationErrorKind::Type { .. }) && place(error) == *at
    }) {
        return Failure::Kind;
    }
    let tags: Vec<&'static str> = errors.iter().filter_map(tag_of).collect();
    if tags.is_empty() {
        Failure::Inside
    } else {
        Failure::Tag(tags)
    }
}

/// No alternative fits. Told is what is wrong inside the one that was meant, which is the one of the right `type` and `role`.
fn meant(
    error: &ValidationError<'_>,
    at: &At,
    context: &[Vec<ValidationError<'static>>],
) -> Finding {
    let failures = || context.iter().map(|errors| (failure(at, errors), errors));
    let inside = failures()
        .filter(|(failure, _)| matches!(failure, Failure::Inside))
        .filter_map(|(_, errors)| first(errors))
        .filter_map(|problem| match problem {
            Problem::Invalid { at, fault } => Some(Finding { at, fault }),
            _ => None,
        })
        .max_by_key(|finding| finding.at.depth());
    if let Some(finding) = inside {
        return finding;
    }
    let tagged: Vec<_> = failures()
        .filter_map(|(failure, errors)| match failure {
            Failure::Tag(tags) => Some((tags, errors)),
            Failure::Kind | Failure::Inside => None,
        })
        .collect();
    if tagged.is_empty() {
        let errors: Vec<_> = context.iter().flatten().map(|error| error as &_).collect();
        return Finding {
            at: at.clone(),
            fault: Fault::Expected(expected(&errors)),
        };
    }
    // Of an alternative whose type is right only the role is wrong.
    let right_type = tagged.iter().any(|(tags, _)| !tags.contains(&TAGS[0]));
    let tag = TAGS[usize::from(right_type)];
    let place_of_tag = at.key(tag);
    let fault = match error.instance().get(tag) {
        None => Fault::Missing,
        Some(value) => {
            let mut words: Vec<String> = Vec::new();
            for error in tagged.iter().flat_map(|(_, errors)| errors.iter()) {
                if place(error) == place_of_tag {
                    words.extend(offered(error));
                }
            }
            words.sort();
            words.dedup();
            not_offered(value, &words)
        }
    };
    Finding {
        at: place_of_tag,
        fault,
    }
}

fn not_offered(value: &Value, words: &[String]) -> Fault {
    let value = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Fault::Other(format!(
        "`{value}` is not supported, it can be {}",
        words.join(", ")
    ))
}

/// The values that would have been right.
fn offered(error: &ValidationError<'_>) -> Vec<String> {
    let word = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    match error.kind() {
        ValidationErrorKind::Constant { expected_value } => vec![word(expected_value)],
        ValidationErrorKind::Enum { options } => {
            options.as_array().into_iter().flatten().map(word).collect()
        }
        ValidationErrorKind::AnyOf { context } => {
            context.iter().flatten().flat_map(offered).collect()
        }
        _ => Vec::new(),
    }
}

/// The kinds of value that would have been right, as nouns with their articles. Null goes without saying.
fn expected(errors: &[&ValidationError<'_>]) -> String {
    let mut kinds: Vec<JsonType> = Vec::new();
    for error in errors {
        if let ValidationErrorKind::Type { kind } = error.kind() {
            match kind {
                TypeKind::Single(kind) => kinds.push(*kind),
                TypeKind::Multiple(several) => kinds.extend(several.iter()),
            }
        }
    }
    let nouns = kinds.into_iter().filter_map(|kind| match kind {
        JsonType::Null => None,
        JsonType::Boolean => Some("a boolean"),
        JsonType::Integer => Some("a whole number"),
        JsonType::Number => Some("a number"),
        JsonType::String => Some("a string"),
        JsonType::Array => Some("a list"),
        JsonType::Object => Some("an object"),
    });
    let mut nouns: Vec<&str> = nouns.collect();
    nouns.dedup();
    nouns.join(" or ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is told of each value.
    #[test]
    fn of_alternatives_the_one_that_was_meant_is_told() {
        let text = json!({"type": "object", "additionalProperties": false, "required": ["type", "text"],
            "properties": {"type": {"const": "text"}, "text": {"type": "string"}}});
        let picture = json!({"type": "object", "required": ["type", "data"],
            "properties": {"type": {"const": "image"}, "data": {"anyOf": [{"type": "string"}, {"type": "null"}]}}});
        let said = json!({"type": "object", "required": ["role"], "properties": {
            "type": {"const": "message"}, "role": {"enum": ["user", "model"]},
            "content": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"anyOf": [text, picture]}}]}}});
        let schema = json!({"anyOf": [said, text]});
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let cases = [
            (
                json!({"role": "user", "content": [{"type": "text"}]}),
                "content[0].text: a required field is missing",
            ),
            (
                json!({"role": "user", "content": [{"type": "sound"}]}),
                "content[0].type: `sound` is not supported, it can be image, text",
            ),
            (
                json!({"role": "user", "content": [{"data": "x"}]}),
                "content[0].type: a required field is missing",
            ),
            (
                json!({"role": "user", "content": 5}),
                "content: a string or a list was expected",
            ),
            (
                json!({"role": "user", "content": [{"type": "image", "data": 5}]}),
                "content[0].data: a string was expected",
            ),
            (
                json!({"role": "tool"}),
                "role: `tool` is not supported, it can be model, user",
            ),
            (
                json!({"type": "sound", "role": "user"}),
                "type: `sound` is not supported, it can be message, text",
            ),
            (
                json!({"type": "text", "text": "a", "size": 1}),
                "size: there is no such field",
            ),
            (
                json!({"type": "text", "txt": "a"}),
                "text: a required field is missing",
            ),
            (json!([]), ": an object was expected"),
        ];
        for (value, told) in cases {
            let errors: Vec<_> = validator.iter_errors(&value).collect();
            assert_eq!(first(&errors).unwrap().to_string(), told);
        }
        assert!(
            first(
                &validator
                    .iter_errors(&json!({"role": "user"}))
                    .collect::<Vec<_>>()
            )
            .is_none()
        );
    }
}
