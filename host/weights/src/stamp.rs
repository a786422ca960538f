//! What is in the cache, by hash; a stamp file makes asking again cheap.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::WeightsError;

/// The stamp file's name in the cache.
const NAME: &str = ".verified.json";

/// A file's hash, valid as long as its size and time of change stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    sha256: String,
    size: u64,
    modified_ns: u64,
}

/// Hashes of the cache's files as they were last computed.
#[derive(Debug)]
pub(crate) struct Stamp {
    directory: PathBuf,
    entries: BTreeMap<String, Entry>,
    changed: bool,
}

impl Stamp {
    /// Reads the stamp file. One that is missing or unreadable only costs hashing again.
    pub(crate) fn open(directory: &Path) -> Self {
        let entries = fs::read(directory.join(NAME))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Self {
            directory: directory.to_owned(),
            entries,
            changed: false,
        }
    }

    /// The SHA-256 of a file of the cache, or nothing when it is not there. `afresh` reads it in any case.
    pub(crate) fn sha256(
        &mut self,
        name: &str,
        afresh: bool,
    ) -> Result<Option<String>, WeightsError> {
        let path = self.directory.join(name);
        let Ok(meta) = fs::metadata(&path) else {
            return Ok(None);
        };
        if !meta.is_file() {
            return Ok(None);
        }
        let modified = meta
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified_ns = modified
            .and_then(|time| u64::try_from(time.as_nanos()).ok())
            .unwrap_or(0);
        if !afresh
            && let Some(entry) = self.entries.get(name)
            && entry.size == meta.len()
            && entry.modified_ns == modified_ns
        {
            return Ok(Some(entry.sha256.clone()));
        }
        let sha256 =
            hash_file(&path).map_err(|source| WeightsError::Unreadable { path, source })?;
        let entry = Entry {
            sha256: sha256.clone(),
            size: meta.len(),
            modified_ns,
        };
        if self.entries.get(name) != Some(&entry) {
            self.entries.insert(name.to_owned(), entry);
            self.changed = true;
        }
        Ok(Some(sha256))
    }

    /// Writes the stamp file, if there is something new. A cache that cannot be written to works without.
    pub(crate) fn save(&self) {
        if !self.changed {
            return;
        }
        let saved = || -> std::io::Result<()> {
            let file = tempfile::NamedTempFile::new_in(&self.directory)?;
            serde_json::to_writer(&file, &self.entries)?;
            file.persist(self.directory.join(NAME))?;
            Ok(())
        };
        if let Err(error) = saved() {
            tracing::debug!("the stamp file of the model cache was not written: {error}");
        }
    }
}

/// SHA-256 of a file, lower-case hexadecimal.
fn hash_file(path: &Path) -> std::io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 20];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hex::encode(hash.finalize())),
            count => hash.update(&block[..count]),
        }
    }
}

/// SHA-256 of bytes, lower-case hexadecimal.
pub(crate) fn hash_bytes(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
