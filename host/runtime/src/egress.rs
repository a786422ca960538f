//! What an adapter reaches outside of its sandbox, as traits.

use async_trait::async_trait;

use crate::types::{BlobError, BlobInfo, HttpError, HttpRequest, HttpResponse};

/// The one way out to the network.
#[async_trait]
pub trait Egress: Send + Sync + 'static {
    /// Sends one request. The future may be dropped: the model call's deadline passed or it was cancelled.
    ///
    /// # Errors
    /// `denied` with the manifest key to change; the others as in `wit/deps/host/host.wit`.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError>;
}

/// No network at all.
pub struct DenyEgress;

#[async_trait]
impl Egress for DenyEgress {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Denied(format!(
            "access to {} is not granted: add its host to `hosts` in the manifest",
            host_of(&request.url)
        )))
    }
}

/// Scheme, host and port without path, user or query, which may carry secrets.
fn host_of(url: &str) -> &str {
    let begin = url.find("://").map_or(0, |at| at + 3);
    let rest = &url[begin..];
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    authority.rsplit('@').next().unwrap_or(authority)
}

/// The episode's media, as far as an adapter may read them.
pub trait Blobs: Send + Sync + 'static {
    /// Size and kind of a blob.
    ///
    /// # Errors
    /// No blob of this episode has that id.
    fn stat(&self, id: &str) -> Result<BlobInfo, BlobError>;
    /// A blob's bytes.
    ///
    /// # Errors
    /// No blob of this episode has that id, or it is larger than the plugin may read.
    fn read(&self, id: &str) -> Result<Vec<u8>, BlobError>;
}

/// No media at all.
pub struct NoBlobs;

impl Blobs for NoBlobs {
    fn stat(&self, _id: &str) -> Result<BlobInfo, BlobError> {
        Err(BlobError::NotFound)
    }

    fn read(&self, _id: &str) -> Result<Vec<u8>, BlobError> {
        Err(BlobError::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::HttpMethod;

    #[tokio::test]
    async fn a_refusal_names_the_key_and_no_secret() {
        let request = HttpRequest {
            method: HttpMethod::Get,
            url: "https://me:secret@api.example.com:8443/v1?key=secret".to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            timeout: None,
        };
        let Err(HttpError::Denied(text)) = DenyEgress.send(request).await else {
            panic!("not denied")
        };
        assert!(
            text.contains("`hosts`") && text.contains("api.example.com:8443"),
            "{text}"
        );
        assert!(!text.contains("secret"), "{text}");
    }
}
