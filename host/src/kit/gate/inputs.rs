//! What decides about a gate's result, as hashes: the task, the page library, the scorer, the policy, perception. What is
//! built differs from machine to machine, so sources are hashed where there are any.

use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::task::catalogue::{Task, digest};
use crate::task::home::Home;
use crate::task::manifest::OWN_SCORER;

/// The hash of everything that an episode of this policy on this task depends on, shortened to what tells them apart.
///
/// # Errors
/// A file cannot be read, or the policy is not built.
pub fn of_run(task: &Task, home: &Home, policy: &str) -> Result<String> {
    let scorer = task.manifest.scorer.plugin.as_str();
    let parts = [
        of_task(task, home)?,
        // Scorers share their types of answers, so they are taken together.
        plugin(home, scorer, "plugins/scorers")?,
        plugin(home, policy, &format!("plugins/policies/{policy}"))?,
        // The number words that speech and scorers share.
        sources(home, "sdk/numerals")?,
        // The language of solutions is a crate that several of them share.
        sources(home, "plugins/policies/solution")?,
        sources(home, "host/media/src/perception")?,
        sources(home, "host/media/src/capture")?,
    ];
    Ok(joined(&parts))
}

/// The hash of everything that lint depends on.
///
/// # Errors
/// A file cannot be read.
pub fn of_lint(task: &Task, home: &Home) -> Result<String> {
    Ok(joined(&[
        of_task(task, home)?,
        sources(home, "host/src/kit/lint")?,
    ]))
}

fn of_task(task: &Task, home: &Home) -> Result<String> {
    let read =
        |folder: &Path| digest(folder).with_context(|| format!("cannot read {}", folder.display()));
    Ok(joined(&[read(&task.folder)?, read(&home.page_lib)?]))
}

fn plugin(home: &Home, name: &str, folder: &str) -> Result<String> {
    if name == OWN_SCORER {
        // It lies in the task's folder, which is hashed as a whole.
        return Ok(String::new());
    }
    let own = sources(home, folder)?;
    if !own.is_empty() {
        return Ok(own);
    }
    let file = crate::bundled::bundled(home, name)?;
    let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(hex::encode(Sha256::digest(bytes)))
}

/// Empty where there are no sources: in an installation.
fn sources(home: &Home, folder: &str) -> Result<String> {
    let folder = home.root.join(folder);
    if !folder.is_dir() {
        return Ok(String::new());
    }
    digest(&folder).with_context(|| format!("cannot read {}", folder.display()))
}

fn joined(parts: &[String]) -> String {
    let hash = hex::encode(Sha256::digest(parts.join(" ").as_bytes()));
    hash[..20].to_owned()
}
