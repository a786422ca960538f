//! Compiled components on disk, so that a second start costs milliseconds.

use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

/// Bytes of compiled code that are kept; the files that were not used for longest go first. A component from Python
/// takes about 60 MiB of it.
const KEPT_BYTES: u64 = 1 << 30;
/// What was not used for so long goes in any case: most of it was made by engines of older versions.
const KEPT_FOR: Duration = Duration::from_secs(60 * 24 * 3600);

/// A folder of `<sha256 of the component>-<engine>`. Without a folder nothing is kept.
#[derive(Clone)]
pub(crate) struct CompiledCache {
    folder: Option<PathBuf>,
    /// Tells engines apart whose code does not fit each other: version, target, flags.
    engine: String,
}

impl CompiledCache {
    pub(crate) fn new(folder: Option<PathBuf>, engine: &Engine) -> Self {
        let mut hash = HashBytes(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hash);
        let engine = hex::encode(&hash.0.finalize()[..8]);
        Self { folder, engine }
    }

    pub(crate) fn component(
        &self,
        engine: &Engine,
        bytes: &[u8],
        sha256: &str,
    ) -> wasmtime::Result<Component> {
        let Some(folder) = &self.folder else {
            return Component::from_binary(engine, bytes);
        };
        let path = folder.join(format!("{sha256}-{}", self.engine));
        if let Some(component) = read(engine, &path) {
            return Ok(component);
        }
        let compiled = engine.precompile_component(bytes)?;
        let kept = write(folder, &path, &compiled)
            .and_then(|()| tidy(folder, KEPT_BYTES, SystemTime::now() - KEPT_FOR));
        if let Err(error) = kept {
            tracing::warn!(
                "compiled plugins are not kept in {}: {error}",
                folder.display()
            );
        }
        // SAFETY: these bytes come from this very engine, a line ago.
        unsafe { Component::deserialize(engine, &compiled) }
    }
}

/// None where there is nothing usable; it is compiled again then.
fn read(engine: &Engine, path: &Path) -> Option<Component> {
    let file = fs::metadata(path).ok()?;
    // The file is machine code that will run unchecked: it has to be our own.
    if !file.is_file()
        || file.uid() != rustix::process::geteuid().as_raw()
        || file.mode() & 0o022 != 0
    {
        return None;
    }
    // SAFETY: only this module writes these files: whole (renamed into place after a sync), into a folder that only
    // the user can write to, under a name that holds the hash of their source and of the engine that made them.
    match unsafe { Component::deserialize_file(engine, path) } {
        Ok(component) => {
            // Only the order of use depends on it.
            let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
            Some(component)
        }
        Err(error) => {
            tracing::warn!("{} is compiled again: {error:#}", path.display());
            None
        }
    }
}

fn write(folder: &Path, path: &Path, compiled: &[u8]) -> std::io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(compiled)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
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
