//! What the tests that cross crates share: the built binary, run folders, and one more try for the infrastructure.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use dynacu_record::{EpisodeResult, Outcome};

/// The checkout whose tests run.
#[must_use]
pub fn checkout() -> PathBuf {
    PathBuf::from(env!("DYNACU_CHECKOUT"))
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
    run: tempfile::TempDir,
}

impl Ran {
    /// The folder of everything that the host wrote.
    #[must_use]
    pub fn written(&self) -> &Path {
        self.run.path()
    }
}

/// Runs one episode; where the infrastructure failed it is printed and tried once more.
pub fn episode(plugin: &str, task: &str, mode: &str, seed: u32) -> Result<Ran> {
    let seed = seed.to_string();
    let arguments = [
        "--plugin", plugin, "--task", task, "--mode", mode, "--seed", &seed,
    ];
    let ran = only_once(&checkout(), &arguments, &[])?;
    if ran.result.outcome != Outcome::InfrastructureError {
        return Ok(ran);
    }
    eprintln!("the first attempt was lost to the infrastructure; it is tried once more");
    only_once(&checkout(), &arguments, &[])
}

/// Runs the binary in a folder on one episode, once, with these variables beside its own.
pub fn only_once(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Ran> {
    let run = tempfile::tempdir()?;
    let out = run.path().join("run");
    let output = Command::new(host()?)
        .args(arguments)
        .arg("--out")
        .arg(&out)
        .arg("--json")
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    eprintln!("{errors}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no summary came; the host said: {errors}"))?;
    let result: EpisodeResult = serde_json::from_value(summary["episodes"][0].clone())
        .with_context(|| format!("no episode ran; the host said: {errors}"))?;
    Ok(Ran {
        folder: only_episode(&out)?,
        result,
        run,
    })
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

/// A home with F-E1 and, as F-E2, the same page that is over after eight seconds.
pub fn home_with_a_short_task(folder: &Path) -> Result<PathBuf> {
    let (home, checkout) = (folder.join("home"), checkout());
    let (tasks, task) = (home.join("tasks"), "F-E1-error-toast");
    std::fs::create_dir_all(&tasks)?;
    symlink(checkout.join("plugins"), home.join("plugins"))?;
    for name in ["page-lib", task] {
        symlink(checkout.join("tasks").join(name), tasks.join(name))?;
    }
    let (long, short) = (
        checkout.join("tasks").join(task),
        tasks.join("F-E2-soon-over"),
    );
    std::fs::create_dir(&short)?;
    symlink(long.join("page"), short.join("page"))?;
    let mut manifest = std::fs::read_to_string(long.join("task.toml"))?;
    for (from, to) in [
        ("id = \"F-E1\"", "id = \"F-E2\""),
        ("slug = \"error-toast\"", "slug = \"soon-over\""),
        ("time-limit = 75", "time-limit = 8"),
    ] {
        anyhow::ensure!(manifest.contains(from), "{task} has no {from}");
        manifest = manifest.replacen(from, to, 1);
    }
    std::fs::write(short.join("task.toml"), manifest)?;
    Ok(home)
}
