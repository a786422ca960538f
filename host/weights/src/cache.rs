//! What is in the cache, compared with the lock file.

use serde::Serialize;

use crate::lock::{File, Lock};
use crate::stamp::Stamp;
use crate::{MissingFile, WeightsError, directory};

/// The state of one file of the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum State {
    /// There, with the locked hash.
    Good,
    /// There; the lock file has no hash to compare with.
    Unpinned {
        sha256: String,
    },
    Missing,
    /// There, with other bytes than the locked ones.
    Wrong {
        sha256: String,
    },
}

/// One row of [`list`].
#[derive(Debug, Serialize)]
pub struct Listed {
    pub name: String,
    /// Bytes, where the lock file knows them.
    pub size: Option<u64>,
    pub licence: String,
    pub optional: bool,
    pub present: bool,
}

/// Every file of the lock file, and whether the cache has it.
///
/// # Errors
/// When the lock file is malformed.
pub fn list() -> Result<Vec<Listed>, WeightsError> {
    let directory = directory();
    let row = |file: File| Listed {
        present: directory.join(&file.name).is_file(),
        name: file.name,
        size: file.size,
        licence: file.licence,
        optional: file.optional,
    };
    Ok(Lock::embedded()?.files.into_iter().map(row).collect())
}

/// The state of every file, read and hashed afresh.
///
/// # Errors
/// When a file cannot be read.
pub fn verify() -> Result<Vec<(String, State)>, WeightsError> {
    let lock = Lock::embedded()?;
    let mut stamp = Stamp::open(&directory());
    let states = lock
        .files
        .iter()
        .map(|file| Ok((file.name.clone(), state(file, &mut stamp, true)?)))
        .collect::<Result<_, WeightsError>>()?;
    stamp.save();
    Ok(states)
}

/// SHA-256 of the files in use, by name, for the record. Hashed once and then known by size and time of change.
///
/// # Errors
/// When a file cannot be read.
pub fn hashes() -> Result<Vec<(String, String)>, WeightsError> {
    let lock = Lock::embedded()?;
    let mut stamp = Stamp::open(&directory());
    let mut hashes = Vec::new();
    for file in lock.files {
        if let Some(hash) = stamp.sha256(&file.name, false)? {
            hashes.push((file.name, hash));
        }
    }
    stamp.save();
    Ok(hashes)
}

/// SHA-256 of one file in use; see [`hashes`].
///
/// # Errors
/// When the cache does not have the file or it cannot be read.
pub fn hash(name: &str) -> Result<String, WeightsError> {
    let mut stamp = Stamp::open(&directory());
    let hash = stamp.sha256(name, false)?;
    stamp.save();
    hash.ok_or_else(|| {
        WeightsError::Missing(MissingFile {
            name: name.to_owned(),
            directory: directory(),
        })
    })
}

pub(crate) fn state(file: &File, stamp: &mut Stamp, afresh: bool) -> Result<State, WeightsError> {
    Ok(match (stamp.sha256(&file.name, afresh)?, &file.sha256) {
        (None, _) => State::Missing,
        (Some(sha256), None) => State::Unpinned { sha256 },
        (Some(sha256), Some(locked)) if sha256 == *locked => State::Good,
        (Some(sha256), Some(_)) => State::Wrong { sha256 },
    })
}
