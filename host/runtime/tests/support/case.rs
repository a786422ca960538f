//! One folder of `tests/fixtures/plugins` with an `expected.toml`: how its guest comes to be, and how it has to end.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// `expected.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    pub schema: u32,
    /// The guest in a few words.
    pub what: String,
    /// What it is asked with: a policy's settings, an adapter's model, a variant's values for a scorer.
    #[serde(default)]
    pub input: String,
    /// The guest is the first half of this one's file.
    pub cut: Option<String>,
    /// `refused`, `answered`, `policy-returned`, `policy-gave-up`, or the cause of a guest's failure.
    pub ends: String,
    /// A part of the detail.
    #[serde(default)]
    pub says: String,
    /// A bound on the seconds from the host's start to its end, not a speed.
    pub within_s: u64,
    /// A bound on the host's peak memory, the guest's own included.
    pub host_memory_mib: u64,
    #[serde(default)]
    pub limits: Narrower,
}

/// Limits other than an episode's, so that the test is over sooner or the guest comes to its point.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Narrower {
    pub cpu_without_call_ms: Option<u64>,
    pub cpu_per_step_ms: Option<u64>,
    pub deadline_ms: Option<u64>,
    pub memory_mib: Option<u64>,
}

/// The folder of the fixtures' sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/plugins")
}

/// Every fixture, by name.
pub fn all() -> Result<Vec<(String, Expected)>> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(sources())? {
        let folder = entry?.path();
        let Ok(text) = std::fs::read_to_string(folder.join("expected.toml")) else {
            continue;
        };
        let name = folder.file_name().context("a folder without a name")?;
        let name = name.to_string_lossy().into_owned();
        let expected: Expected = toml::from_str(&text).with_context(|| name.clone())?;
        if expected.schema != 1 || expected.host_memory_mib >= 1024 {
            bail!("{name}: schema 1 is read, and no guest may cost the host 1 GiB");
        }
        cases.push((name, expected));
    }
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(cases)
}

/// The guest's file: built from Rust or Python beforehand, or made in `folder` now.
pub fn guest(name: &str, expected: &Expected, folder: &Path) -> Result<PathBuf> {
    let source = sources().join(name);
    let made = folder.join(format!("{name}.wasm"));
    let bytes = if let Some(whole) = &expected.cut {
        let whole = std::fs::read(super::fixture(whole))?;
        whole[..whole.len() / 2].to_vec()
    } else if source.join("component.wat").exists() {
        wat::parse_file(source.join("component.wat"))?
    } else if source.join("guest.wat").exists() {
        policy(&std::fs::read_to_string(source.join("guest.wat"))?)?
    } else {
        return Ok(super::fixture(name));
    };
    std::fs::write(&made, bytes)?;
    Ok(made)
}

/// A policy whose `run` is written in WAT: a core module with what every policy has, made a component by its world.
fn policy(fields: &str) -> Result<Vec<u8>> {
    let common = std::fs::read_to_string(sources().join("policy.wat"))?;
    let mut module = wat::parse_str(format!("(module\n{fields}\n{common})"))?;
    let mut wit = wit_parser::Resolve::default();
    let (package, _) = wit.push_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit"))?;
    let world = wit.select_world(&[package], Some("policy"))?;
    let utf8 = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, &wit, world, utf8)?;
    let mut encoder = wit_component::ComponentEncoder::default().module(&module)?;
    encoder.encode()
}

/// A policy of a good megabyte, nearly all of it code.
pub fn megabyte() -> Result<Vec<u8>> {
    let returns = std::fs::read_to_string(sources().join("loops-in-post-return/guest.wat"))?;
    let step =
        "(local.set 0 (i32.mul (i32.add (local.get 0) (i32.const 12345)) (i32.const 54321)))";
    let function = format!(
        "(func (param i32) (result i32) {} (local.get 0))\n",
        step.repeat(20)
    );
    policy(&format!("{returns}\n{}", function.repeat(4000)))
}
