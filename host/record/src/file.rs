//! Files that are whole or absent.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

#[cfg(test)]
pub(crate) use crate::kill::point;

/// Where a test kills the process that writes.
#[cfg(not(test))]
pub(crate) const fn point() {}

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
    point();
    let mut file = File::create(&beside)?;
    put(&mut file, bytes)?;
    file.sync_all()?;
    point();
    fs::rename(&beside, path)?;
    point();
    Ok(())
}

/// Writes all bytes. A test dies in their middle too, with the first half on the disk.
pub(crate) fn put(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    if cfg!(test) {
        let (first, second) = bytes.split_at(bytes.len() / 2);
        to.write_all(first)?;
        to.flush()?;
        point();
        return to.write_all(second);
    }
    to.write_all(bytes)
}

/// Removes an episode's folder with its result first: a reader never sees a result without the record that it came from.
pub(crate) fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join("episode.json")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => point(),
    }
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// [`write_atomically`] of a value as indented JSON.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    write_atomically(path, &text)
}
