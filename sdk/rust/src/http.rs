//! HTTP through the host. For model adapters only, and only to the hosts that the plugin's manifest names.
//!
//! Credentials never enter the guest: the manifest binds a named secret to a host and a header, and the host adds the
//! header as the request leaves.

pub use crate::bindings::adapter::dynacu::host::http::{
    BodyPart, HttpError, Method, Request, Response,
};

/// Sends one request and waits for the whole response.
///
/// ```no_run
/// use dynacu_sdk::http::{self, BodyPart, Method, Request};
///
/// let request = Request {
///     method: Method::Post,
///     url: "https://api.example.com/v1/messages".into(),
///     headers: vec![("content-type".into(), "application/json".into())],
///     body: vec![
///         BodyPart::Bytes(br#"{"image": ""#.to_vec()),
///         BodyPart::Base64("the blob's id".into()), // spliced in by the host
///         BodyPart::Bytes(br#""}"#.to_vec()),
///     ],
///     timeout: None,
/// };
/// let status = http::send(&request).map(|response| response.status);
/// ```
///
/// # Errors
///
/// [`HttpError::Denied`] names the manifest key to change; the others say how the exchange broke off.
pub fn send(request: &Request) -> Result<Response, HttpError> {
    crate::bindings::adapter::dynacu::host::http::send(request)
}
