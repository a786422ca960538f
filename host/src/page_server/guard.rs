//! Who may talk to the server, and what every answer carries.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Shared;
use crate::task::foreign::Source;

pub(super) async fn guard(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let mut answer = if own(&shared.authority, &request) {
        next.run(request).await
    } else {
        tracing::warn!(
            path = request.uri().path(),
            "a request from elsewhere was refused"
        );
        StatusCode::FORBIDDEN.into_response()
    };
    let headers = answer.headers_mut();
    let policy = policy(shared.foreign.as_ref(), &shared.authority);
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// What a page may load, ask and be framed by.
fn policy(foreign: Option<&Source>, authority: &str) -> String {
    let inline = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:";
    let (sources, own) = match foreign {
        None => (
            format!("default-src 'self'; connect-src 'self' ws://{authority}"),
            "'none'",
        ),
        // A page in one file carries its script, style, pictures and sounds within it.
        Some(Source::File(_)) => (format!("{inline}; connect-src data: blob:"), "'none'"),
        Some(Source::Folder(_) | Source::Address(_)) => (
            format!("{inline}; connect-src 'self' data: blob:"),
            "'self'",
        ),
    };
    format!(
        "{sources}; object-src 'none'; base-uri 'none'; form-action {own}; frame-ancestors {own}"
    )
}

/// Only the page itself. Another site that finds the port has another origin; a name that was made to point here has
/// another `Host`.
fn own(authority: &str, request: &Request) -> bool {
    let headers = request.headers();
    if text(headers, &header::HOST) != Some(authority) {
        return false;
    }
    let upgrade = headers.contains_key(header::UPGRADE);
    let reads = matches!(*request.method(), Method::GET | Method::HEAD) && !upgrade;
    let origin = match text(headers, &header::ORIGIN) {
        Some(origin) => origin.strip_prefix("http://") == Some(authority),
        // Browsers leave it out only where nothing is sent and nothing can be read by others.
        None => reads && !headers.contains_key(header::ORIGIN),
    };
    // An image or a frame of a foreign page has no origin, but says where it comes from; opening the page itself is fine.
    let fetched = |name: &'static str| text(headers, &HeaderName::from_static(name));
    let site = match fetched("sec-fetch-site") {
        None | Some("same-origin" | "none") => true,
        Some(_) => {
            reads
                && fetched("sec-fetch-mode") == Some("navigate")
                && fetched("sec-fetch-dest") == Some("document")
        }
    };
    origin && site
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}
