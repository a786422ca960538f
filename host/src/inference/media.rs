//! The episode's media as an adapter may read them.

use std::sync::atomic::{AtomicU64, Ordering};

use dynacu_record::Recorder;
use dynacu_runtime::Blobs;
use dynacu_runtime::types::{BlobError, BlobInfo};

/// Bytes that the guest may read in one attempt; what the host splices into bodies does not count.
const READ_BYTES: u64 = 64 << 20;

/// Pictures and sounds of one episode's record. Other blobs, such as recorded exchanges, are not there for guests.
pub struct EpisodeMedia {
    recorder: Recorder,
    left: AtomicU64,
}

impl EpisodeMedia {
    /// For the guest's own reading, which has a quota.
    #[must_use]
    pub fn for_guest(recorder: Recorder) -> EpisodeMedia {
        EpisodeMedia {
            recorder,
            left: AtomicU64::new(READ_BYTES),
        }
    }

    /// For the host, which splices them into a body with a limit of its own.
    #[must_use]
    pub fn for_host(recorder: Recorder) -> EpisodeMedia {
        EpisodeMedia {
            recorder,
            left: AtomicU64::new(u64::MAX),
        }
    }
}

/// Media type and size of a medium in a record; none for everything else.
#[must_use]
pub fn medium(recorder: &Recorder, id: &str) -> Option<BlobInfo> {
    let (media_type, size) = recorder.blob_info(id)?;
    (media_type.starts_with("image/") || media_type.starts_with("audio/"))
        .then_some(BlobInfo { media_type, size })
}

impl Blobs for EpisodeMedia {
    fn stat(&self, id: &str) -> Result<BlobInfo, BlobError> {
        medium(&self.recorder, id).ok_or(BlobError::NotFound)
    }

    fn read(&self, id: &str) -> Result<Vec<u8>, BlobError> {
        let size = self.stat(id)?.size;
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(size)
            })
            .map_err(BlobError::TooLarge)?;
        let bytes = self.recorder.blob_bytes(id);
        let unreadable = || BlobError::Other("the host cannot read it back".to_owned());
        let bytes = bytes.ok_or_else(unreadable)?;
        Ok(bytes.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use dynacu_record::Writer;

    use super::*;

    #[test]
    fn media_are_read_within_the_quota_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, recorder) = Writer::start(&folder.path().join("episode")).unwrap();
        let picture = recorder.blob(vec![1; 40 << 20], "image/png");
        let sound = recorder.blob(vec![2; 40 << 20], "audio/wav");
        let exchange = recorder.blob(b"{}".to_vec(), "application/json");
        let media = EpisodeMedia::for_guest(recorder.clone());
        assert_eq!(media.stat(&sound).unwrap().media_type, "audio/wav");
        assert_eq!(media.read(&picture).unwrap().len(), 40 << 20);
        assert!(matches!(media.read(&sound), Err(BlobError::TooLarge(left)) if left == 24 << 20));
        assert!(matches!(media.read(&exchange), Err(BlobError::NotFound)));
        assert!(
            EpisodeMedia::for_host(recorder.clone())
                .read(&sound)
                .is_ok()
        );
        drop((media, recorder));
        writer.finish().unwrap();
    }
}
