//! Every fixture, each in a host process of its own: how it ends, how long that takes, what it costs the host.
//!
//! Whatever a guest does, its host stays below 1 GiB. `DYNACU_WRITE_TABLE=1` writes what was measured into
//! `docs/sandbox.md`.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in tests, but does not see what tests share"
)]
#![allow(
    clippy::print_stdout,
    reason = "one process's output is what the other reads"
)]

#[path = "support/case.rs"]
mod case;
#[path = "support/scripted.rs"]
#[allow(dead_code)]
mod support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use case::Expected;
use dynacu_figures::table;
use dynacu_runtime::types::{ModelError, ModelRequest};
use dynacu_runtime::{
    Compiler, DenyEgress, Engine, GuestFailure, Limits, NoBlobs, Outside, Plugin, PluginKind,
    PolicyEnd,
};
use serde::{Deserialize, Serialize};
use support::{ScriptedHost, brief, fixture};

/// Names the case to the process that is started for it.
const CASE: &str = "DYNACU_CASE";
/// What that process prints begins with it.
const MARK: &str = "\nCASE ";

/// What one guest came to.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    ends: String,
    says: String,
    /// Bytes of the file.
    size: u64,
    /// From the file's being read to the guest's end, compilation included.
    seconds: f64,
    peak_mib: u64,
}

#[test]
fn every_fixture_ends_with_its_cause_in_bounded_time_and_memory() {
    let cases = case::all().unwrap();
    assert!(cases.len() > 20, "{} fixtures were found", cases.len());
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    for (name, expected) in &cases {
        match in_its_own_process(name, expected) {
            Ok(report) => {
                rows.push(row(name, expected, &report));
                if report.ends != expected.ends || !report.says.contains(&expected.says) {
                    faults.push(format!("{name}: {} ({})", report.ends, report.says));
                }
                if report.peak_mib > expected.host_memory_mib {
                    faults.push(format!("{name}: the host took {} MiB", report.peak_mib));
                }
            }
            Err(error) => faults.push(format!("{name}: {error:#}")),
        }
    }
    let table = table::markdown(&COLUMNS, &rows);
    eprintln!("{table}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if std::env::var_os("DYNACU_WRITE_TABLE").is_some() {
        write_table(&table).unwrap();
    }
}

const COLUMNS: [&str; 6] = [
    "fixture",
    "what it does",
    "ends as",
    "size KiB",
    "s",
    "host's peak MiB",
];

/// What is the same in every run: the first three columns.
fn named(name: &str, what: &str, ends: &str) -> [String; 3] {
    [format!("`{name}`"), what.to_owned(), format!("`{ends}`")]
}

fn row(name: &str, expected: &Expected, report: &Report) -> Vec<String> {
    let mut row = named(name, &expected.what, &report.ends).to_vec();
    row.push(report.size.div_ceil(1024).to_string());
    row.push(format!("{:.2}", report.seconds));
    row.push(report.peak_mib.to_string());
    row
}

fn page() -> std::path::PathBuf {
    Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host/runtime")).join("../../docs/sandbox.md")
}

fn write_table(table: &str) -> Result<()> {
    let text = std::fs::read_to_string(page())?;
    let at = text.find("| fixture ").context("no table in the page")?;
    let (before, old) = text.split_at(at);
    let after = old.find("\n\n").map_or("", |end| &old[end + 1..]);
    std::fs::write(page(), format!("{before}{table}{after}"))?;
    Ok(())
}

#[test]
fn the_page_has_every_fixture() {
    let text = std::fs::read_to_string(page()).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    for (name, expected) in case::all().unwrap() {
        let row = named(&name, &expected.what, &expected.ends);
        let found = rows
            .iter()
            .any(|cells| cells.get(1..4) == Some(&row.each_ref().map(String::as_str)));
        assert!(found, "docs/sandbox.md lacks {row:?}");
    }
}

/// Runs one case where its peak memory is its own, and no hang holds anybody up.
fn in_its_own_process(name: &str, expected: &Expected) -> Result<Report> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--exact", "one_case", "--ignored", "--nocapture"])
        .env(CASE, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let within = Duration::from_secs(expected.within_s);
    if !ended_within(&mut child, within)? {
        child.kill()?;
        child.wait()?;
        bail!("no end within {within:?}");
    }
    let said = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let (_, report) = said
        .split_once(MARK)
        .with_context(|| format!("no report, but {said}"))?;
    let report = report.lines().next().unwrap_or_default();
    Ok(serde_json::from_str(report)?)
}

fn ended_within(child: &mut Child, time: Duration) -> Result<bool> {
    let began = Instant::now();
    while began.elapsed() < time {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(false)
}

#[tokio::test]
#[ignore = "the process that the table starts for each case"]
async fn one_case() {
    let name = std::env::var(CASE).unwrap();
    let all = case::all().unwrap();
    let (_, expected) = all.iter().find(|(found, _)| *found == name).unwrap();
    let report = run(&name, expected).await.unwrap();
    println!("{MARK}{}", serde_json::to_string(&report).unwrap());
}

async fn run(name: &str, expected: &Expected) -> Result<Report> {
    let folder = tempfile::tempdir()?;
    let path = case::guest(name, expected, folder.path())?;
    let began = Instant::now();
    // Without a cache, so that compilation is in the figures.
    let (ends, says) = match Plugin::load(&Engine::with_cache(None, Compiler::InProcess)?, &path) {
        Err(refusal) => ("refused".to_owned(), refusal.to_string()),
        Ok(plugin) => ask(&plugin, expected).await?,
    };
    Ok(Report {
        ends,
        says,
        size: std::fs::metadata(&path)?.len(),
        seconds: began.elapsed().as_secs_f64(),
        peak_mib: peak_mib()?,
    })
}

async fn ask(plugin: &Plugin, expected: &Expected) -> Result<(String, String)> {
    let answered = |text: Result<String, GuestFailure>| match text {
        Ok(text) => ("answered".to_owned(), text),
        Err(failure) => (failure.kind.cause().to_owned(), failure.detail),
    };
    Ok(match plugin.kind {
        PluginKind::Policy => policy(plugin, expected).await?,
        PluginKind::Scorer => {
            let label = plugin.scorer()?.judge(&expected.input, Vec::new()).await;
            answered(label.map(Option::unwrap_or_default))
        }
        PluginKind::ModelAdapter => answered(complete(plugin, &expected.input).await),
    })
}

async fn policy(plugin: &Plugin, expected: &Expected) -> Result<(String, String)> {
    let ms = Duration::from_millis;
    let narrower = &expected.limits;
    let mut limits = Limits::policy(ms(narrower.deadline_ms.unwrap_or(60_000)), [7; 32]);
    if let Some(cpu) = narrower.cpu_without_call_ms {
        limits.cpu_without_call = ms(cpu);
    }
    if let Some(cpu) = narrower.cpu_per_step_ms {
        limits.cpu_per_step = ms(cpu);
    }
    if let Some(mib) = narrower.memory_mib {
        limits.memory = mib << 20;
    }
    let (lines, bytes) = (limits.log_lines as usize, limits.log_bytes as usize);
    let host = ScriptedHost::ending_after(5);
    let log = host.log.clone();
    let end = plugin
        .run_policy(Box::new(host), brief(), expected.input.clone(), limits)
        .ended()
        .await;
    let log = log.lock().unwrap();
    // One line more says how many were left out.
    if log.len() > lines + 1 || log.iter().map(String::len).sum::<usize>() > bytes + 4096 {
        bail!("{} lines got through", log.len());
    }
    Ok(match end {
        PolicyEnd::Returned => ("policy-returned".to_owned(), String::new()),
        PolicyEnd::GaveUp(why) => ("policy-gave-up".to_owned(), why),
        PolicyEnd::ModelRefused(why) => ("model-refused".to_owned(), why),
        PolicyEnd::ModelMalformed(why) => ("model-malformed".to_owned(), why),
        PolicyEnd::BadSettings(why) => ("policy-bad-settings".to_owned(), why),
        PolicyEnd::Failed(failure) => (failure.kind.cause().to_owned(), failure.detail),
    })
}

async fn complete(plugin: &Plugin, model: &str) -> Result<String, GuestFailure> {
    let adapter = plugin.adapter(Limits::adapter([7; 32]))?;
    let outside = Outside {
        egress: Arc::new(DenyEgress),
        blobs: Arc::new(NoBlobs),
        log: Arc::new(|_, _| {}),
        deadline: Duration::from_secs(20),
    };
    let request = ModelRequest {
        messages: Vec::new(),
        tools: Vec::new(),
        display: None,
        max_output_tokens: None,
        temperature: None,
    };
    let answer = adapter.complete(model, "{}", request, outside).await?;
    Ok(match answer {
        Err(ModelError::Other(text)) => text,
        other => format!("{other:?}"),
    })
}

/// The most memory that this process ever had in use.
fn peak_mib() -> Result<u64> {
    let peak = procfs::process::Process::myself()?.status()?.vmhwm;
    Ok(peak.context("the kernel tells no peak")?.div_ceil(1024))
}

#[test]
#[ignore = "prints how long plugins take to start: run it alone, with --nocapture"]
fn cold_and_warm_starts() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["returns", "megabyte", "python-idle"].map(fixture) {
        let cache = folder.path().join("compiled");
        let mut times = Vec::new();
        for _ in 0..6 {
            let engine = Engine::with_cache(Some(cache.clone()), Compiler::InProcess).unwrap();
            let began = Instant::now();
            Plugin::load(&engine, &path).unwrap();
            times.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        let size = std::fs::metadata(&path).unwrap().len() / 1000;
        eprintln!(
            "{size} kB: first {:.1} ms, then {:.1?} ms",
            times[0],
            &times[1..]
        );
    }
}
