//! HTTP through the host. For model adapters only, and only to the hosts that the plugin's manifest names.
//!
//! Credentials never enter the guest: the manifest binds a named secret to a host and a header, and the host adds the
//! header as the request leaves.

mod json;

pub use json::Json;

pub use crate::bindings::adapter::dynacu::host::http::{
    BodyPart, HttpError, Method, Request, Response,
};

/// Sends one request and waits for the whole response.
///
/// ```no_run
/// use dynacu_sdk::BlobId;
/// use dynacu_sdk::http::{self, Json, Request};
///
/// let image = BlobId::new("the blob's SHA-256");
/// let body = Json::object(vec![("image", Json::base64(&image))]); // spliced in by the host
/// let request = Request::post("https://api.example.com/v1/messages", &body);
/// let status = http::send(&request).map(|response| response.status);
/// ```
///
/// # Errors
///
/// [`HttpError::Denied`] names the manifest key to change; the others say how the exchange broke off.
pub fn send(request: &Request) -> Result<Response, HttpError> {
    crate::bindings::adapter::dynacu::host::http::send(request)
}

impl Request {
    /// A POST of JSON. Its time is the call's own.
    pub fn post(url: impl Into<String>, body: &Json) -> Self {
        Self {
            method: Method::Post,
            url: url.into(),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: body.body_parts(),
            timeout: None,
        }
    }

    /// One more header. Credentials are the host's: it adds them as the manifest says.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

impl Response {
    /// The first header of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(there, _)| there.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }
}
