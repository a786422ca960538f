//! One folder of `tests/fixtures/plugins` with an `expected.toml`: how its guest comes to be, and how it has to end.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// `expected.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
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
pub(crate) struct Narrower {
    pub cpu_without_call_ms: Option<u64>,
    pub cpu_per_step_ms: Option<u64>,
    pub deadline_ms: Option<u64>,
    pub memory_mib: Option<u64>,
}

/// The folder of the fixtures' sources.
pub(crate) fn sources() -> PathBuf {
    Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host/runtime"))
        .join("../../tests/fixtures/plugins")
}

/// Every fixture, by name.
pub(crate) fn all() -> Result<Vec<(String, Expected)>> {
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

/// The guest's file: built beforehand, or cut now in `folder`.
pub(crate) fn guest(name: &str, expected: &Expected, folder: &Path) -> Result<PathBuf> {
    let Some(whole) = &expected.cut else {
        return Ok(super::support::fixture(name));
    };
    let whole = std::fs::read(super::support::fixture(whole))?;
    let cut = folder.join(format!("{name}.wasm"));
    std::fs::write(&cut, &whole[..whole.len() / 2])?;
    Ok(cut)
}
