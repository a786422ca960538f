//! The official file, over HTTPS. Proxies are those of the environment.

use std::collections::HashSet;
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, IF_RANGE, RANGE};
use reqwest::{Client, ClientBuilder, Response, StatusCode, Url};

use crate::tls::install_crypto;

#[cfg(test)]
pub(crate) mod tests;

/// Tries of one file.
const TRIES: u32 = 3;

/// How long a server may take.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// A hub that is not connected within this is not there.
    connect: Duration,
    /// Without a byte.
    idle: Duration,
    /// For one try of one file; some have 350 MB.
    whole: Duration,
    /// After the first broken try; each further one is preceded by as much more.
    pause: Duration,
}

const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(5),
    idle: Duration::from_secs(20),
    whole: Duration::from_secs(1800),
    pause: Duration::from_secs(1),
};

/// Why the official file was not had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HubError {
    /// This host is not asked again in this run.
    #[error("{host} cannot be reached ({reason})")]
    Unreachable { host: String, reason: String },
    #[error("{address}: {reason}")]
    Refused { address: String, reason: String },
}

/// Why one try did not bring the whole file.
enum Broken {
    /// Nothing answered: no name, no route, no handshake, a proxy that says no.
    NoAnswer(String),
    /// It may go better next time.
    Again(String),
    /// It will not.
    ForGood(String),
}

/// The hubs of one run. Hosts that do not answer are asked once.
pub(crate) struct Hub {
    /// Or why there is none: every host is then out of reach.
    client: Result<Client, String>,
    patience: Patience,
    unreachable: HashSet<String>,
}

impl Hub {
    pub(crate) fn new() -> Self {
        install_crypto();
        Self::with(PATIENCE, Client::builder().https_only(true))
    }

    fn with(patience: Patience, client: ClientBuilder) -> Self {
        let client = client
            .connect_timeout(patience.connect)
            .read_timeout(patience.idle)
            .timeout(patience.whole)
            .build();
        Self {
            client: client.map_err(|error| innermost(&error)),
            patience,
            unreachable: HashSet::new(),
        }
    }

    /// Whether the host of an address may still answer in this run.
    pub(crate) fn may_answer(&self, address: &str) -> bool {
        !self.unreachable.contains(&host(address))
    }

    /// The bytes at an address, resumed when the connection breaks. More bytes than `size` are refused.
    pub(crate) async fn file(
        &mut self,
        address: &str,
        size: Option<u64>,
    ) -> Result<Vec<u8>, HubError> {
        let host = host(address);
        let unreachable = |reason: String| HubError::Unreachable {
            host: host.clone(),
            reason,
        };
        if self.unreachable.contains(&host) {
            return Err(unreachable("it did not answer before".to_owned()));
        }
        let client = self
            .client
            .as_ref()
            .map_err(|why| unreachable(why.clone()))?;
        let mut download = Download::default();
        let mut last = String::new();
        for attempt in 0..TRIES {
            tokio::time::sleep(self.patience.pause * attempt).await;
            match download.proceed(client, address, size).await {
                Ok(()) => return Ok(download.bytes),
                Err(Broken::NoAnswer(reason)) if !download.answered => {
                    self.unreachable.insert(host.clone());
                    return Err(unreachable(reason));
                }
                Err(Broken::ForGood(reason)) => {
                    last = reason;
                    break;
                }
                Err(Broken::NoAnswer(reason) | Broken::Again(reason)) => last = reason,
            }
        }
        Err(HubError::Refused {
            address: address.to_owned(),
            reason: last,
        })
    }
}

/// What has arrived of one file.
#[derive(Default)]
struct Download {
    bytes: Vec<u8>,
    /// Which version of the file the bytes are of; without it nothing can be resumed.
    version: Option<String>,
    answered: bool,
}

impl Download {
    /// Asks for what is missing, and takes what comes.
    async fn proceed(
        &mut self,
        client: &Client,
        address: &str,
        size: Option<u64>,
    ) -> Result<(), Broken> {
        let mut request = client.get(address);
        match &self.version {
            Some(version) if !self.bytes.is_empty() => {
                // The rest of the same version, or the whole of another.
                request = request
                    .header(RANGE, format!("bytes={}-", self.bytes.len()))
                    .header(IF_RANGE, version);
            }
            _ => self.bytes.clear(),
        }
        let response = request.send().await.map_err(|error| {
            if error.is_builder() || error.is_redirect() {
                Broken::ForGood(innermost(&error))
            } else {
                Broken::NoAnswer(innermost(&error))
            }
        })?;
        self.answered = true;
        self.begin(&response)?;
        self.take(response, size).await
    }

    fn begin(&mut self, response: &Response) -> Result<(), Broken> {
        let status = response.status();
        match status {
            StatusCode::OK => self.bytes.clear(),
            StatusCode::PARTIAL_CONTENT if starts_at(response.headers(), self.bytes.len()) => {}
            // The server has answered and will not answer differently.
            _ if status.is_client_error() => return Err(Broken::ForGood(status.to_string())),
            _ => {
                self.bytes.clear();
                return Err(Broken::Again(status.to_string()));
            }
        }
        let tag = response.headers().get(ETAG);
        self.version = tag
            .and_then(|tag| tag.to_str().ok())
            // A weak one does not promise the same bytes.
            .filter(|tag| !tag.starts_with("W/"))
            .map(str::to_owned);
        Ok(())
    }

    async fn take(&mut self, mut response: Response, size: Option<u64>) -> Result<(), Broken> {
        let chunk = |chunk: reqwest::Result<_>| {
            chunk.map_err(|error| {
                Broken::Again(format!("the download broke off ({})", innermost(&error)))
            })
        };
        while let Some(chunk) = chunk(response.chunk().await)? {
            self.bytes.extend_from_slice(&chunk);
            if let Some(size) = size
                && self.bytes.len() as u64 > size
            {
                return Err(Broken::ForGood(format!(
                    "it has more than the {size} bytes of the lock file"
                )));
            }
        }
        Ok(())
    }
}

/// Whether a partial reply goes on after so many bytes.
fn starts_at(headers: &HeaderMap, from: usize) -> bool {
    headers
        .get(CONTENT_RANGE)
        .and_then(|range| range.to_str().ok())
        .is_some_and(|range| range.starts_with(&format!("bytes {from}-")))
}

/// Host and port of an address; the address itself where it is none.
fn host(address: &str) -> String {
    Url::parse(address).map_or_else(|_| address.to_owned(), |url| url.authority().to_owned())
}

/// What lies at the bottom of an error: the outer layers only repeat the address.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    innermost.to_string()
}
