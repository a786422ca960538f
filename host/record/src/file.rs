//! Files that are whole or absent.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

/// Lower-case hex SHA-256.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Writes beside the target and renames, so that a reader never sees half a file, however the writer dies.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path
        .parent()
        .ok_or_else(|| io::Error::other("the path names no folder"))?;
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::other("the path names no file"))?;
    let beside = folder.join(format!(".{}.part", name.to_string_lossy()));
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// [`write_atomically`] of a value as indented JSON.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    write_atomically(path, &text)
}
