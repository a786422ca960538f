//! The bare command: run episodes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use dynacu_record::{EpisodeResult, Outcome, RunInfo};

use super::Done;
use crate::config::settings::RunSettings;
use crate::config::{Lanes, MOST_LANES, RunConfig};
use crate::driver::Driver;
use crate::suite::describe::now;
use crate::suite::lanes::Work;
use crate::suite::resumed::Resumed;
use crate::suite::watch::Watch;
use crate::suite::{capacity, running, summary};

mod draft;

use draft::Draft;

#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    settings: RunSettings,
    /// A file with the settings; flags override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Resumes a run: runs what is missing or was spoiled by the infrastructure, with the run's own settings, and refuses
    /// if a plugin, a task, a model or a setting has changed
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    resume: Option<PathBuf>,
    /// Prints the episodes that would be run, in order, and runs none
    #[arg(long)]
    dry_run: bool,
    /// Serves a live page of all lanes on the loopback, on this port or any free one
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    watch: Option<u16>,
    /// Prints the summary as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// The command was right, but an episode's record could not be written or no lane could be started: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub struct CouldNotRun(anyhow::Error);

/// Runs what the arguments ask for.
pub async fn run(arguments: RunArguments) -> Result<Done> {
    let (json, dry_run, watch) = (arguments.json, arguments.dry_run, arguments.watch);
    let resumed = match &arguments.resume {
        Some(folder) => Some(Resumed::open(folder)?),
        None => None,
    };
    let base = match (&arguments.config, &resumed) {
        (Some(file), _) => RunSettings::read(file)?,
        (None, Some(resumed)) => RunSettings::from_record(&resumed.info.config)?,
        (None, None) => RunSettings::default(),
    };
    let config = RunConfig::resolve(arguments.settings, base)?;
    let draft = Draft::new(config, resumed).await?;
    if dry_run {
        draft.print(json)?;
        return Ok(Done::Well);
    }
    draft.check().await?;
    let folder = match draft.folder() {
        Some(folder) => folder.to_owned(),
        None => run_folder(draft.out())?,
    };
    let _alone = alone(&folder)?;
    let (work, mut info) = draft.work(&folder)?;
    // Named with the plan, so that a folder without a single episode can be resumed.
    write_info(&folder, &info)?;
    let due = work.left();
    eprintln!(
        "{due} of {} episodes into {}",
        work.plan.len(),
        folder.display()
    );
    let _watch = match watch {
        Some(port) => Some(watched(port, &work).await?),
        None => None,
    };
    let (lanes, first) = lanes(&work, due).await.map_err(CouldNotRun)?;
    info.lanes = lanes;
    write_info(&folder, &info)?;
    let finished = running::run(&work, lanes, first, &mut info).await?;
    info.ended = Some(now());
    let described = write_info(&folder, &info);
    let left = work.is_left();
    let results: Vec<EpisodeResult> = finished.results.into_iter().flatten().collect();
    print(&folder, &results, json)?;
    described.map_err(CouldNotRun)?;
    // A lane that was given up while the others did its work is no failure of the run.
    if let Some(error) = finished.broken
        && (left || results.len() < work.plan.len())
    {
        return Err(CouldNotRun(error).into());
    }
    let whole = results.len() == work.plan.len()
        && results
            .iter()
            .all(|result| result.outcome != Outcome::InfrastructureError);
    Ok(if whole {
        Done::Well
    } else {
        Done::WithFailures
    })
}

/// Keeps a second host out of a run's folder for as long as the file is open.
fn alone(folder: &Path) -> Result<std::fs::File> {
    let path = folder.join(".lock");
    let file = std::fs::File::create(&path).map_err(|error| {
        CouldNotRun(anyhow!(
            "cannot write into the run folder {}: {error}; choose another --out",
            folder.display()
        ))
    })?;
    if file.try_lock().is_err() {
        bail!(
            "another dynacu-host is running episodes into {}: wait for it, or stop it",
            folder.display()
        );
    }
    Ok(file)
}

fn write_info(folder: &Path, info: &RunInfo) -> Result<()> {
    dynacu_record::write_json(&folder.join("run.json"), info).with_context(|| {
        format!(
            "cannot write into the run folder {}: choose another --out",
            folder.display()
        )
    })
}

/// How many lanes, and the first one's driver where its lane had to be started to know.
async fn lanes(work: &Work, due: usize) -> Result<(usize, Option<Driver>)> {
    let wanted = match work.config.lanes {
        Lanes::Fixed(lanes) => return Ok((lanes.min(due.max(1)), None)),
        Lanes::Auto if due < 2 => return Ok((1, None)),
        Lanes::Auto => capacity::room().await?,
    };
    let mut first = work.driver(0);
    let lane = first.lane().await?;
    let config = &work.config;
    let cost = capacity::cost(
        &work.bench,
        &config.recognizer,
        lane,
        config.fps,
        &work.voice,
    )?;
    let (lanes, why) = capacity::lanes(cost, wanted);
    eprintln!("--lanes auto takes {why}");
    Ok((lanes.min(due).min(MOST_LANES), Some(first)))
}

async fn watched(port: u16, work: &Arc<Work>) -> Result<Watch> {
    let shared = Arc::clone(work);
    let about = move || {
        serde_json::json!({
            "folder": shared.folder,
            "planned": shared.plan.len(),
            "left": shared.left(),
            "cost_usd": shared.crew.service.budget.spent().cost_usd,
        })
    };
    let watch = Watch::start(port, work.views.clone(), Arc::new(about)).await?;
    eprintln!("watch the lanes at {}", watch.url);
    Ok(watch)
}

#[allow(clippy::print_stdout, reason = "the summary is this command's output")]
fn print(folder: &Path, results: &[EpisodeResult], json: bool) -> Result<()> {
    if json {
        println!(
            "{}",
            serde_json::to_string(&summary::json(folder, results))?
        );
    } else {
        println!("\n{}", summary::table(results));
    }
    Ok(())
}

/// The run folder: the one named, which must be new, or a fresh one.
fn run_folder(out: Option<&Path>) -> Result<PathBuf> {
    let folder = match out {
        Some(out) => {
            if out.join("run.json").exists() {
                bail!(
                    "{} already holds a run, which was not touched: choose another --out",
                    out.display()
                );
            }
            out.to_owned()
        }
        None => PathBuf::from("runs").join(now().to_string()),
    };
    std::fs::create_dir_all(&folder).map_err(|error| {
        CouldNotRun(anyhow!(
            "cannot make the run folder {}: {error}; choose another --out",
            folder.display()
        ))
    })?;
    Ok(folder)
}
