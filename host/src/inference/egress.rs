//! The one way out to the network: allow-list, checked addresses, credentials that the guest never sees, bounds on size
//! and time. Every exchange is recorded and every outcome noted for the host's own judgement.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use dynacu_runtime::types::{BodyPart, HttpError, HttpMethod, HttpRequest, HttpResponse};
use dynacu_runtime::{Blobs, Egress};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};

use self::address::{NotPublic, is_public};
use self::allowed::{Allowed, Destination};
use self::answer::{Arrived, Outcome, failed, nothing_to_pay, read};
use self::network::Network;
use self::secrets::Secrets;
use super::account::Account;
use super::exchange::{ExchangeLog, Received, Sent, visible};
use super::floor;
use super::status::{ProviderStatus, StatusLog, of_response};

pub mod address;
pub mod allowed;
mod answer;
pub mod network;
pub mod secrets;
#[cfg(test)]
mod tests;

/// Providers take at most 32 MB.
const LARGEST_REQUEST: usize = 40 << 20;
/// HTTP requests of one attempt: adapters need one, uploads and polls a few more.
const REQUESTS: usize = 16;
/// A request's URL and headers, which stand in the record's lines.
const LARGEST_HEAD: usize = 64 << 10;
/// Headers that belong to the connection, or that would let a secret come back in a form in which it is not found.
const HOSTS_OWN: [HeaderName; 12] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
    header::ACCEPT_ENCODING,
    header::PROXY_AUTHORIZATION,
    header::RANGE,
];

/// What one plugin may reach, and with which secrets: fixed for a run.
pub struct Grant {
    pub allowed: Allowed,
    pub secrets: Secrets,
}

/// The way out of one attempt at one model call.
pub struct CallEgress {
    pub network: Arc<Network>,
    pub grant: Arc<Grant>,
    pub blobs: Arc<dyn Blobs>,
    /// The model call's own deadline.
    pub until: Instant,
    pub statuses: Arc<StatusLog>,
    /// Requests so far, refused ones included.
    pub requests: AtomicUsize,
    pub account: Arc<Account>,
    /// None outside of episodes.
    pub log: Option<ExchangeLog>,
}

/// A request that passed every check.
struct Ready {
    destination: Destination,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
    /// Tokens that the body has at least, where it has any: so many are held on the account.
    held: Option<u64>,
    timeout: Duration,
    /// Whether running out of time is the provider's doing, and not a short timeout of the guest's.
    whole_time: bool,
}

#[async_trait]
impl Egress for CallEgress {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let began = Instant::now();
        let mut sent = Sent {
            method: method(request.method).to_string(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            body: Bytes::new(),
        };
        let ready = match self.check(request).await {
            Ok(ready) => ready,
            // Not written down again and again.
            Err(error) if self.requests.load(Ordering::Relaxed) > REQUESTS + 1 => {
                return Err(error);
            }
            Err(error) => {
                // The URL of a refused request may hold anything.
                sent.url = sent
                    .url
                    .split(['?', '#'])
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                if head_size(&sent.url, &sent.headers) > LARGEST_HEAD {
                    (sent.url, sent.headers) = (String::new(), Vec::new());
                }
                self.write(sent, None, false, Some(&error), began);
                return Err(error);
            }
        };
        sent.url = ready.destination.url.to_string();
        sent.headers = visible_sent(&ready.headers);
        sent.body = ready.body.clone();
        let (whole_time, held) = (ready.whole_time, ready.held);
        let mut arrived = None;
        let outcome = self.exchange(ready, &mut arrived).await;
        self.note(&outcome, arrived.as_ref(), whole_time);
        if let Some(held) = held
            && nothing_to_pay(&outcome, arrived.as_ref())
        {
            self.account.free(held);
        }
        let error = match &outcome {
            Outcome::Answer => None,
            Outcome::TimedOut => Some(HttpError::Timeout),
            Outcome::Unreachable(why) => Some(HttpError::Connect(self.scrubbed(why))),
            Outcome::Refused(error) => Some(error.clone()),
        };
        self.write(
            sent,
            arrived.as_ref(),
            error.is_none(),
            error.as_ref(),
            began,
        );
        if let Some(error) = error {
            return Err(error);
        }
        let Some(arrived) = arrived else {
            return Err(HttpError::Other("no answer".to_owned()));
        };
        let scrubber = self.grant.secrets.scrubber();
        Ok(HttpResponse {
            status: arrived.status,
            headers: visible(&arrived.headers, scrubber),
            body: scrubber.bytes(&arrived.body).into_owned(),
        })
    }
}

impl CallEgress {
    async fn check(&self, request: HttpRequest) -> Result<Ready, HttpError> {
        let denied = HttpError::Denied;
        if self.requests.fetch_add(1, Ordering::Relaxed) >= REQUESTS {
            return Err(denied(format!(
                "one model call may send {REQUESTS} requests"
            )));
        }
        if head_size(&request.url, &request.headers) > LARGEST_HEAD {
            return Err(denied(format!(
                "a request's URL and headers may have {} KiB",
                LARGEST_HEAD >> 10
            )));
        }
        let destination = self
            .grant
            .allowed
            .destination(&request.url)
            .map_err(denied)?;
        if !destination.named_by_operator
            && let Some(address) = literal(&destination.url)
            && !is_public(address)
        {
            let name = destination.host;
            return Err(denied(NotPublic { name, address }.to_string()));
        }
        let method = method(request.method);
        self.covered(&destination, &method)?;
        let headers = self.headers(&request.headers, &destination.host)?;
        let left = self.until.saturating_duration_since(Instant::now());
        let asked = request.timeout;
        let asked = asked.map(|asked| Duration::from_millis(asked.milliseconds));
        let (body, tokens) = self.body(request.body).await?;
        let held = (!body.is_empty()).then_some(tokens);
        if let Some(tokens) = held {
            self.account.hold(tokens).map_err(|why| {
                self.statuses.add(ProviderStatus::OverBudget(why.clone()));
                denied(why)
            })?;
        }
        Ok(Ready {
            method,
            headers,
            body: body.into(),
            held,
            timeout: asked.map_or(left, |asked| asked.min(left)),
            whole_time: asked.is_none_or(|asked| asked >= left),
            destination,
        })
    }

    /// A key answers for everything that its account may do, so it goes only where its manifest said.
    fn covered(&self, destination: &Destination, method: &Method) -> Result<(), HttpError> {
        for credential in self.grant.secrets.of(&destination.host) {
            let binding = &credential.binding;
            if !binding.covers(method.as_str(), &destination.path) {
                return Err(HttpError::Denied(format!(
                    "${} is sent to {} only with {} to {}: name other methods and paths under `credentials` in the manifest",
                    binding.secret,
                    binding.host,
                    binding.methods.join(", "),
                    binding.paths.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// The guest's headers, and the credentials of this host.
    fn headers(&self, guest: &[(String, String)], host: &str) -> Result<HeaderMap, HttpError> {
        let mut headers = HeaderMap::new();
        for (name, value) in guest {
            let bad = || HttpError::Other(format!("`{}` is no header", name.escape_debug()));
            let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
            if self
                .grant
                .secrets
                .of(host)
                .any(|credential| credential.header == parsed)
            {
                return Err(HttpError::Denied(format!(
                    "only the host may set the header `{parsed}`: bind a secret to it under `credentials` in the manifest"
                )));
            }
            if HOSTS_OWN.contains(&parsed) {
                return Err(HttpError::Denied(format!(
                    "the header `{parsed}` is the host's to set: leave it out"
                )));
            }
            headers.append(parsed, HeaderValue::from_str(value).map_err(|_| bad())?);
        }
        for credential in self.grant.secrets.of(host) {
            if let Some(value) = &credential.value {
                headers.insert(credential.header.clone(), value.clone());
            }
        }
        headers.insert(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        );
        Ok(headers)
    }

    /// The body with the least number of tokens that it can have.
    async fn body(&self, parts: Vec<BodyPart>) -> Result<(Vec<u8>, u64), HttpError> {
        let mut body = Vec::new();
        let mut tokens = 0;
        for part in parts {
            match part {
                BodyPart::Bytes(bytes) => {
                    tokens += floor::of_body(&bytes);
                    body.extend_from_slice(&bytes);
                }
                BodyPart::Base64(id) => {
                    let blobs = Arc::clone(&self.blobs);
                    let wanted = id.sha256.clone();
                    // Reading a file would hold up the other calls on this thread.
                    let bytes = tokio::task::spawn_blocking(move || blobs.read(&wanted)).await;
                    let Ok(Ok(bytes)) = bytes else {
                        return Err(HttpError::Other(format!(
                            "the body names the blob {}, which this episode does not have",
                            id.sha256
                        )));
                    };
                    tokens += floor::of_medium(&bytes).unwrap_or_default();
                    body.extend_from_slice(BASE64_STANDARD.encode(bytes).as_bytes());
                }
            }
            if body.len() > LARGEST_REQUEST {
                return Err(HttpError::Denied(format!(
                    "a request may have {} MiB: send fewer or smaller images",
                    LARGEST_REQUEST >> 20
                )));
            }
        }
        Ok((body, tokens))
    }

    /// What came before it broke off is in `arrived` as well.
    async fn exchange(&self, ready: Ready, arrived: &mut Option<Arrived>) -> Outcome {
        let Ready {
            destination,
            method,
            headers,
            body,
            timeout,
            ..
        } = ready;
        let client = match self.network.client(destination.named_by_operator) {
            Ok(client) => client,
            Err(why) => return Outcome::Refused(HttpError::Other(why)),
        };
        let asked = destination.url.clone();
        let work = async {
            let response = client
                .request(method, destination.url)
                .headers(headers)
                .body(body)
                .send()
                .await?;
            read(&asked, response, arrived).await
        };
        match tokio::time::timeout(timeout, work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => failed(error),
            Err(_) => Outcome::TimedOut,
        }
    }

    /// What the host makes of it, for retries and for who is to blame.
    fn note(&self, outcome: &Outcome, arrived: Option<&Arrived>, whole_time: bool) {
        let trouble = |what: String| ProviderStatus::Trouble { what, wait: None };
        let answer = |arrived: &Arrived| {
            let now = SystemTime::now();
            of_response(arrived.status, &arrived.headers, &arrived.body, now)
        };
        self.statuses.add(match outcome {
            Outcome::Answer => arrived.map_or(ProviderStatus::Answered(0), answer),
            Outcome::TimedOut if whole_time => {
                trouble("no answer before the model call's deadline".to_owned())
            }
            Outcome::Unreachable(why) => trouble(self.scrubbed(why)),
            // The guest's own haste, or the host's own rules.
            Outcome::TimedOut | Outcome::Refused(_) => ProviderStatus::Answered(0),
        });
    }

    fn scrubbed(&self, text: &str) -> String {
        self.grant.secrets.scrubber().text(text)
    }

    fn write(
        &self,
        sent: Sent,
        arrived: Option<&Arrived>,
        whole: bool,
        error: Option<&HttpError>,
        began: Instant,
    ) {
        if let Some(log) = &self.log {
            let received = arrived.map(|arrived| Received {
                status: arrived.status,
                headers: &arrived.headers,
                body: &arrived.body,
                whole,
            });
            let error = error.map(|error| match error {
                HttpError::Denied(why) => format!("denied: {why}"),
                HttpError::Timeout => "timeout".to_owned(),
                HttpError::Connect(why) => format!("connect: {why}"),
                HttpError::ResponseTooLarge(limit) => {
                    format!("the answer is larger than {limit} bytes")
                }
                HttpError::Other(why) => why.clone(),
            });
            let scrubber = self.grant.secrets.scrubber();
            log.write(sent, received.as_ref(), error, began.elapsed(), scrubber);
        }
    }
}

fn head_size(url: &str, headers: &[(String, String)]) -> usize {
    let pair = |(name, value): &(String, String)| name.len() + value.len();
    url.len() + headers.iter().map(pair).sum::<usize>()
}

/// The address that a URL names in place of a host.
fn literal(url: &Url) -> Option<std::net::IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

fn method(method: HttpMethod) -> Method {
    match method {
        HttpMethod::Get => Method::GET,
        HttpMethod::Post => Method::POST,
        HttpMethod::Put => Method::PUT,
        HttpMethod::Delete => Method::DELETE,
    }
}

/// Headers as they leave; those with secrets only by name.
fn visible_sent(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let text = if value.is_sensitive() {
                "[secret]".to_owned()
            } else {
                String::from_utf8_lossy(value.as_bytes()).into_owned()
            };
            (name.as_str().to_owned(), text)
        })
        .collect()
}
