//! What a run was made of: this machine, its programs, and digests of what was used.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use dynacu_record::{Machine, ModelFile};
use procfs::{CpuInfo, Current, Meminfo};
use sha2::{Digest, Sha256};

/// This machine, as far as it tells; what it does not tell stays empty.
#[must_use]
pub fn describe() -> Machine {
    let cpu = CpuInfo::current();
    let cpu = cpu.as_ref().ok().and_then(|cpu| cpu.model_name(0));
    Machine {
        kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease")
            .unwrap_or_default()
            .trim()
            .to_owned(),
        cpu: cpu.unwrap_or_default().to_owned(),
        cores: std::thread::available_parallelism().map_or(0, usize::from),
        memory_mib: Meminfo::current().map_or(0, |memory| memory.mem_total >> 20),
        chromium: first_line("chromium", &["--version"]),
        pulseaudio: first_line("pulseaudio", &["--version"]),
    }
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .and_then(|text| text.lines().next().map(str::to_owned))
        .unwrap_or_default()
}

/// The commit of a checkout, if this is one; `-dirty` behind it where files differ from it.
#[must_use]
pub fn commit(root: &Path) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args([
            "describe",
            "--always",
            "--dirty",
            "--abbrev=40",
            "--exclude=*",
        ])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| output.status.success() && !text.is_empty())
}

/// The model files in the cache, with the hashes of the lock file.
pub fn models() -> Result<Vec<ModelFile>> {
    let lock = crate::weights::lock::Lock::embedded()?;
    Ok(lock
        .files
        .into_iter()
        .filter(|file| crate::weights::file(&file.name).is_ok())
        .filter_map(|file| {
            Some(ModelFile {
                sha256: file.sha256?,
                name: file.name,
            })
        })
        .collect())
}

/// SHA-256 over the names and bytes of all files in some folders.
pub fn digest(folders: &[PathBuf]) -> Result<String> {
    let mut all = Sha256::new();
    for folder in folders {
        for file in files(folder)? {
            let bytes =
                std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let name = file
                .strip_prefix(folder)
                .unwrap_or(&file)
                .to_string_lossy()
                .into_owned();
            all.update(name.as_bytes());
            all.update([0]);
            all.update(Sha256::digest(&bytes));
        }
    }
    Ok(hex::encode(all.finalize()))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read {}", folder.display()))?
        {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.sort();
    Ok(found)
}
