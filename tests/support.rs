//! What the tests that cross crates share: the built binary, run folders, and one more try for the infrastructure.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use dynacu_record::{EpisodeResult, Outcome};

/// The checkout.
#[must_use]
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default()
}

/// The binary that was built with these tests.
pub fn host() -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    let host = here
        .parent()
        .and_then(Path::parent)
        .context("the test lies in no target folder")?
        .join("dynacu-host");
    if !host.exists() {
        bail!("{} is missing: run `make build` first", host.display());
    }
    Ok(host)
}

/// A test guest of `tests/fixtures/plugins`.
pub fn fixture(name: &str) -> Result<PathBuf> {
    let path = checkout()
        .join("plugins/dist/fixtures")
        .join(format!("{name}.wasm"));
    if !path.exists() {
        bail!("{} is missing: run `make guests` first", path.display());
    }
    Ok(path)
}

/// Runs the binary in the checkout.
pub fn dynacu_host(arguments: &[&str]) -> Result<Output> {
    let output = Command::new(host()?)
        .args(arguments)
        .current_dir(checkout())
        .output()?;
    Ok(output)
}

/// One episode with its folder.
pub struct Ran {
    pub result: EpisodeResult,
    pub folder: PathBuf,
    // The record lives as long as the test looks at it.
    _run: tempfile::TempDir,
}

/// Runs one episode; where the infrastructure failed it is printed and tried once more.
pub fn episode(plugin: &str, task: &str, mode: &str, seed: u32) -> Result<Ran> {
    let mut last = None;
    for attempt in 1..=2 {
        let run = tempfile::tempdir()?;
        let out = run.path().join("run");
        let out_text = out.to_string_lossy().into_owned();
        let seed = seed.to_string();
        let output = dynacu_host(&[
            "--plugin", plugin, "--task", task, "--mode", mode, "--seed", &seed, "--out",
            &out_text, "--json",
        ])?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        eprintln!("{errors}");
        let summary: serde_json::Value =
            serde_json::from_slice(&output.stdout).with_context(|| {
                format!("attempt {attempt}: no summary came; the host said: {errors}")
            })?;
        let result: EpisodeResult = serde_json::from_value(summary["episodes"][0].clone())?;
        let folder = only_episode(&out)?;
        let lost = result.outcome == Outcome::InfrastructureError;
        last = Some(Ran {
            result,
            folder,
            _run: run,
        });
        if !lost {
            break;
        }
        eprintln!("attempt {attempt} was lost to the infrastructure; it is tried once more");
    }
    last.context("no episode ran")
}

fn only_episode(run: &Path) -> Result<PathBuf> {
    let mut folder = run.join("episodes");
    while !folder.join("episode.json").exists() {
        let mut inside: Vec<_> = std::fs::read_dir(&folder)?.collect::<std::io::Result<_>>()?;
        match (inside.pop(), inside.is_empty()) {
            (Some(entry), true) => folder = entry.path(),
            _ => bail!("{} holds no single episode", folder.display()),
        }
    }
    Ok(folder)
}
