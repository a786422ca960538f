//! A provider's answer, read as far as all providers are alike.

use dynacu_sdk::http;
use dynacu_sdk::model::ModelError;
use serde_json::{Map, Value};

use crate::fault;

/// Answers are read up to this size; a megabyte would already be far beyond any model's output limit.
const LARGEST: usize = 8 << 20;
/// Deeper nesting is nobody's answer.
const DEEPEST: usize = 64;

/// The answer's JSON object.
///
/// # Errors
/// By what there is instead: an empty body, a page of a proxy or a cut body are [`ModelError::Overloaded`] or what the
/// status says, since asking again helps; an event stream is [`ModelError::InvalidRequest`], since it does not.
pub fn object(reply: &http::Response) -> Result<Map<String, Value>, ModelError> {
    if reply.body.len() > LARGEST {
        return Err(ModelError::Protocol(format!(
            "an answer of {} bytes",
            reply.body.len()
        )));
    }
    let body = reply
        .body
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&reply.body);
    let start = body.trim_ascii_start();
    if start.starts_with(b"data:") || start.starts_with(b"event:") {
        return Err(ModelError::InvalidRequest(
            "the server streams its answer, which was not asked for: check what stands behind the endpoint"
                .to_owned(),
        ));
    }
    let read = match serde_json::from_slice::<Value>(body) {
        // Google wraps an error into a list of one.
        Ok(Value::Array(mut list)) if list.len() == 1 => list.remove(0),
        Ok(read) => read,
        Err(error) => {
            return Err(unreadable(
                reply,
                &format!("its body is not JSON ({error})"),
            ));
        }
    };
    match read {
        Value::Object(object) if depth(&object, 1) <= DEEPEST => Ok(object),
        Value::Object(_) => Err(unreadable(
            reply,
            &format!("its JSON is deeper than {DEEPEST} levels"),
        )),
        _ => Err(unreadable(reply, "its JSON is not an object")),
    }
}

fn unreadable(reply: &http::Response, what: &str) -> ModelError {
    if (200..300).contains(&reply.status) {
        let shown = fault::shown(&String::from_utf8_lossy(&reply.body));
        ModelError::Protocol(format!("status {}, and {what}: {shown}", reply.status))
    } else {
        fault::by_status(
            reply,
            &format!("{what}: {}", String::from_utf8_lossy(&reply.body)),
        )
    }
}

fn depth(object: &Map<String, Value>, above: usize) -> usize {
    object
        .values()
        .map(|value| depth_of(value, above))
        .max()
        .unwrap_or(above)
}

fn depth_of(value: &Value, above: usize) -> usize {
    match value {
        Value::Object(object) => depth(object, above + 1),
        Value::Array(list) => list
            .iter()
            .map(|value| depth_of(value, above + 1))
            .max()
            .unwrap_or(above + 1),
        _ => above,
    }
}

/// A member that holds text which is not empty.
pub fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

/// A count at a path of members. What is missing, negative or no number is none.
pub fn count(object: &Map<String, Value>, path: &[&str]) -> Option<u64> {
    let (first, rest) = path.split_first()?;
    let mut value = object.get(*first)?;
    for name in rest {
        value = value.get(*name)?;
    }
    value
        .as_u64()
        .or_else(|| value.as_str().and_then(|text| text.parse().ok()))
}
