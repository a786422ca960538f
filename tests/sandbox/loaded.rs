//! Loading in the built host, watched from outside.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use dynacu_tests::host;
use procfs::process::Process;

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// The result of `plugin check`.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) code: Option<i32>,
    pub(super) said: String,
    pub(super) seconds: f64,
    /// The host's peak.
    pub(super) host_mib: u64,
    /// The compiler's peak; zero where none was started.
    pub(super) compiler_mib: u64,
}

/// Checks a plugin, with the cache of compiled plugins in `caches`.
pub(super) fn check(plugin: &Path, caches: &Path) -> Result<Loaded> {
    let began = Instant::now();
    let mut child = Command::new(host()?)
        .args([Path::new("plugin"), Path::new("check"), plugin])
        .env("XDG_CACHE_HOME", caches)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (mut host_kib, mut compiler_kib) = (0, 0);
    while child.try_wait()?.is_none() {
        host_kib = peak_kib(child.id()).max(host_kib);
        for compiler in children(child.id()) {
            compiler_kib = peak_kib(compiler).max(compiler_kib);
        }
        std::thread::sleep(LOOK);
    }
    let seconds = began.elapsed().as_secs_f64();
    let said = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&said.stdout) + String::from_utf8_lossy(&said.stderr);
    Ok(Loaded {
        code: said.status.code(),
        said: text.into_owned(),
        seconds,
        host_mib: host_kib / 1024,
        compiler_mib: compiler_kib / 1024,
    })
}

/// A process's peak memory so far; zero where it is gone.
pub(super) fn peak_kib(process: u32) -> u64 {
    let status = Process::new(process.cast_signed()).and_then(|process| process.status());
    status.ok().and_then(|status| status.vmhwm).unwrap_or(0)
}

fn children(process: u32) -> Vec<u32> {
    let tasks = Process::new(process.cast_signed()).and_then(|process| process.tasks());
    let tasks = tasks.into_iter().flatten().flatten();
    tasks
        .filter_map(|task| task.children().ok())
        .flatten()
        .collect()
}
