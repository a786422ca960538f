//! Files that are no plugins: one line each that says what to do.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]

#[path = "support/scripted.rs"]
#[allow(dead_code)]
mod support;

use std::path::Path;

use dynacu_runtime::pack::with_manifest;
use dynacu_runtime::{LoadError, ManifestSource, Plugin};
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
    assert_eq!(load("traps").manifest_source, ManifestSource::Nowhere);
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

#[test]
fn a_manifest_for_a_whole_folder_does_not_override_a_packed_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.wasm");
    let packed = "schema = 2\nmemory_mib = 64\n";
    let bytes = std::fs::read(fixture("traps")).unwrap();
    std::fs::write(&path, with_manifest(&bytes, packed).unwrap()).unwrap();
    let in_force = || {
        let plugin = Plugin::load(&engine(), &path).unwrap();
        let memory = plugin.manifest.memory_bytes(false) >> 20;
        (memory, plugin.manifest_source, plugin.passed_over)
    };
    assert_eq!(in_force(), (64, ManifestSource::Packed, None));
    let shared = folder.path().join("plugin.toml");
    std::fs::write(&shared, "schema = 2\nmemory_mib = 32\n").unwrap();
    let passed_over = Some(ManifestSource::Folder(shared.clone()));
    assert_eq!(in_force(), (64, ManifestSource::Packed, passed_over));
    std::fs::write(&shared, packed).unwrap();
    assert_eq!(in_force(), (64, ManifestSource::Packed, None));
    let named = folder.path().join("mine.plugin.toml");
    std::fs::write(&named, "schema = 2\nmemory_mib = 16\n").unwrap();
    let passed_over = Some(ManifestSource::Packed);
    assert_eq!(in_force(), (16, ManifestSource::Named(named), passed_over));
}

#[test]
fn a_manifest_is_read_up_to_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.wasm");
    let long = format!("schema = 2\n# {}\n", "x".repeat(64 << 10));
    let bytes = std::fs::read(fixture("traps")).unwrap();
    std::fs::write(&path, with_manifest(&bytes, &long).unwrap()).unwrap();
    assert!(refusal(&path).contains("its manifest has 65550 bytes, more than 65536"));
    std::fs::write(&path, bytes).unwrap();
    std::fs::write(folder.path().join("plugin.toml"), long).unwrap();
    let Err(error) = Plugin::load(&engine(), &path) else {
        panic!("a manifest without end was read")
    };
    assert!(
        error.to_string().contains("more than 65536 bytes"),
        "{error}"
    );
}

#[test]
fn a_file_whose_name_would_be_another_folder_needs_a_manifest_with_a_name() {
    let folder = tempfile::tempdir().unwrap();
    // Without its ending, this file is called `..`.
    let path = folder.path().join("...wasm");
    let bytes = std::fs::read(fixture("traps")).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let text = refusal(&path);
    assert!(text.ends_with("or give its manifest a `name`"), "{text}");
    let named = with_manifest(&bytes, "schema = 2\nname = \"mine\"\n").unwrap();
    std::fs::write(&path, named).unwrap();
    assert_eq!(Plugin::load(&engine(), &path).unwrap().name, "mine");
}
