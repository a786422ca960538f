//! What comes back, read within its bounds.

use dynacu_runtime::types::HttpError;
use reqwest::header::{self, HeaderMap};
use reqwest::{Response, Url};

use super::address::NotPublic;
use super::allowed::leads_elsewhere;
use super::network::chain;

pub(super) const LARGEST_RESPONSE: usize = 16 << 20;

/// What a server sent, as far as it was read.
pub(super) struct Arrived {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// What came of a request that left.
pub(super) enum Outcome {
    /// All of it arrived.
    Answer,
    TimedOut,
    Unreachable(String),
    /// The host's rules refuse the answer.
    Refused(HttpError),
}

/// Reads an answer within its bounds.
pub(super) async fn read(
    asked: &Url,
    mut response: Response,
    arrived: &mut Option<Arrived>,
) -> Result<Outcome, reqwest::Error> {
    let refused = |error| Ok(Outcome::Refused(error));
    let status = response.status();
    let Arrived { headers, body, .. } = arrived.insert(Arrived {
        status: status.as_u16(),
        headers: response.headers().clone(),
        body: Vec::new(),
    });
    let location = headers.get(header::LOCATION);
    if status.is_redirection()
        && let Some(location) = location
        && leads_elsewhere(asked, &String::from_utf8_lossy(location.as_bytes()))
    {
        return refused(HttpError::Denied(format!(
            "{} redirects the request to another server, which is refused: send it there, and add that server to `hosts` in the manifest",
            asked.host_str().unwrap_or_default()
        )));
    }
    if let Some(encoding) = headers.get(header::CONTENT_ENCODING)
        && encoding != "identity"
    {
        return refused(HttpError::Other(format!(
            "the answer is encoded ({encoding:?}), which was not asked for"
        )));
    }
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > LARGEST_RESPONSE {
            return refused(HttpError::ResponseTooLarge(LARGEST_RESPONSE as u64));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Outcome::Answer)
}

/// No provider charges for a request that it did not get, or that it answered with an error.
pub(super) fn nothing_to_pay(outcome: &Outcome, arrived: Option<&Arrived>) -> bool {
    match outcome {
        Outcome::Answer => arrived.is_some_and(|arrived| arrived.status >= 400),
        Outcome::Unreachable(_) => arrived.is_none(),
        Outcome::TimedOut | Outcome::Refused(_) => false,
    }
}

/// A request without an answer. The error's URL is left out: it may carry more than the host's name.
pub(super) fn failed(error: reqwest::Error) -> Outcome {
    let error = error.without_url();
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = source {
        if let Some(not_public) = inner.downcast_ref::<NotPublic>() {
            return Outcome::Refused(HttpError::Denied(not_public.to_string()));
        }
        source = inner.source();
    }
    if error.is_builder() {
        return Outcome::Refused(HttpError::Other(chain(&error)));
    }
    Outcome::Unreachable(chain(&error))
}
