//! Recorded exchanges for model adapters: what a provider was sent, and what it answered.

mod compare;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dynacu_runtime::types::{
    BodyPart, HttpError, HttpMethod, HttpRequest, HttpResponse, Level, ModelError, ModelRequest,
    ModelResponse,
};
use dynacu_runtime::{Blobs as _, Egress, GuestFailure, Limits, Outside, Plugin};
use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;
use serde_json::Value;

use crate::Media;
use compare::difference;

/// Wall time of one call.
const DEADLINE: Duration = Duration::from_secs(30);

/// One request and what comes back.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Upper case.
    pub method: String,
    /// In full; `None` takes any.
    pub url: Option<String>,
    /// The JSON body, pictures as `blob:<id>`; `None` takes any.
    pub body: Option<Value>,
    /// The answer, or how the exchange breaks off.
    pub answer: Result<HttpResponse, HttpError>,
}

/// A file or an episode that holds no exchanges.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct ExchangeError {
    path: PathBuf,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: u32,
    exchanges: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default = "post")]
    method: String,
    url: Option<String>,
    body: Option<Value>,
    answer: Option<Answer>,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
    /// JSON, or the text itself.
    body: Value,
}

fn post() -> String {
    "POST".to_owned()
}

impl Exchange {
    /// A POST to anywhere that is answered with this status and body.
    #[must_use]
    pub fn answered(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            method: post(),
            url: None,
            body: None,
            answer: Ok(HttpResponse {
                status,
                headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                body: body.into(),
            }),
        }
    }

    /// A POST to anywhere that breaks off.
    #[must_use]
    pub fn broken(error: HttpError) -> Self {
        Self {
            answer: Err(error),
            ..Self::answered(0, "")
        }
    }
}

/// Answers requests from a list, in order. Copies share it.
#[derive(Clone, Default)]
pub struct Exchanges {
    state: Arc<Mutex<State>>,
    media: Media,
}

#[derive(Default)]
struct State {
    left: VecDeque<Exchange>,
    sent: Vec<HttpRequest>,
    unlike: Vec<String>,
}

impl Exchanges {
    /// These, in order.
    #[must_use]
    pub fn new(exchanges: impl IntoIterator<Item = Exchange>) -> Self {
        let state = State {
            left: exchanges.into_iter().collect(),
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            media: Media::default(),
        }
    }

    /// A file, JSON:
    ///
    /// ```json
    /// { "schema": 1, "exchanges": [
    ///   { "url": "https://api.example.com/v1/messages",
    ///     "body": { "model": "small" },
    ///     "answer": { "status": 200, "headers": [["retry-after", "2"]], "body": { "text": "ok" } } },
    ///   { "error": "timeout" } ] }
    /// ```
    ///
    /// `method` (POST), `url` and `body` are compared where they are given; `error` is `timeout`, `connect` or a text.
    ///
    /// # Errors
    /// The file cannot be read, is no such JSON, or has an entry with neither answer nor error.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ExchangeError> {
        let path = path.as_ref();
        let fault = |reason: String| ExchangeError {
            path: path.to_owned(),
            reason,
        };
        let text = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
        let file: File = serde_json::from_slice(&text).map_err(|error| fault(error.to_string()))?;
        if file.schema != 1 {
            return Err(fault(format!(
                "schema {}; this reads schema 1",
                file.schema
            )));
        }
        let exchanges: Result<Vec<_>, _> = file
            .exchanges
            .into_iter()
            .enumerate()
            .map(|(index, entry)| entry.exchange().ok_or(index + 1))
            .collect();
        let exchanges = exchanges
            .map_err(|number| fault(format!("exchange {number} has neither answer nor error")))?;
        Ok(Self::new(exchanges))
    }

    /// What a real episode recorded, from its folder: the same answers, without the provider.
    ///
    /// # Errors
    /// The folder holds no record that can be read, or no exchange.
    pub fn of_episode(folder: impl AsRef<Path>) -> Result<Self, ExchangeError> {
        let folder = folder.as_ref();
        let fault = |reason: String| ExchangeError {
            path: folder.to_owned(),
            reason,
        };
        let events =
            dynacu_record::read_events(folder).map_err(|error| fault(error.to_string()))?;
        let mut exchanges = Vec::new();
        for entry in events {
            let dynacu_record::Event::ModelExchange {
                method,
                url,
                request,
                status,
                response_headers,
                response,
                error,
                ..
            } = entry.event
            else {
                continue;
            };
            let blob = |id: &str| read_blob(folder, id).map_err(&fault);
            let answer = match (status, response, error) {
                (Some(status), Some(body), None) => Ok(HttpResponse {
                    status,
                    headers: response_headers,
                    body: blob(&body)?,
                }),
                (_, _, error) => Err(named_error(&error.unwrap_or_default())),
            };
            exchanges.push(Exchange {
                method,
                url: Some(url),
                body: serde_json::from_slice(&blob(&request)?).ok(),
                answer,
            });
        }
        if exchanges.is_empty() {
            return Err(fault(
                "its record holds no exchange with a model".to_owned(),
            ));
        }
        Ok(Self::new(exchanges))
    }

    /// Media that requests may name.
    #[must_use]
    pub fn with_media(mut self, media: &Media) -> Self {
        self.media = media.clone();
        self
    }

    /// What was sent, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<HttpRequest> {
        self.lock().sent.clone()
    }

    /// Requests that were not the recorded ones, one line each.
    #[must_use]
    pub fn unlike(&self) -> Vec<String> {
        self.lock().unlike.clone()
    }

    /// The JSON that a request carried, pictures as `blob:<id>`.
    #[must_use]
    pub fn json_of(request: &HttpRequest) -> Option<Value> {
        let mut bytes = Vec::new();
        for part in &request.body {
            match part {
                BodyPart::Bytes(some) => bytes.extend(some),
                BodyPart::Base64(id) => bytes.extend(format!("blob:{}", id.sha256).into_bytes()),
            }
        }
        serde_json::from_slice(&bytes).ok()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Entry {
    fn exchange(self) -> Option<Exchange> {
        let answer = match (self.answer, self.error) {
            (Some(answer), None) => Ok(HttpResponse {
                status: answer.status,
                headers: answer.headers,
                body: match answer.body {
                    Value::String(text) => text.into_bytes(),
                    json => json.to_string().into_bytes(),
                },
            }),
            (None, Some(error)) => Err(named_error(&error)),
            _ => return None,
        };
        Some(Exchange {
            method: self.method,
            url: self.url,
            body: self.body,
            answer,
        })
    }
}

fn named_error(text: &str) -> HttpError {
    match text {
        "timeout" => HttpError::Timeout,
        "connect" => HttpError::Connect("connection refused".to_owned()),
        other => HttpError::Other(other.to_owned()),
    }
}

fn read_blob(folder: &Path, id: &str) -> Result<Vec<u8>, String> {
    let blobs = folder.join("blobs");
    let named = |name: &str| name.split('.').next() == Some(id);
    let files = std::fs::read_dir(&blobs).map_err(|error| format!("blobs: {error}"))?;
    let file = files
        .flatten()
        .find(|file| file.file_name().to_str().is_some_and(named))
        .ok_or_else(|| format!("the blob {id} is missing"))?;
    std::fs::read(file.path()).map_err(|error| error.to_string())
}

#[async_trait]
impl Egress for Exchanges {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        for part in &request.body {
            if let BodyPart::Base64(id) = part
                && self.media.stat(&id.sha256).is_err()
            {
                return Err(HttpError::Other(format!("there is no blob {}", id.sha256)));
            }
        }
        let method = match request.method {
            HttpMethod::Get => "GET",
            HttpMethod::Post => "POST",
            HttpMethod::Put => "PUT",
            HttpMethod::Delete => "DELETE",
        };
        let mut state = self.lock();
        state.sent.push(request.clone());
        let number = state.sent.len();
        let expected = state.left.pop_front();
        let unlike = match &expected {
            None => Some("there are no more".to_owned()),
            Some(expected) if expected.method != method => {
                Some(format!("it is a {}", expected.method))
            }
            Some(Exchange { url: Some(url), .. }) if *url != request.url => {
                Some(format!("it goes to {url}"))
            }
            Some(Exchange {
                body: Some(body), ..
            }) => Self::json_of(&request)
                .map_or_else(
                    || Some("$: the body is not JSON".to_owned()),
                    |sent| difference(body, &sent, "$"),
                )
                .map(|where_to| format!("its body differs at {where_to}")),
            Some(_) => None,
        };
        if let Some(why) = unlike {
            let text = format!(
                "exchange {number}: the adapter sent {method} {}, but {why}",
                request.url
            );
            state.unlike.push(text.clone());
            return Err(HttpError::Other(text));
        }
        expected.map_or(Err(HttpError::Timeout), |expected| expected.answer)
    }
}

/// What one call of an adapter came to.
pub struct Answered {
    /// The outer error is the guest's failure, the inner one what it reports of its provider.
    pub outcome: Result<Result<ModelResponse, ModelError>, GuestFailure>,
    /// Its log lines, and what it printed.
    pub log: Vec<(Level, String)>,
}

/// Makes one call of an adapter, with these exchanges for the network.
///
/// # Errors
/// The plugin is no adapter.
pub async fn complete(
    plugin: &Plugin,
    model: &str,
    settings: &str,
    request: ModelRequest,
    exchanges: &Exchanges,
) -> Result<Answered, GuestFailure> {
    let adapter = plugin.adapter(Limits::adapter([7; 32]))?;
    let log = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&log);
    let outside = Outside {
        egress: Arc::new(exchanges.clone()),
        blobs: Arc::new(exchanges.media.clone()),
        log: Arc::new(move |level, line| {
            sink.lock().push((level, line));
        }),
        deadline: DEADLINE,
    };
    let outcome = adapter.complete(model, settings, request, outside).await;
    let log = log.lock().clone();
    Ok(Answered { outcome, log })
}
