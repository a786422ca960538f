//! Any text as a manifest: a manifest whose asks can be said, or one line.

#![no_main]

use dynacu_runtime::Manifest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Manifest::parse(text, "plugin.toml") {
        Ok(manifest) => {
            assert!(manifest.memory_bytes(true) <= 4096 << 20);
            drop(manifest.asks());
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
});
