//! Reads and reports a made-up run of 10,000 episodes and prints what that took: `cargo bench --workspace --bench ten_thousand`.
//!
//! With a folder as its argument it leaves the run there to be looked at; a second argument is its number of tasks.

#[path = "synthetic.rs"]
mod synthetic;

use std::path::PathBuf;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[allow(clippy::print_stdout, reason = "the figures are what a bench is for")]
fn main() -> Result<()> {
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let kept = arguments.next().map(PathBuf::from);
    let tasks = arguments.next().map_or(Ok(100), |tasks| tasks.parse())?;
    let temporary = tempfile::tempdir()?;
    let folder = kept.unwrap_or_else(|| temporary.path().join("run"));
    let size = synthetic::Size {
        tasks,
        modes: 5,
        models: 4,
        trials: 5,
    };
    let began = Instant::now();
    let episodes = synthetic::write(&folder, &size, 1)?;
    println!(
        "made up {episodes} episodes in {:.1} s",
        began.elapsed().as_secs_f64()
    );
    let began = Instant::now();
    let report = dynacu_report::write(&folder)?;
    println!(
        "read and reported {} episodes in {:.2} s, peak memory {} MiB",
        report.counts.episodes,
        began.elapsed().as_secs_f64(),
        peak_memory_mib()?
    );
    for name in ["report.html", "report.json", "report.md"] {
        println!(
            "{name}: {} KiB",
            std::fs::metadata(folder.join(name))?.len() / 1024
        );
    }
    Ok(())
}

/// The largest resident set of this process so far.
fn peak_memory_mib() -> Result<u64> {
    let peak = procfs::process::Process::myself()?.status()?.vmhwm;
    Ok(peak.ok_or("the kernel tells no peak")? / 1024)
}
