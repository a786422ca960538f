//! Files that something went through: bytes changed, left out, doubled, put elsewhere. Loading one must end in a plugin
//! or in one line that says what to do, whatever it is. `tests/fuzz` does the same for as long as one likes.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

#[path = "support/scripted.rs"]
#[allow(dead_code)]
mod support;

use dynacu_runtime::{Compiler, Engine, Manifest, Plugin};
use fastrand::Rng;

/// A number below a bound; 0 where the bound is 0, as the length of an empty file is.
fn below(random: &mut Rng, bound: usize) -> usize {
    random.usize(..bound.max(1))
}

fn mangled(random: &mut Rng, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=below(random, 4) {
        let at = below(random, bytes.len());
        let end = (at + below(random, 64)).min(bytes.len());
        match below(random, 6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let again = bytes[at..end].to_vec();
                let place = below(random, bytes.len() + 1);
                bytes.splice(place..place, again);
            }
            3 => {
                // A number of many bytes, as lengths and indices are written.
                let large = [0xff, 0xff, 0xff, 0xff, 0x0f];
                let end = (at + large.len()).min(bytes.len());
                bytes.splice(at..end, large);
            }
            4 if !bytes.is_empty() => bytes[at] ^= 1 << below(random, 8),
            _ if !bytes.is_empty() => bytes[at] = random.u8(..),
            _ => {}
        }
    }
    bytes
}

#[test]
fn a_mangled_component_is_a_plugin_or_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = ["returns", "hands-over-a-gib", "imports-outside", "no-world"]
        .map(|name| std::fs::read(support::fixture(name)).unwrap());
    let engine = Engine::with_cache(None, Compiler::InProcess).unwrap();
    let path = folder.path().join("mangled.wasm");
    let mut random = Rng::with_seed(1);
    let mut loaded = 0;
    for turn in 0..1500 {
        let bytes = mangled(&mut random, &seeds[turn % seeds.len()]);
        std::fs::write(&path, &bytes).unwrap();
        match Plugin::load(&engine, &path) {
            Ok(_) => loaded += 1,
            Err(error) => {
                let text = error.to_string();
                assert_eq!(text.lines().count(), 1, "turn {turn}: {text}");
                assert!(text.len() < 4096, "turn {turn}: {text}");
            }
        }
    }
    // Some changes hurt nobody, so whole and broken files were both met.
    assert!((1..1500).contains(&loaded), "{loaded}");
}

#[test]
fn a_mangled_manifest_is_a_manifest_or_one_line() {
    let whole = r#"
schema = 2
name = "example"
hosts = ["api.example.com"]
channels = ["keyframes", "audio"]
memory_mib = 512
scratch = true
[[credentials]]
secret = "EXAMPLE_KEY"
host = "api.example.com"
header = "authorization"
prefix = "Bearer "
"#;
    let mut random = Rng::with_seed(2);
    let mut read = 0;
    for turn in 0..20_000 {
        let bytes = mangled(&mut random, whole.as_bytes());
        let text = String::from_utf8_lossy(&bytes);
        match Manifest::parse(&text, "plugin.toml") {
            Ok(manifest) => {
                read += 1;
                assert!(manifest.memory_bytes(true) <= 4096 << 20);
            }
            Err(error) => {
                let error = error.to_string();
                assert_eq!(error.lines().count(), 1, "turn {turn}: {error}");
            }
        }
    }
    assert!((1..20_000).contains(&read), "{read}");
}
