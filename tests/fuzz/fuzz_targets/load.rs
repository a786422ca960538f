//! Any bytes as a plugin: a plugin, or one line that says what to do.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use dynacu_runtime::{Compiler, Engine, Plugin};
use libfuzzer_sys::fuzz_target;

static PLACE: LazyLock<(Engine, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    let engine = Engine::with_cache(None, Compiler::InProcess).expect("an engine");
    (engine, folder.join("fuzzed.wasm"))
});

fuzz_target!(|bytes: &[u8]| {
    let (engine, path) = &*PLACE;
    std::fs::write(path, bytes).expect("the temporary file");
    match Plugin::load(engine, path) {
        Ok(plugin) => drop(plugin.inspect()),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
});
