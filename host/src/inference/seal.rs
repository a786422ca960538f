//! Parts that only their adapter reads, such as reasoning with its signature, travel through the policy. Left alone it could write
//! one itself: a picture's address, say, that the provider would then fetch. So the host signs each part that an adapter hands out, and
//! takes back only those.

use dynacu_runtime::types::{ModelRequest, ModelResponse, Part};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A sealed part is JSON where the adapter's own was.
const BEGIN: &str = "{\"tag\":\"";
const MIDDLE: &str = "\",\"part\":";
const END: &str = "}";
/// Hex digits of a tag.
const TAG: usize = 64;

/// The key of one process. It is never written down: episodes are run whole, so no part is older than the process that made it, and a
/// run that is resumed does well with another one.
pub struct Seal(Hmac<Sha256>);

impl Seal {
    /// # Errors
    /// The system gives no random numbers.
    pub fn new() -> Result<Seal, getrandom::Error> {
        let mut key = hmac::digest::Key::<Hmac<Sha256>>::default();
        getrandom::fill(&mut key)?;
        Ok(Seal(Hmac::new(&key)))
    }

    /// Signs what an adapter of this hash answered for this model.
    pub fn close(&self, adapter: &str, model: &str, response: &mut ModelResponse) {
        for part in &mut response.parts {
            if let Part::Opaque(text) = part {
                let tag = self.tag(adapter, model, text).finalize().into_bytes();
                *text = format!("{BEGIN}{}{MIDDLE}{text}{END}", hex::encode(tag));
            }
        }
    }

    /// Takes the tags off again.
    ///
    /// # Errors
    /// Which part of a policy's request this run's adapter did not issue for this model.
    pub fn open(
        &self,
        adapter: &str,
        model: &str,
        request: &mut ModelRequest,
    ) -> Result<(), NotIssued> {
        for (message, found) in request.messages.iter_mut().enumerate() {
            for (part, found) in found.parts.iter_mut().enumerate() {
                if let Part::Opaque(text) = found {
                    let own = self.own(adapter, model, text);
                    *text = own.ok_or(NotIssued { message, part })?.to_owned();
                }
            }
        }
        Ok(())
    }

    fn own<'a>(&self, adapter: &str, model: &str, sealed: &'a str) -> Option<&'a str> {
        let (tag, rest) = sealed.strip_prefix(BEGIN)?.split_at_checked(TAG)?;
        let own = rest.strip_prefix(MIDDLE)?.strip_suffix(END)?;
        let tag = hex::decode(tag).ok()?;
        self.tag(adapter, model, own).verify_slice(&tag).ok()?;
        Some(own)
    }

    fn tag(&self, adapter: &str, model: &str, text: &str) -> Hmac<Sha256> {
        let mut tag = self.0.clone();
        for name in [adapter, model] {
            // With its length, so that one name cannot end where the next begins.
            tag.update(&(name.len() as u64).to_le_bytes());
            tag.update(name.as_bytes());
        }
        tag.update(text.as_bytes());
        tag
    }
}

/// A part that comes from somewhere else, by its place in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "part {} of message {} is opaque and was not issued in this run for this adapter and model: hand such parts back unchanged, and only those",
    part + 1, message + 1
)]
pub struct NotIssued {
    message: usize,
    part: usize,
}

#[cfg(test)]
mod tests {
    use dynacu_runtime::types::{Message, Role, StopReason};

    use super::*;

    const REASONING: &str = r#"{"type":"reasoning","encrypted_content":"…"}"#;

    fn issued(seal: &Seal) -> String {
        let mut response = ModelResponse {
            parts: vec![
                Part::Text("x".to_owned()),
                Part::Opaque(REASONING.to_owned()),
            ],
            stop_reason: StopReason::EndTurn,
            usage: None,
            model: String::new(),
        };
        seal.close("adapter", "model", &mut response);
        let [Part::Text(text), Part::Opaque(sealed)] = response.parts.as_slice() else {
            panic!("other parts")
        };
        assert_eq!(text, "x");
        sealed.clone()
    }

    fn opened(seal: &Seal, [adapter, model]: [&str; 2], text: &str) -> Result<String, NotIssued> {
        let mut request = ModelRequest {
            messages: vec![Message {
                role: Role::Assistant,
                parts: vec![Part::Text(String::new()), Part::Opaque(text.to_owned())],
            }],
            tools: Vec::new(),
            display: None,
            max_output_tokens: None,
            temperature: None,
        };
        seal.open(adapter, model, &mut request)?;
        match request.messages.remove(0).parts.remove(1) {
            Part::Opaque(text) => Ok(text),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_what_was_issued_comes_back() {
        let seal = Seal::new().unwrap();
        let sealed = issued(&seal);
        let here = ["adapter", "model"];
        assert!(serde_json::from_str::<serde_json::Value>(&sealed).is_ok());
        // Again and again, in any request of the run.
        for _ in 0..2 {
            assert_eq!(opened(&seal, here, &sealed).unwrap(), REASONING);
        }
        let forged = r#"{"type":"input_image","image_url":"https://thief.example/"}"#;
        let place = NotIssued {
            message: 0,
            part: 1,
        };
        for (wrong, here, text) in [
            ("forged", here, forged.to_owned()),
            ("forged with a tag", here, sealed.replace(REASONING, forged)),
            ("altered", here, sealed.replace('…', "...")),
            ("longer", here, format!("{sealed} ")),
            ("cut", here, sealed[..40].to_owned()),
            ("without its tag", here, REASONING.to_owned()),
            ("moved to a model", ["adapter", "other"], sealed.clone()),
            ("moved to an adapter", ["other", "model"], sealed.clone()),
            ("names run together", ["adapterm", "odel"], sealed.clone()),
            ("of another run", here, issued(&Seal::new().unwrap())),
            ("nothing", here, String::new()),
        ] {
            assert_eq!(opened(&seal, here, &text), Err(place), "{wrong}");
        }
        assert!(place.to_string().starts_with("part 2 of message 1"));
    }
}
