//! Encoded media by content address, as an episode keeps them.

use std::collections::BTreeMap;
use std::sync::Arc;

use dynacu_runtime::Blobs;
use dynacu_runtime::types::{BlobError, BlobInfo};
use parking_lot::{Mutex, MutexGuard};

/// What an episode would have kept. Copies share one store.
#[derive(Clone, Default)]
pub struct Media(Arc<Mutex<BTreeMap<String, Medium>>>);

struct Medium {
    bytes: Vec<u8>,
    media_type: String,
    name: String,
}

impl Media {
    /// Keeps these bytes; the name is how [`Ran::shown`](crate::Ran::shown) writes them. Gives their id.
    pub fn keep(&self, bytes: Vec<u8>, media_type: &str, name: &str) -> String {
        let id = dynacu_record::hash(&bytes);
        let medium = Medium {
            bytes,
            media_type: media_type.to_owned(),
            name: name.to_owned(),
        };
        self.lock().entry(id.clone()).or_insert(medium);
        id
    }

    /// The name that a medium was kept under.
    #[must_use]
    pub fn name_of(&self, id: &str) -> Option<String> {
        self.lock().get(id).map(|medium| medium.name.clone())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Medium>> {
        self.0.lock()
    }
}

impl Blobs for Media {
    fn stat(&self, id: &str) -> Result<BlobInfo, BlobError> {
        let media = self.lock();
        let medium = media.get(id).ok_or(BlobError::NotFound)?;
        Ok(BlobInfo {
            media_type: medium.media_type.clone(),
            size: medium.bytes.len() as u64,
        })
    }

    fn read(&self, id: &str) -> Result<Vec<u8>, BlobError> {
        let media = self.lock();
        Ok(media.get(id).ok_or(BlobError::NotFound)?.bytes.clone())
    }
}
