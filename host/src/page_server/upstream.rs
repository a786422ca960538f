//! A page that a server of somebody else's hands out, on the loopback: requests are passed on to that address and to no other. The
//! browser sees this server alone, so that the guard and its policy hold for such a page as for every other.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{StatusCode, request};
use axum::response::{IntoResponse, Response};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use super::Shared;
use crate::task::foreign::Address;
use crate::weights::tls;

/// The largest body of a request, in bytes.
const LARGEST: usize = 1024 * 1024;
/// How long the server may take to take a connection.
const CONNECTING: Duration = Duration::from_secs(10);

/// What belongs to one connection, or names this server where the other one is meant.
const OWN: [HeaderName; 11] = [
    header::HOST,
    header::ORIGIN,
    header::REFERER,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The way to the server.
pub(super) struct Upstream {
    client: Client,
    origin: Url,
}

impl Upstream {
    pub(super) fn new(address: &Address) -> Result<Self> {
        tls::install_crypto();
        let client = Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECTING)
            // No certificate is asked for on the loopback, so that none has to be there.
            .tls_certs_only([])
            .build();
        Ok(Self {
            client: client.context("cannot reach the page's server")?,
            origin: Url::parse(&address.origin)?,
        })
    }

    async fn ask(&self, parts: &request::Parts, body: Vec<u8>) -> Result<Response> {
        let path = parts.uri.path_and_query();
        let path = path.map_or("/", |path| path.as_str());
        let url = Url::parse(&format!(
            "{}{path}",
            self.origin.as_str().trim_end_matches('/')
        ))?;
        if url.origin() != self.origin.origin() {
            bail!("{path} is no path");
        }
        let mut headers = without_own(&parts.headers);
        if parts.headers.contains_key(header::ORIGIN) {
            let origin = self.origin.origin().ascii_serialization();
            headers.insert(header::ORIGIN, HeaderValue::from_str(&origin)?);
        }
        let request = self.client.request(parts.method.clone(), url.clone());
        let answer = request.headers(headers).body(body).send().await?;
        let mut headers = without_own(answer.headers());
        if let Some(location) = answer.headers().get(header::LOCATION) {
            let target = self.inside(&url, location.to_str()?)?;
            headers.insert(header::LOCATION, HeaderValue::from_str(&target)?);
        }
        let status = answer.status();
        let chunks = futures::stream::try_unfold(answer, |mut answer| async move {
            let chunk = answer.chunk().await?;
            Ok::<_, reqwest::Error>(chunk.map(|chunk| (chunk, answer)))
        });
        Ok((status, headers, Body::from_stream(chunks)).into_response())
    }

    /// Where a redirection leads, as a path here.
    fn inside(&self, from: &Url, location: &str) -> Result<String> {
        let target = from.join(location)?;
        if target.origin() != self.origin.origin() {
            bail!("it sends the browser to {target}, which is not its own address");
        }
        let origin = self.origin.as_str().trim_end_matches('/');
        let path = target.as_str().strip_prefix(origin);
        Ok(path.unwrap_or("/").to_owned())
    }
}

fn without_own(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for name in OWN {
        headers.remove(name);
    }
    headers
}

pub(super) async fn forward(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let Some(upstream) = &shared.upstream else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (parts, body) = request.into_parts();
    if parts.headers.contains_key(header::UPGRADE) {
        return StatusCode::NOT_IMPLEMENTED.into_response();
    }
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    match upstream.ask(&parts, body.to_vec()).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!("the page's own server: {error:#}");
            StatusCode::BAD_GATEWAY.into_response()
        }
    }
}
