//! Files that are no plugins: one line each that says what to do.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

#[path = "support/scripted.rs"]
#[allow(dead_code)]
mod support;

use std::path::Path;

use dynacu_runtime::{LoadError, Plugin};
use support::{engine, fixture, load};

fn refusal(path: &Path) -> String {
    let Err(error) = Plugin::load(&engine(), path) else {
        panic!("{} was loaded", path.display())
    };
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with(&path.display().to_string()), "{text}");
    text
}

#[test]
fn each_kind_of_wrong_file_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let policy = std::fs::read(fixture("loops-forever")).unwrap();
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("text.wasm", b"print('hello')".to_vec(), "not WebAssembly"),
        ("empty.wasm", Vec::new(), "not WebAssembly"),
        (
            "core.wasm",
            b"\0asm\x01\0\0\0".to_vec(),
            "wasm-tools component new",
        ),
        (
            "cut.wasm",
            policy[..policy.len() / 2].to_vec(),
            "ends too early",
        ),
        (
            "broken.wasm",
            b"\0asm\x0d\0\x01\0\xff\xff\xff".to_vec(),
            "build it again",
        ),
    ];
    for (name, bytes, wanted) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let text = refusal(&path);
        assert!(text.contains(wanted), "{name}: {text}");
    }
    assert!(refusal(&folder.path().join("nowhere.wasm")).contains("no such file"));
    assert!(refusal(folder.path()).contains("not a file"));
    assert!(refusal(&fixture("no-world")).contains("no known world"));
}

#[test]
fn a_component_of_the_first_interfaces_is_refused_with_what_to_do() {
    let text = refusal(&fixture("older-interfaces"));
    assert!(
        text.ends_with(
            "made for dynacu:policy/policy 0.1.0, this host speaks 0.2.0: build it with the SDK of this version"
        ),
        "{text}"
    );
}

#[test]
fn other_versions_and_foreign_imports_are_named() {
    let folder = tempfile::tempdir().unwrap();
    // Names are stored as they are read, so one of the same length can take their place.
    let renamed = |file: &str, from: &str, to: &str| {
        let text = std::fs::read(fixture("observes-in-a-loop")).unwrap();
        let path = folder.path().join(file);
        std::fs::write(&path, replace(&text, from.as_bytes(), to.as_bytes())).unwrap();
        path
    };
    let newer = renamed(
        "newer.wasm",
        "dynacu:policy/policy@0.2.0",
        "dynacu:policy/policy@0.9.0",
    );
    let text = refusal(&newer);
    assert!(
        text.contains("dynacu:policy/policy 0.9.0") && text.contains("speaks 0.2.0"),
        "{text}"
    );
    let foreign = renamed(
        "foreign.wasm",
        "dynacu:policy/session@0.2.0",
        "dynacu:policy/seance1@0.2.0",
    );
    assert!(refusal(&foreign).contains("`dynacu:policy/seance1@0.2.0`, which a policy may not"));
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut out = bytes.to_vec();
    let mut at = 0;
    while let Some(found) = out[at..]
        .windows(from.len())
        .position(|window| window == from)
    {
        out[at + found..at + found + to.len()].copy_from_slice(to);
        at += found + to.len();
    }
    out
}

#[test]
fn a_manifest_beside_the_component_is_found_and_a_bad_one_refused() {
    assert_eq!(load("traps").manifest_file, None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.wasm");
    std::fs::copy(fixture("traps"), &path).unwrap();
    std::fs::write(
        folder.path().join("plugin.toml"),
        "schema = 2\nmemory_mib = 64\n",
    )
    .unwrap();
    let plugin = Plugin::load(&engine(), &path).unwrap();
    assert_eq!(plugin.manifest.memory_bytes(false), 64 << 20);
    let own = folder.path().join("mine.plugin.toml");
    std::fs::write(&own, "schema = 2\nmemory_gib = 1\n").unwrap();
    let Err(error @ LoadError::Manifest(_)) = Plugin::load(&engine(), &path).map(|_| ()) else {
        panic!("an unknown key was accepted")
    };
    assert!(
        error.to_string().contains("mine.plugin.toml: line 2"),
        "{error}"
    );
}
