//! `dynacu-host tasks lint`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use dynacu_figures::table;

use crate::cli::Done;
use crate::config::DEFAULT_PACE_MS;
use crate::desktop::lane::Lane;
use crate::kit::lint::{Finding, counts, page, still};
use crate::task::catalogue::{Catalogue, CatalogueError, Filters, Task};
use crate::task::home::Home;

/// Seconds between two screenshots of an agent that has nothing else.
pub(super) fn pace() -> f64 {
    DEFAULT_PACE_MS as f64 / 1000.0
}

/// Lints tasks and prints what is wrong, then a line for each task; `with_browser` also loads the pages.
#[allow(
    clippy::print_stdout,
    reason = "what was found is this command's output"
)]
pub(super) async fn run(
    catalogue: &Catalogue,
    home: &Home,
    ids: Vec<String>,
    with_browser: bool,
) -> Result<Done> {
    let whole = ids.is_empty();
    let (tasks, mut wrong) = readable(catalogue, ids)?;
    let lane = if with_browser {
        crate::desktop::programs::check()?;
        Some(Lane::start(0, None).await?)
    } else {
        None
    };
    let mut rows = Vec::new();
    for task in &tasks {
        let mut report = still(task, pace())?;
        if let Some(lane) = &lane {
            let found = page::loaded(task, home, lane).await;
            report.findings.extend(found.unwrap_or_else(|error| {
                vec![Finding::new(&task.folder, None, format!("{error:#}"))]
            }));
        }
        for finding in &report.findings {
            println!("{}", finding.relative(&home.root));
        }
        wrong += report.findings.len();
        rows.push(vec![
            task.manifest.id.clone(),
            format!("{:.1} %", report.exposure.bound * 100.0),
            format!("{:.2} %", report.exposure.chance * 100.0),
            format!("{:.0} s", report.person.seconds),
            format!("{} s", task.manifest.time_limit.as_secs()),
            format!("{:.1}", report.person.ratio),
            if report.findings.is_empty() {
                "clean".to_owned()
            } else {
                format!("{} findings", report.findings.len())
            },
        ]);
    }
    if let Some(lane) = lane {
        lane.stop().await?;
    }
    let columns = [
        "task",
        "from screenshots",
        "by guessing",
        "a person needs",
        "limit",
        "times",
        "lint",
    ];
    print!("{}", table::text(&columns, &rows));
    if whole {
        let (shares, faults) = counts::counts(&tasks);
        println!("{} tasks: {}", tasks.len(), shares.join("; "));
        for fault in &faults {
            println!("{fault}");
        }
        wrong += faults.len();
    }
    Ok(if wrong == 0 {
        Done::Well
    } else {
        Done::WithFailures
    })
}

/// The tasks whose manifests can be read; of the others the fault is printed and counted, so that one does not hide the rest.
#[allow(
    clippy::print_stdout,
    reason = "what was found is this command's output"
)]
fn readable(catalogue: &Catalogue, ids: Vec<String>) -> Result<(Vec<Task>, usize)> {
    if !ids.is_empty() {
        let filters = Filters {
            tasks: ids,
            ..Filters::default()
        };
        match catalogue.select(&filters) {
            Err(CatalogueError::Manifest(error)) => {
                println!("{error}");
                return Ok((Vec::new(), 1));
            }
            tasks => return Ok((tasks?, 0)),
        }
    }
    let (mut tasks, mut wrong) = (BTreeMap::new(), 0);
    for (index, id) in catalogue.ids().enumerate() {
        match catalogue.get(id) {
            Ok(task) => {
                tasks.insert(index, task);
            }
            Err(CatalogueError::Manifest(error)) => {
                println!("{error}");
                wrong += 1;
            }
            Err(error) => return Err(error).context("the tasks cannot be read"),
        }
    }
    Ok((tasks.into_values().collect(), wrong))
}
