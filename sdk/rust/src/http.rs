//! HTTP through the host. For model adapters only, and only to the hosts that the plugin's manifest names.
//!
//! Credentials never enter the guest: the manifest binds a named secret to a host and a header, and the host adds the
//! header as the request leaves.

pub use crate::bindings::adapter::dynacu::host::http::{
    BodyPart, HttpError, Method, Request, Response,
};

/// Sends one request and waits for the whole response.
///
/// # Errors
///
/// [`HttpError::Denied`] names the manifest key to change; the others say how the exchange broke off.
pub fn send(request: &Request) -> Result<Response, HttpError> {
    crate::bindings::adapter::dynacu::host::http::send(request)
}
