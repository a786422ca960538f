//! JSON bodies in which a blob's base64 is spliced by the host, so that no picture passes through the guest.

use std::borrow::Cow;

use serde_json::Value;

use super::BodyPart;
use crate::BlobId;

/// A JSON tree whose strings may end in the base64 of a blob.
///
/// A blob is a node of its own and never text to be searched for, so nothing that a page shows can become one.
///
/// ```
/// use dynacu_sdk::BlobId;
/// use dynacu_sdk::http::{BodyPart, Json};
///
/// let picture = BlobId::new("the blob's SHA-256");
/// let body = Json::object(vec![
///     ("model", "small".into()),
///     ("picture", Json::data_uri("image/png", &picture)),
/// ]);
/// let parts = body.body_parts();
/// assert_eq!(parts[0], BodyPart::Bytes(br#"{"model":"small","picture":"data:image/png;base64,"#.to_vec()));
/// assert_eq!(parts[1], BodyPart::Base64(picture));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// Anything without a blob.
    Value(Value),
    /// Members in the order in which they are sent.
    Object(Vec<(Cow<'static, str>, Json)>),
    /// Elements in order.
    Array(Vec<Json>),
    /// One string: `before`, then the base64 of `blob`.
    Base64 {
        /// For example `data:image/png;base64,`.
        before: String,
        /// The blob's id.
        blob: BlobId,
    },
}

impl Json {
    /// An object of these members.
    pub fn object(members: Vec<(&'static str, Json)>) -> Self {
        let named = |(name, json)| (Cow::Borrowed(name), json);
        Self::Object(members.into_iter().map(named).collect())
    }

    /// The object with one more member, in place of one of the same name. Anything else stays as it is.
    #[must_use]
    pub fn with(mut self, name: &str, json: Json) -> Self {
        if let Self::Object(members) = &mut self {
            members.retain(|(there, _)| there != name);
            members.push((Cow::Owned(name.to_owned()), json));
        }
        self
    }

    /// The base64 of a blob and nothing else.
    pub fn base64(blob: &BlobId) -> Self {
        Self::Base64 {
            before: String::new(),
            blob: blob.clone(),
        }
    }

    /// The data URI of a blob.
    pub fn data_uri(media_type: &str, blob: &BlobId) -> Self {
        Self::Base64 {
            before: format!("data:{media_type};base64,"),
            blob: blob.clone(),
        }
    }

    /// The request's body. Text between two blobs is one part.
    pub fn body_parts(&self) -> Vec<BodyPart> {
        let mut parts = Vec::new();
        let mut text = String::new();
        self.write(&mut text, &mut parts);
        if !text.is_empty() {
            parts.push(BodyPart::Bytes(text.into_bytes()));
        }
        parts
    }

    /// The ids of all blobs, in order, repeated where they are sent repeatedly.
    pub fn blobs(&self) -> Vec<&BlobId> {
        match self {
            Self::Value(_) => Vec::new(),
            Self::Object(members) => members.iter().flat_map(|(_, json)| json.blobs()).collect(),
            Self::Array(elements) => elements.iter().flat_map(Self::blobs).collect(),
            Self::Base64 { blob, .. } => vec![blob],
        }
    }

    fn write(&self, text: &mut String, parts: &mut Vec<BodyPart>) {
        match self {
            Self::Value(value) => text.push_str(&value.to_string()),
            Self::Object(members) => {
                text.push('{');
                for (index, (name, json)) in members.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    text.push_str(&Value::from(name.as_ref()).to_string());
                    text.push(':');
                    json.write(text, parts);
                }
                text.push('}');
            }
            Self::Array(elements) => {
                text.push('[');
                for (index, json) in elements.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    json.write(text, parts);
                }
                text.push(']');
            }
            Self::Base64 { before, blob } => {
                let mut opened = Value::from(before.as_str()).to_string();
                opened.pop();
                text.push_str(&opened);
                parts.push(BodyPart::Bytes(std::mem::take(text).into_bytes()));
                parts.push(BodyPart::Base64(blob.clone()));
                text.push('"');
            }
        }
    }
}

impl<T: Into<Value>> From<T> for Json {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blobs_are_parts_of_their_own_and_the_rest_is_json() {
        let tree = Json::object(vec![
            ("a", json!({"b": [1, "\u{1f}x\"y"]}).into()),
            (
                "pictures",
                Json::Array(vec![
                    Json::data_uri("image/png", &BlobId::new("one")),
                    "between".into(),
                    Json::base64(&BlobId::new("two")),
                ]),
            ),
        ]);
        let mut sent = String::new();
        let mut blobs = Vec::new();
        for part in tree.body_parts() {
            match part {
                BodyPart::Bytes(bytes) => sent.push_str(std::str::from_utf8(&bytes).unwrap()),
                BodyPart::Base64(id) => {
                    sent.push_str("QQ==");
                    blobs.push(id);
                }
            }
        }
        let read: Value = serde_json::from_str(&sent).unwrap();
        assert_eq!(
            read,
            json!({
                "a": {"b": [1, "\u{1f}x\"y"]},
                "pictures": ["data:image/png;base64,QQ==", "between", "QQ=="],
            })
        );
        assert_eq!(blobs, [BlobId::new("one"), BlobId::new("two")]);
        assert_eq!(tree.blobs(), [&blobs[0], &blobs[1]]);
    }
}
