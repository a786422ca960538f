//! Recognition by a server that speaks OpenAI's transcription protocol: `POST {url}/v1/audio/transcriptions`.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::{StatusCode, redirect};
use serde::Deserialize;

use super::{Clip, Pace, Segment, Transcribe, Word, sentences, spread};
use crate::capture::ring::RATE;
use crate::capture::wav;
use crate::error::ModelError;

/// One request, from the connection to the last byte of its reply.
const WITHIN: Duration = Duration::from_secs(8);
const CONNECT_WITHIN: Duration = Duration::from_secs(3);
/// Waits before the second and the third try of what may pass by itself.
const AGAIN_AFTER: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1200)];
/// A reply is a few kilobytes; a larger one is none.
const LARGEST_REPLY: usize = 1 << 20;
/// Characters of a refusal that an error quotes.
const QUOTED: usize = 200;
/// What stands for the confidence where the server does not say.
const UNKNOWN_CONFIDENCE: f32 = 0.5;
/// A text below this confidence of which the server says that nobody spoke is an invention.
const DOUBT_BELOW: f32 = 0.55;
const NO_SPEECH: f64 = 0.6;
/// Parts of a request are told apart by it; sound does not hold it.
const BOUNDARY: &str = "dynacu-4b1d7c52e09f";

/// Where the server is and how it is asked.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RemoteSettings {
    /// `http` or `https`, up to and without `/v1`.
    pub url: String,
    /// The server's name for the model, for example `whisper-1`.
    pub model: String,
    /// The environment variable that holds the key; none for a server that asks for none.
    pub key_variable: Option<String>,
}

impl fmt::Debug for RemoteSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at {}", self.model, self.url)
    }
}

/// Why a server gave no text.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    #[error(
        "{0:?} is no address of a recogniser: it begins with http:// or https:// and names a host"
    )]
    Address(String),
    #[error("the recogniser's key is missing: set the environment variable {0}")]
    NoKey(String),
    #[error("cannot ask the recogniser: {0}")]
    Unready(String),
    #[error("the recogniser at {server} could not be reached: {why}")]
    Unreachable { server: String, why: String },
    #[error("the recogniser at {server} refused with status {status}: {said}")]
    Refused {
        server: String,
        status: u16,
        said: String,
    },
    #[error("the recogniser at {server} gave a reply that is no transcription: {why}")]
    Unreadable { server: String, why: String },
}

impl RemoteError {
    /// Whether the same request may succeed a moment later.
    fn passes(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { status, .. } => *status == 429 || *status >= 500,
            Self::Address(_) | Self::NoKey(_) | Self::Unready(_) | Self::Unreadable { .. } => false,
        }
    }
}

/// A recogniser somewhere else. Each utterance is one request; nothing is asked while it is being spoken but by observations.
pub struct Remote {
    settings: RemoteSettings,
    key: Option<String>,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
    /// Cleared when the server refuses the form of reply that has times.
    detailed: AtomicBool,
}

impl Remote {
    /// Reads the key and makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// When the address is none, or the variable is not set.
    pub fn open(settings: RemoteSettings) -> Result<Self, RemoteError> {
        let fits = |url: &reqwest::Url| {
            matches!(url.scheme(), "http" | "https") && url.host_str().is_some()
        };
        if !reqwest::Url::parse(&settings.url).is_ok_and(|url| fits(&url)) {
            return Err(RemoteError::Address(settings.url));
        }
        let key = match &settings.key_variable {
            Some(name) => Some(
                std::env::var(name)
                    .ok()
                    .filter(|key| !key.is_empty())
                    .ok_or_else(|| RemoteError::NoKey(name.clone()))?,
            ),
            None => None,
        };
        dynacu_weights::tls::install_crypto();
        let client = reqwest::Client::builder()
            .timeout(WITHIN)
            .connect_timeout(CONNECT_WITHIN)
            // The key is for one server.
            .redirect(redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| RemoteError::Unready(with_causes(&error)))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| RemoteError::Unready(error.to_string()))?;
        Ok(Self {
            settings,
            key,
            client,
            runtime,
            detailed: AtomicBool::new(true),
        })
    }

    async fn ask(&self, wav: &[u8]) -> Result<Reply, RemoteError> {
        let mut waits = AGAIN_AFTER.into_iter();
        loop {
            let detailed = self.detailed.load(Ordering::Relaxed);
            match self.once(wav, detailed).await {
                Ok(reply) => return Ok(reply),
                Err(RemoteError::Refused { status: 400, .. }) if detailed => {
                    // Some models give plain text alone.
                    self.detailed.store(false, Ordering::Relaxed);
                }
                Err(error) => match waits.next().filter(|_| error.passes()) {
                    Some(wait) => {
                        tracing::warn!("asking again: {error}");
                        tokio::time::sleep(wait).await;
                    }
                    None => return Err(error),
                },
            }
        }
    }

    async fn once(&self, wav: &[u8], detailed: bool) -> Result<Reply, RemoteError> {
        let server = || self.settings.url.clone();
        let unreachable = |error: reqwest::Error| RemoteError::Unreachable {
            server: server(),
            why: with_causes(&error.without_url()),
        };
        let url = format!(
            "{}/v1/audio/transcriptions",
            self.settings.url.trim_end_matches('/')
        );
        let mut request = self
            .client
            .post(url)
            .header(
                CONTENT_TYPE,
                format!("multipart/form-data; boundary={BOUNDARY}"),
            )
            .body(form(&self.settings.model, wav, detailed));
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(unreachable)? {
            body.extend_from_slice(&part);
            if body.len() > LARGEST_REPLY {
                return Err(RemoteError::Unreadable {
                    server: server(),
                    why: format!("it has more than {LARGEST_REPLY} bytes"),
                });
            }
        }
        if status != StatusCode::OK {
            let said = String::from_utf8_lossy(&body);
            // A server that echoes the key must not get it into a record.
            let said = match &self.key {
                Some(key) => said.replace(key.as_str(), "…"),
                None => said.into_owned(),
            };
            return Err(RemoteError::Refused {
                server: server(),
                status: status.as_u16(),
                said: said.chars().take(QUOTED).collect(),
            });
        }
        serde_json::from_slice(&body).map_err(|error| RemoteError::Unreadable {
            server: server(),
            why: error.to_string(),
        })
    }
}

impl Transcribe for Remote {
    fn transcribe(&self, samples: &[f32]) -> Result<Vec<Segment>, ModelError> {
        let clip = Clip {
            samples,
            interrupt: &AtomicBool::new(false),
        };
        Ok(sentences(&self.words(&clip)?.unwrap_or_default()))
    }

    fn words(&self, clip: &Clip<'_>) -> Result<Option<Vec<Word>>, ModelError> {
        let wav = wav::encode(RATE, clip.samples)
            .map_err(|error| RemoteError::Unready(error.to_string()))?;
        let reply = self.runtime.block_on(self.ask(&wav))?;
        let length = (clip.samples.len() * 1000 / RATE as usize) as u64;
        Ok(Some(reply.words(length)))
    }

    fn pace(&self) -> Pace {
        Pace::ByUtterance
    }
}

/// An error with its causes, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        line.push_str(": ");
        line.push_str(&inner.to_string());
        cause = inner.source();
    }
    line
}

/// The body of a request.
fn form(model: &str, wav: &[u8], detailed: bool) -> Vec<u8> {
    let mut fields = vec![
        ("model", model),
        ("language", "en"),
        ("temperature", "0"),
        (
            "response_format",
            if detailed { "verbose_json" } else { "json" },
        ),
    ];
    if detailed {
        fields.push(("timestamp_granularities[]", "word"));
        fields.push(("timestamp_granularities[]", "segment"));
    }
    let mut body = Vec::with_capacity(wav.len() + 1024);
    for (name, value) in fields {
        let part = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        body.extend_from_slice(part.as_bytes());
    }
    let part = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"clip.wav\"\r\nContent-Type: audio/wav\r\n\r\n"
    );
    body.extend_from_slice(part.as_bytes());
    body.extend_from_slice(wav);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    body
}

/// What matters in a reply; servers add what they like. Times are seconds.
#[derive(Debug, Deserialize)]
struct Reply {
    text: String,
    #[serde(default)]
    segments: Vec<ReplySegment>,
    #[serde(default)]
    words: Vec<ReplyWord>,
}

#[derive(Debug, Deserialize)]
struct ReplySegment {
    start: f64,
    end: f64,
    text: String,
    avg_logprob: Option<f64>,
    no_speech_prob: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct ReplyWord {
    word: String,
    start: f64,
    end: f64,
}

impl Reply {
    fn words(&self, length: u64) -> Vec<Word> {
        let millis = |seconds: f64| ((seconds.max(0.0) * 1000.0) as u64).min(length);
        let mut words: Vec<Word> = if self.segments.is_empty() {
            spread(&Segment {
                start_ms: 0,
                end_ms: length,
                text: self.text.clone(),
                confidence: UNKNOWN_CONFIDENCE,
            })
        } else {
            let segments = self.segments.iter().filter_map(|segment| {
                let confidence = segment
                    .avg_logprob
                    .map_or(UNKNOWN_CONFIDENCE, |p| p.exp().clamp(0.0, 1.0) as f32);
                let silent = segment.no_speech_prob.is_some_and(|p| p > NO_SPEECH);
                (!silent || confidence >= DOUBT_BELOW).then(|| Segment {
                    start_ms: millis(segment.start),
                    end_ms: millis(segment.end),
                    text: segment.text.clone(),
                    confidence,
                })
            });
            segments.flat_map(|segment| spread(&segment)).collect()
        };
        // The words with times come without punctuation; they are the same ones if they spell the same.
        let plain = |text: &str| -> String {
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect()
        };
        let timed: Vec<&ReplyWord> = self
            .words
            .iter()
            .filter(|word| !plain(&word.word).is_empty())
            .collect();
        let alike = timed.len() == words.len()
            && timed
                .iter()
                .zip(&words)
                .all(|(timed, word)| plain(&timed.word) == plain(&word.text));
        if alike {
            for (word, timed) in words.iter_mut().zip(timed) {
                word.start_ms = millis(timed.start);
                word.end_ms = millis(timed.end).max(word.start_ms);
            }
        }
        words
    }
}

#[cfg(test)]
mod tests;
