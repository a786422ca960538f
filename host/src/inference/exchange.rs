//! The raw exchange in the record: bodies as blobs, media by reference, secrets cut out.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use dynacu_record::{Event, Recorder, hash};
use reqwest::header::HeaderMap;

use super::allotment::{Allotment, BODY_BYTES, kept};
use super::egress::secrets::Scrubber;
use crate::capture::timebase::Timebase;

/// Shorter runs of base64 are left as they are: no picture or sound is that small.
const SHORTEST_MEDIUM: usize = 256;

/// Where one attempt's exchanges are written.
#[derive(Clone)]
pub struct ExchangeLog {
    pub recorder: Recorder,
    pub timebase: Arc<Timebase>,
    /// Of the whole episode.
    pub allotment: Arc<Allotment>,
    pub call: u64,
    pub attempt: u32,
}

/// What left, as it is recorded.
pub struct Sent {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// Shared with the request that leaves.
    pub body: Bytes,
}

/// What came back, before anything is cut out of it.
pub struct Received<'a> {
    pub status: u16,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
    /// Whether the body was read to its end.
    pub whole: bool,
}

impl ExchangeLog {
    /// Writes one exchange; an error is why no answer came, or why the guest did not get it.
    pub fn write(
        &self,
        sent: Sent,
        received: Option<&Received<'_>>,
        error: Option<String>,
        took: Duration,
        scrubber: &Scrubber,
    ) {
        let sent_body = without_media(&scrubber.bytes(&sent.body), |id| {
            self.recorder.blob_info(id).is_some()
        });
        let response = received.map(|received| {
            let body = scrubber.bytes(received.body).into_owned();
            self.blob(body, received.whole)
        });
        let mut headers = (
            sent.headers
                .into_iter()
                .map(|(name, value)| (name, scrubber.text(&value)))
                .collect(),
            received
                .map(|received| visible(received.headers, scrubber))
                .unwrap_or_default(),
        );
        if !self.allotment.take_json(&headers) {
            headers = (Vec::new(), Vec::new());
        }
        self.recorder.event(
            self.timebase.now(),
            Event::ModelExchange {
                call: self.call,
                attempt: self.attempt,
                method: sent.method,
                url: scrubber.text(&sent.url),
                request_headers: headers.0,
                request: self.blob(sent_body, true),
                status: received.map(|received| received.status),
                response_headers: headers.1,
                response,
                error: error.map(|error| scrubber.text(&error)),
                took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            },
        );
    }

    /// Keeps a body; of one that finds no room any more, only how long it was.
    fn blob(&self, bytes: Vec<u8>, whole: bool) -> String {
        let fits = self.allotment.take(bytes.len().min(BODY_BYTES));
        let bytes = kept(bytes, whole, if fits { BODY_BYTES } else { 0 });
        let json = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
        let media_type = if json {
            "application/json"
        } else {
            "text/plain"
        };
        self.recorder.blob(bytes, media_type)
    }
}

/// Headers as text, without secrets; cookies are secrets of the server's.
pub fn visible(headers: &HeaderMap, scrubber: &Scrubber) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| *name != "set-cookie")
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), scrubber.text(&value))
        })
        .collect()
}

/// A body whose base64 of known blobs is replaced by `blob:<id>`: spliced by the host or made by the guest, the record
/// keeps each medium once.
fn without_media(body: &[u8], known: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len().min(64 << 10));
    each_run(body, |text, decoded| {
        match decoded.map(hash).filter(|id| known(id)) {
            Some(id) => out.extend_from_slice(format!("blob:{id}").as_bytes()),
            None => out.extend_from_slice(text),
        }
    });
    out
}

/// Hands out a body piece by piece, those that may be media decoded as well.
pub fn each_run(body: &[u8], mut piece: impl FnMut(&[u8], Option<&[u8]>)) {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut rest = body;
    while let Some(begin) = rest.iter().position(is_base64) {
        piece(&rest[..begin], None);
        let run = &rest[begin..];
        let letters = run.iter().take_while(|byte| is_base64(byte)).count();
        let padding = run[letters..]
            .iter()
            .take(2)
            .take_while(|byte| **byte == b'=')
            .count();
        let text = &run[..letters + padding];
        rest = &run[letters + padding..];
        // In a data URI the run stands alone after its comma, in JSON between quotes.
        let decoded = (letters >= SHORTEST_MEDIUM)
            .then(|| BASE64_STANDARD.decode(text).ok())
            .flatten();
        piece(text, decoded.as_deref());
    }
    piece(rest, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_media_become_references_and_everything_else_stays() {
        let picture: Vec<u8> = (0..1000_u32)
            .map(|number| (number * 7 % 251) as u8)
            .collect();
        let other: Vec<u8> = (0..1000_u32)
            .map(|number| (number * 11 % 241) as u8)
            .collect();
        let id = hash(&picture);
        let (picture, other) = (
            BASE64_STANDARD.encode(&picture),
            BASE64_STANDARD.encode(&other),
        );
        let body = format!(
            "{{\"url\": \"data:image/png;base64,{picture}\", \"x\": \"{other}\", \"y\": \"{picture}\"}} ü"
        );
        let clean = without_media(body.as_bytes(), |found| found == id);
        assert_eq!(
            String::from_utf8(clean).unwrap(),
            format!(
                "{{\"url\": \"data:image/png;base64,blob:{id}\", \"x\": \"{other}\", \"y\": \"blob:{id}\"}} ü"
            )
        );
        assert_eq!(without_media(b"", |_| true), b"");
    }
}
