//! Compiled components on disk, so that a second start costs milliseconds.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

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
        if let Err(error) = write(folder, &path, &compiled) {
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
        Ok(component) => Some(component),
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
