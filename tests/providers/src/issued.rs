//! What this server handed out and wants back unchanged: signed thinking, reasoning items, signatures of calls.

use std::collections::BTreeMap;

use serde_json::Value;

/// Values by the signature that stands in them, and a counter for ids.
#[derive(Debug, Default)]
pub(crate) struct Issued {
    values: BTreeMap<String, Value>,
    count: u32,
}

impl Issued {
    /// A fresh id such as `call_0003`.
    pub(crate) fn id(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}{:04}", self.count)
    }

    /// A fresh signature; it is base64, as providers' are.
    pub(crate) fn signature(&mut self) -> String {
        use base64::Engine;
        self.count += 1;
        let plain = format!("signed by the local server, number {}", self.count);
        base64::engine::general_purpose::STANDARD.encode(plain)
    }

    pub(crate) fn remember(&mut self, signature: &str, value: Value) {
        self.values.insert(signature.to_owned(), value);
    }

    /// The value that was handed out under this signature is the one that comes back.
    pub(crate) fn is_unchanged(&self, signature: &str, value: &Value) -> bool {
        self.values.get(signature) == Some(value)
    }

    /// A value equal but for its signature was handed out: the signature was lost on the way.
    pub(crate) fn was_signed(&self, same: impl Fn(&Value) -> bool) -> bool {
        self.values.values().any(same)
    }
}
