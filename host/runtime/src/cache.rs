//! Compiled components on disk, so that a second start costs milliseconds.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::compile::CompileError;

/// Bytes of compiled code that are kept; the files that were not used for longest go first. A component from Python
/// takes about 60 MiB of it.
const KEPT_BYTES: u64 = 1 << 30;
/// What was not used for so long goes in any case: most of it was made by engines of older versions.
const KEPT_FOR: Duration = Duration::from_secs(60 * 24 * 3600);

/// Bytes at a file's end: the SHA-256 of its name and of the code before the seal.
const SEAL: usize = 32;

/// A folder of files `<sha256 of the component>-<engine>`, each with code and seal. Without a folder nothing is kept.
#[derive(Clone)]
pub(crate) struct CompiledCache {
    folder: Option<PathBuf>,
    /// Tells engines apart whose code does not fit each other: version, target, flags, and the format of these files.
    engine: String,
}

impl CompiledCache {
    pub(crate) fn new(folder: Option<PathBuf>, engine: &Engine) -> Self {
        let mut hash = HashBytes(Sha256::new_with_prefix("sealed"));
        engine.precompile_compatibility_hash().hash(&mut hash);
        let engine = hex::encode(&hash.0.finalize()[..8]);
        Self { folder, engine }
    }

    /// This component's code: from the folder, or else what `compile` writes.
    pub(crate) fn component(
        &self,
        engine: &Engine,
        sha256: &str,
        compile: impl FnOnce(&mut dyn Write) -> Result<(), CompileError>,
    ) -> Result<Component, CompileError> {
        let name = format!("{sha256}-{}", self.engine);
        let folder = self.folder.as_deref().filter(|folder| {
            let ours = make_private(folder);
            if let Err(why) = &ours {
                tracing::warn!(
                    "compiled plugins are not kept in {}: {why}",
                    folder.display()
                );
            }
            ours.is_ok()
        });
        if let Some(folder) = folder {
            match kept(engine, &folder.join(&name), &name) {
                Ok(Some(component)) => return Ok(component),
                Ok(None) => {}
                Err(why) => {
                    tracing::warn!("{} is compiled again: {why}", folder.join(&name).display());
                }
            }
        }
        let cannot = |error| CompileError::host("its code cannot be stored", &error);
        let mut file = match folder {
            Some(folder) => tempfile::NamedTempFile::new_in(folder),
            None => tempfile::NamedTempFile::new(),
        }
        .map_err(cannot)?;
        let mut sealing = Sealing {
            file: file.as_file_mut(),
            hash: Sha256::new_with_prefix(&name),
        };
        compile(&mut sealing)?;
        let seal = sealing.hash.finalize();
        file.write_all(&seal).map_err(cannot)?;
        // Fresh code is opened like kept code, so that there is one place where code is trusted.
        let code = open(engine, file.as_file(), &name).map_err(CompileError::Host)?;
        if let Some(folder) = folder {
            let written = keep(file, &folder.join(&name))
                .and_then(|()| tidy(folder, KEPT_BYTES, SystemTime::now() - KEPT_FOR));
            if let Err(error) = written {
                tracing::warn!(
                    "compiled plugins are not kept in {}: {error}",
                    folder.display()
                );
            }
        }
        Ok(code)
    }
}

/// Makes the folder, and refuses one that others can write to: it contains machine code that will run.
fn make_private(folder: &Path) -> Result<(), String> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| error.to_string())?;
    only_ours(&fs::metadata(folder).map_err(|error| error.to_string())?)
}

fn only_ours(about: &fs::Metadata) -> Result<(), String> {
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!("it belongs to another user ({})", about.uid()));
    }
    if about.mode() & 0o022 != 0 {
        return Err(format!(
            "others may write to it ({:o})",
            about.mode() & 0o777
        ));
    }
    Ok(())
}

/// None where there is no such file; the error says why a file is not used.
fn kept(engine: &Engine, path: &Path, name: &str) -> Result<Option<Component>, String> {
    let mut options = File::options();
    // Follow no link and wait for no pipe.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = match options
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(path)
    {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let component = open(engine, &file, name)?;
    // If this fails, only the order in which files are dropped suffers.
    let _ = file.set_modified(SystemTime::now());
    Ok(Some(component))
}

/// The code of a file, after a check of its seal.
fn open(engine: &Engine, file: &File, name: &str) -> Result<Component, String> {
    let about = file.metadata().map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    only_ours(&about)?;
    let size = (about.len() as usize)
        .checked_sub(SEAL)
        .ok_or("it is cut short")?;
    let mut hash = Sha256::new_with_prefix(name);
    let (mut at, mut chunk) = (0, vec![0; 1 << 16]);
    while at < size {
        let part = (size - at).min(chunk.len());
        file.read_exact_at(&mut chunk[..part], at as u64)
            .map_err(|error| error.to_string())?;
        hash.update(&chunk[..part]);
        at += part;
    }
    let mut seal = [0; SEAL];
    file.read_exact_at(&mut seal, size as u64)
        .map_err(|error| error.to_string())?;
    if hash.finalize()[..] != seal {
        return Err("its hash does not match".to_owned());
    }
    // The file that was checked, even if its name means another one by now.
    let same = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: only this user can write to the file, and the seal shows that this module wrote it. It covers the code and the name,
    // which contains the hashes of the component and of the engine.
    unsafe { Component::deserialize_file(engine, same) }.map_err(|error| format!("{error:#}"))
}

fn keep(file: tempfile::NamedTempFile, path: &Path) -> std::io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Writes to a file and hashes what it writes.
struct Sealing<'a> {
    file: &'a mut File,
    hash: Sha256,
}

impl Write for Sealing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Removes what was last used before `since`, then the longest unused until no more than `bytes` are left. Code that
/// runs stays mapped. Files that an interrupted writer left are among those that nobody uses.
fn tidy(folder: &Path, bytes: u64, since: SystemTime) -> std::io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Another process may have tidied it away just now.
        let Ok(about) = entry.metadata() else {
            continue;
        };
        if about.is_file() {
            files.push((about.modified()?, about.len(), entry.path()));
        }
    }
    files.sort_unstable_by_key(|(used, ..)| std::cmp::Reverse(*used));
    let mut total = 0_u64;
    for (used, size, path) in files {
        total = total.saturating_add(size);
        if total > bytes || used < since {
            match fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Feeds a `Hash` into SHA-256: the standard hasher may change between compilers.
struct HashBytes(Sha256);

impl Hasher for HashBytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let hour = Duration::from_secs(3600);
        for (name, age) in [("old", 3), ("new", 1), ("middle", 2)] {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_len(100).unwrap();
            file.set_modified(now - age * hour).unwrap();
        }
        let left = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        tidy(folder.path(), 300, now - 4 * hour).unwrap();
        assert_eq!(left(), ["middle", "new", "old"]);
        tidy(folder.path(), 250, now - 4 * hour).unwrap();
        assert_eq!(left(), ["middle", "new"]);
        tidy(folder.path(), 250, now - hour - hour / 2).unwrap();
        assert_eq!(left(), ["new"]);
    }
}
