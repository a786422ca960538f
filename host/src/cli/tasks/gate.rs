//! `dynacu-host tasks gate`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use super::lint::pace;
use super::sheet::write_sheet;
use crate::cli::Done;
use crate::driver;
use crate::kit::gate::ledger::{Ledger, Lint, file};
use crate::kit::gate::run::Recorded;
use crate::kit::gate::runner::{Runner, cut_after};
use crate::kit::gate::standing::{LINT, Standing};
use crate::kit::gate::table::{Row, markdown, over_all};
use crate::kit::gate::{checks, inputs, records, verify};
use crate::kit::lint::{page, still};
use crate::kit::marked;
use crate::perception::recognizer::RecognizerChoice;
use crate::task::catalogue::{Catalogue, Filters, Task};
use crate::task::home::Home;

/// The policies of the gates.
const POLICIES: [&str; 6] = [
    "reference",
    "idle",
    "random",
    "replayer",
    "copycat",
    "guess",
];
/// Where the table stands, from the checkout's root.
const DOCUMENT: &str = "docs/tasks.md";

#[derive(Debug, Clone, Args)]
pub struct GateArguments {
    /// Ids or folder names; all tasks, and the table in docs/tasks.md, if none is given
    ids: Vec<String>,
    /// Seeds that the reference policy must pass
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: u64,
    /// Runs everything again
    #[arg(long)]
    fresh: bool,
    /// A folder for contact sheets of the reference policy's episodes
    #[arg(long)]
    sheets: Option<PathBuf>,
    /// Where the records are kept that show the results; dynacu/gates in the user's cache folder if none is given
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Runs nothing: says what is in date, what is out of date and what was never run
    #[arg(long, conflicts_with_all = ["fresh", "sheets", "records", "verify"])]
    status: bool,
    /// Runs nothing: compares each line of the ledger with the record in this folder that shows it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["fresh", "sheets", "records"])]
    verify: Option<PathBuf>,
}

/// Runs what the ledger does not hold yet, keeps it there, and prints the table. With all tasks the table in the
/// documents is written anew.
pub(super) async fn run(
    catalogue: &Catalogue,
    home: &Home,
    arguments: GateArguments,
) -> Result<Done> {
    let whole = arguments.ids.is_empty();
    let tasks = catalogue.select(&Filters {
        tasks: arguments.ids.clone(),
        ..Filters::default()
    })?;
    let file = file(&home.tasks);
    let mut ledger = Ledger::read(&file)?;
    if let Some(kept) = &arguments.verify {
        return verified(&tasks, home, &ledger, kept);
    }
    let mut standings = tasks
        .iter()
        .map(|task| {
            let entry = ledger.tasks.get(&task.manifest.id);
            Standing::of(task, home, entry, arguments.seeds)
        })
        .collect::<Result<Vec<_>>>()?;
    if arguments.status {
        return Ok(status(&standings));
    }
    if arguments.fresh {
        standings.iter_mut().for_each(Standing::renew);
    }
    let missing: usize = standings.iter().map(|one| one.missing().count()).sum();
    eprintln!("{missing} episodes and checks to run");
    if missing > 0 {
        run_missing(&tasks, &standings, home, &arguments, &mut ledger).await?;
    }
    if whole {
        // What is gone is forgotten.
        ledger
            .tasks
            .retain(|id, _| tasks.iter().any(|task| task.manifest.id == *id));
        ledger.write(&file)?;
    }
    table(&tasks, home, &ledger, arguments.seeds, whole)
}

#[allow(clippy::print_stdout, reason = "the table is this command's output")]
fn table(tasks: &[Task], home: &Home, ledger: &Ledger, seeds: u64, whole: bool) -> Result<Done> {
    let rows: Vec<Row<'_>> = tasks
        .iter()
        .map(|task| {
            let entry = ledger.tasks.get(&task.manifest.id).cloned();
            Row::new(task, entry.unwrap_or_default(), seeds)
        })
        .collect();
    let table = markdown(&rows);
    println!("{table}");
    if whole {
        write_into_document(home, &table)?;
    }
    let green = rows.iter().all(|row| row.faults().is_empty()) && over_all(&rows).is_empty();
    Ok(done(green))
}

fn done(well: bool) -> Done {
    if well { Done::Well } else { Done::WithFailures }
}

#[allow(clippy::print_stdout, reason = "it is this command's output")]
fn status(standings: &[Standing]) -> Done {
    for standing in standings {
        println!("{standing}");
    }
    done(standings.iter().all(|one| one.missing().next().is_none()))
}

#[allow(
    clippy::print_stdout,
    reason = "what was found is this command's output"
)]
fn verified(tasks: &[Task], home: &Home, ledger: &Ledger, kept: &Path) -> Result<Done> {
    let (mut lines, mut faults) = (0, Vec::new());
    for task in tasks {
        let id = &task.manifest.id;
        let Some(entry) = ledger.tasks.get(id) else {
            continue;
        };
        lines += entry.lines();
        faults.extend(verify::runs(id, entry, kept));
        if let Some(lint) = &entry.lint {
            faults.extend(verify::lint(task, home, lint, pace())?);
        }
    }
    for fault in &faults {
        println!("{fault}");
    }
    println!("{lines} lines, {} faults", faults.len());
    Ok(done(faults.is_empty()))
}

fn write_into_document(home: &Home, table: &str) -> Result<()> {
    let document = home.root.join(DOCUMENT);
    let text = std::fs::read_to_string(&document)
        .with_context(|| format!("cannot read {}", document.display()))?;
    let fresh = marked::replaced(&text, "gates", table).with_context(|| {
        format!(
            "{} has no part that is marked `measured: gates`",
            document.display()
        )
    })?;
    std::fs::write(&document, fresh).with_context(|| format!("cannot write {}", document.display()))
}

/// Runs what does not stand, and writes the ledger after each of it.
async fn run_missing(
    tasks: &[Task],
    standings: &[Standing],
    home: &Home,
    arguments: &GateArguments,
    ledger: &mut Ledger,
) -> Result<()> {
    crate::desktop::programs::check()?;
    if let Some(folder) = &arguments.sheets {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let kept = arguments.records.clone();
    let kept = kept.unwrap_or_else(records::usual_folder);
    eprintln!("the records are kept in {}", kept.display());
    eprintln!("loading the models …");
    let models = driver::bench(
        crate::program::engine()?,
        home.clone(),
        &RecognizerChoice::Base,
    )?;
    let mut runner = Runner::new(models, &POLICIES, &kept).await?;
    for (task, standing) in tasks.iter().zip(standings) {
        if standing.missing().any(|name| name == LINT) {
            lint(task, &mut runner, ledger).await?;
        }
        episodes(task, standing, arguments, &mut runner, ledger).await?;
    }
    runner.close().await
}

async fn lint(task: &Task, runner: &mut Runner, ledger: &mut Ledger) -> Result<()> {
    let home = runner.home().clone();
    let inputs = inputs::of_lint(task, &home)?;
    let mut report = still(task, pace())?;
    let lane = runner.lane().await?;
    let found = page::loaded(task, &home, lane).await?;
    report.findings.extend(found);
    let id = &task.manifest.id;
    eprintln!("{id} lint: {} findings", report.findings.len());
    let entry = ledger.tasks.entry(id.clone()).or_default();
    entry.lint = Some(Lint::of(&report, inputs, &home.root));
    ledger.write(&file(&home.tasks))
}

async fn episodes(
    task: &Task,
    standing: &Standing,
    arguments: &GateArguments,
    runner: &mut Runner,
    ledger: &mut Ledger,
) -> Result<()> {
    let id = &task.manifest.id;
    let checks = checks(task.manifest.needs, arguments.seeds);
    ledger.forget_others(id, &checks);
    for check in &checks {
        let name = check.name();
        if !standing.missing().any(|missing| missing == name) {
            continue;
        }
        let first = ledger.tasks.get(id).and_then(|entry| entry.run(&checks[0]));
        let cut = if check.cut { cut_after(first) } else { None };
        let episode = runner.run(task, check, cut).await?;
        if let Some(folder) = arguments.sheets.as_ref().filter(|_| *check == checks[0]) {
            write_sheet(&task.manifest, &episode, &folder.join(format!("{id}.png")))?;
        }
        let recorded = Recorded::read(&episode)?;
        let run = &recorded.run;
        eprintln!(
            "{id} {name}: {} ({}, {:.0} s){}",
            run.outcome,
            run.page_result,
            run.seconds,
            if run.fits(check.wants) { "" } else { "  RED" }
        );
        ledger.keep(recorded);
        ledger.write(&file(&runner.home().tasks))?;
    }
    Ok(())
}
