//! `dynacu-host tasks gate`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dynacu_runtime::Engine;

use super::lint::{pace, relative};
use super::sheet::write_sheet;
use crate::cli::Done;
use crate::driver;
use crate::kit::gate::ledger::{Ledger, Lint, TaskEntry, file};
use crate::kit::gate::runner::{Runner, cut_after};
use crate::kit::gate::table::{Row, markdown, over_all};
use crate::kit::gate::{Run, checks, inputs};
use crate::kit::lint::{page, still};
use crate::kit::marked;
use crate::perception::recognizer::RecognizerChoice;
use crate::task::catalogue::{Catalogue, Filters, Task};
use crate::task::home::Home;

/// The policies of the gates.
const POLICIES: [&str; 5] = ["reference", "idle", "random", "replayer", "guess"];
/// Where the table stands, from the checkout's root.
const DOCUMENT: &str = "docs/tasks.md";

/// Runs what the ledger does not hold yet, keeps it there, and prints the table. With all tasks the table in the
/// documents is written anew.
#[allow(clippy::print_stdout, reason = "the table is this command's output")]
pub async fn run(
    catalogue: &Catalogue,
    home: &Home,
    ids: Vec<String>,
    seeds: u64,
    fresh: bool,
    sheets: Option<PathBuf>,
) -> Result<Done> {
    let whole = ids.is_empty();
    let tasks = catalogue.select(&Filters {
        tasks: ids,
        ..Filters::default()
    })?;
    let file = file(&home.tasks);
    let mut ledger = Ledger::read(&file)?;
    if let Some(folder) = &sheets {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let wanted = Wanted {
        home,
        seeds,
        fresh,
        sheets,
    };
    let missing: usize = tasks
        .iter()
        .map(|task| wanted.missing(task, ledger.tasks.get(&task.manifest.id)))
        .sum::<Result<usize>>()?;
    eprintln!("{missing} episodes and checks to run");
    if missing > 0 {
        crate::desktop::programs::check()?;
        let work = tempfile::tempdir()?;
        eprintln!("loading the models …");
        let models = driver::bench(Engine::new()?, home.clone(), &RecognizerChoice::Base)?;
        let mut runner = Runner::new(models, &POLICIES, work.path()).await?;
        for task in &tasks {
            wanted.run(task, &mut runner, &mut ledger, &file).await?;
        }
        runner.close().await?;
    }
    if whole {
        // What is gone is forgotten.
        ledger
            .tasks
            .retain(|id, _| tasks.iter().any(|task| task.manifest.id == *id));
        ledger.write(&file)?;
    }
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
    Ok(if green {
        Done::Well
    } else {
        Done::WithFailures
    })
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

struct Wanted<'a> {
    home: &'a Home,
    seeds: u64,
    fresh: bool,
    /// Where contact sheets of the reference's first episodes go.
    sheets: Option<PathBuf>,
}

impl Wanted<'_> {
    /// How much of a task has to be run.
    fn missing(&self, task: &Task, entry: Option<&TaskEntry>) -> Result<usize> {
        let mut missing = 0;
        for check in checks(task.manifest.needs, self.seeds) {
            let inputs = inputs::of_run(task, self.home, check.policy)?;
            let known = entry.and_then(|entry| entry.runs.get(&check.name()));
            missing += usize::from(!self.holds(known.map(|run| &run.inputs), &inputs));
        }
        let known = entry.and_then(|entry| entry.lint.as_ref());
        let inputs = inputs::of_lint(task, self.home)?;
        Ok(missing + usize::from(!self.holds(known.map(|lint| &lint.inputs), &inputs)))
    }

    fn holds(&self, known: Option<&String>, inputs: &str) -> bool {
        !self.fresh && known.is_some_and(|known| known == inputs)
    }

    async fn run(
        &self,
        task: &Task,
        runner: &mut Runner,
        ledger: &mut Ledger,
        file: &Path,
    ) -> Result<()> {
        let id = &task.manifest.id;
        let checks = checks(task.manifest.needs, self.seeds);
        let inputs = inputs::of_lint(task, self.home)?;
        let entry = ledger.tasks.entry(id.clone()).or_default();
        entry
            .runs
            .retain(|name, _| checks.iter().any(|check| check.name() == *name));
        if !self.holds(entry.lint.as_ref().map(|lint| &lint.inputs), &inputs) {
            let mut report = still(task, pace())?;
            let lane = runner.lane().await?;
            report
                .findings
                .extend(page::loaded(task, self.home, lane).await?);
            eprintln!("{id} lint: {} findings", report.findings.len());
            let findings = report.findings.iter();
            entry.lint = Some(Lint {
                inputs,
                findings: findings
                    .map(|finding| relative(finding, &self.home.root))
                    .collect(),
                bound: rounded(report.exposure.bound),
                chance: rounded(report.exposure.chance),
                ratio: rounded(report.person.ratio),
            });
            ledger.write(file)?;
        }
        for check in checks.iter() {
            let entry = ledger.tasks.entry(id.clone()).or_default();
            let inputs = inputs::of_run(task, self.home, check.policy)?;
            let name = check.name();
            if self.holds(entry.runs.get(&name).map(|run| &run.inputs), &inputs) {
                continue;
            }
            let first = entry.runs.get(&checks[0].name());
            let cut = if check.cut { cut_after(first) } else { None };
            let ran = runner.run(task, check, cut).await?;
            let run: Run = ran.entry(inputs)?;
            if let Some(folder) = self.sheets.as_ref().filter(|_| *check == checks[0]) {
                let file = folder.join(format!("{id}.png"));
                write_sheet(&task.manifest, &ran.folder, &file)?;
            }
            eprintln!(
                "{id} {name}: {} ({}, {:.0} s){}",
                run.outcome,
                run.page_result,
                run.seconds,
                if run.fits(check.wants) { "" } else { "  RED" }
            );
            entry.runs.insert(name, run);
            ledger.write(file)?;
        }
        Ok(())
    }
}

/// Nine figures are enough to be read, and the file stays as it is.
fn rounded(share: f64) -> f64 {
    (share * 1e9).round() / 1e9
}
