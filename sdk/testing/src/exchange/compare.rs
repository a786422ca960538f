//! Whether a request is the recorded one.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// Where two JSON values first differ.
pub(super) fn difference(expected: &Value, sent: &Value, place: &str) -> Option<String> {
    match (expected, sent) {
        (Value::Object(expected), Value::Object(sent)) => {
            expected.keys().chain(sent.keys()).find_map(|key| {
                let place = format!("{place}.{key}");
                match (expected.get(key), sent.get(key)) {
                    (Some(expected), Some(sent)) => difference(expected, sent, &place),
                    (Some(_), None) => Some(format!("{place}, which is missing")),
                    _ => Some(format!("{place}, which is new")),
                }
            })
        }
        (Value::Array(expected), Value::Array(sent)) if expected.len() == sent.len() => expected
            .iter()
            .zip(sent)
            .enumerate()
            .find_map(|(index, (expected, sent))| {
                difference(expected, sent, &format!("{place}[{index}]"))
            }),
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        // Media inside the body: the record keeps their id, a guest may have put in the bytes.
        (Value::String(one), Value::String(other)) if same_media(one, other) => None,
        (one, other) if one == other => None,
        _ => Some(place.to_owned()),
    }
}

fn same_media(recorded: &str, sent: &str) -> bool {
    let Some((before, id)) = recorded.split_once("blob:") else {
        return false;
    };
    let bytes = sent
        .strip_prefix(before)
        .and_then(|text| BASE64_STANDARD.decode(text).ok());
    bytes.is_some_and(|bytes| dynacu_record::hash(&bytes) == id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_difference_is_named_by_its_place() {
        let expected = json!({"model": "m", "messages": [{"role": "user"}], "n": 1});
        let at = |sent: Value| difference(&expected, &sent, "$");
        assert_eq!(
            at(json!({"n": 1.0, "model": "m", "messages": [{"role": "user"}]})),
            None
        );
        let role = json!({"model": "m", "messages": [{"role": "tool"}], "n": 1});
        assert_eq!(at(role).unwrap(), "$.messages[0].role");
        let fewer = json!({"model": "m", "messages": [{"role": "user"}]});
        assert_eq!(at(fewer).unwrap(), "$.n, which is missing");
    }

    #[test]
    fn a_recorded_picture_is_the_picture_that_was_sent() {
        let id = dynacu_record::hash(b"picture");
        let recorded = format!("data:image/png;base64,blob:{id}");
        let sent = format!(
            "data:image/png;base64,{}",
            BASE64_STANDARD.encode("picture")
        );
        assert!(same_media(&recorded, &sent));
        assert!(!same_media(&recorded, &sent.replace("png", "gif")));
    }
}
