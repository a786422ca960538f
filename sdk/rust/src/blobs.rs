//! Encoded media (PNG, JPEG, WAV, FLAC) that the host keeps under its SHA-256. For policies and model adapters.

pub use crate::bindings::policy::dynacu::host::blobs::{BlobError, BlobInfo};

use crate::BlobId;
use crate::bindings::policy::dynacu::host::blobs;

/// The media type and the size in bytes of a blob of this episode.
///
/// # Errors
///
/// [`BlobError::NotFound`] when no blob of this episode has that id.
pub fn stat(id: &BlobId) -> Result<BlobInfo, BlobError> {
    blobs::stat(id)
}

/// The bytes of a blob. They pass through the guest's memory, so an adapter that only sends an image on is better
/// served by [`http::BodyPart::Base64`](crate::http::BodyPart).
///
/// # Errors
///
/// [`BlobError::NotFound`], and [`BlobError::TooLarge`] with the quota in bytes.
pub fn read(id: &BlobId) -> Result<Vec<u8>, BlobError> {
    blobs::read(id)
}
