//! The bare command: run episodes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use dynacu_record::{EpisodeResult, Outcome, RunInfo};

use super::Done;
use crate::config::inference::ModelArguments;
use crate::config::{Flags, Lanes, MOST_LANES, PAGE_LIMIT, RunConfig};
use crate::driver::Driver;
use crate::suite::describe::now;
use crate::suite::lanes::Work;
use crate::suite::resumed::Resumed;
use crate::suite::watch::Watch;
use crate::suite::{capacity, running, summary};
use crate::task::foreign::Page;

mod draft;

use draft::Draft;

#[derive(Debug, Args)]
pub struct RunArguments {
    /// A policy or a model adapter: a .wasm file, or the name of a bundled one; may be repeated. Adapters alone are asked by
    /// each mode's own policy
    #[arg(long)]
    plugin: Vec<String>,
    /// Tasks, by id or folder name; all if none
    #[arg(long, value_delimiter = ',')]
    task: Vec<String>,
    /// Categories, A to J
    #[arg(long, value_delimiter = ',')]
    category: Vec<String>,
    /// Tiers: easy, medium, hard
    #[arg(long, value_delimiter = ',')]
    tier: Vec<String>,
    /// Modes: standard, aoi_visual, aoi_audio, aoi_full, aoi_interactive (the default), or needs
    #[arg(long, value_delimiter = ',')]
    mode: Vec<String>,
    /// The seed of the first trial: a whole number, or 32 hexadecimal digits [default: 0]
    #[arg(long)]
    seed: Option<String>,
    /// Attempts at each task; trial k uses seed + k - 1 [default: 1]
    #[arg(long)]
    trials: Option<u32>,
    /// The run folder, which must not exist yet [default: a new one under runs/]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Takes up a run where it was left: runs what is missing and what the infrastructure spoiled, with the run's own
    /// settings, and refuses where a plugin, a task, a model or a setting has changed
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    resume: Option<PathBuf>,
    /// Prints which episodes would be run, in their order, and runs none
    #[arg(long)]
    dry_run: bool,
    /// Isolated desktops that run episodes at once: a number, or auto for as many as this machine keeps in time [default: 1]
    #[arg(long, value_name = "N|auto")]
    lanes: Option<String>,
    /// Serves a live page of all lanes on the loopback, on this port or any
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    watch: Option<u16>,
    /// All of this as a file; flags win
    #[arg(long)]
    config: Option<PathBuf>,
    /// A TOML file with one table of settings for each plugin
    #[arg(long)]
    settings: Option<PathBuf>,
    /// Allows an assist or a resource that a plugin asks for: reading, solution, memory, scratch
    #[arg(long, value_delimiter = ',')]
    grant: Vec<String>,
    /// Seconds between two observations [default: 5]
    #[arg(long)]
    pace: Option<f64>,
    /// Frames captured a second [default: 3]
    #[arg(long)]
    fps: Option<f32>,
    /// Keyframe gates: local, spec, or for ablation pixel, uniform-1, uniform-3, random, none [default: local]
    #[arg(long, value_delimiter = ',')]
    gate: Vec<String>,
    /// Captures also when something is drawn between two frames, at most ten a second
    #[arg(long)]
    burst: bool,
    /// Who recognises speech for the policy: base, tiny, or remote (see docs/records.md) [default: base]
    #[arg(long)]
    recognizer: Option<String>,
    /// Instead of tasks: one self-contained .html file that defines window.getTaskResult(); with --instruction and --success
    #[arg(long, requires_all = ["instruction", "success"], conflicts_with_all = ["task", "category", "tier"])]
    page: Option<PathBuf>,
    /// What is to be done on the page
    #[arg(long, requires = "page")]
    instruction: Option<String>,
    /// What window.getTaskResult() returns when it is done
    #[arg(long, requires = "page")]
    success: Option<String>,
    /// Seconds that the page gives [default: 120]
    #[arg(long, requires = "page", value_parser = clap::value_parser!(u64).range(1..=3600))]
    time_limit: Option<u64>,
    /// Prints the summary as one JSON object on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArguments,
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
    let config = RunConfig::resolve(flags(arguments, resumed.as_ref()))?;
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
    write_info(&folder, &info)?;
    let left = work.is_left();
    let results: Vec<EpisodeResult> = finished.results.into_iter().flatten().collect();
    print(&folder, &results, json)?;
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

fn flags(arguments: RunArguments, resumed: Option<&Resumed>) -> Flags {
    let page = arguments.page.map(|file| Page {
        file,
        instruction: arguments.instruction.unwrap_or_default(),
        success: arguments.success.unwrap_or_default(),
        time_limit: Duration::from_secs(arguments.time_limit.unwrap_or(PAGE_LIMIT)),
    });
    Flags {
        config: arguments.config,
        recorded: resumed.map(|resumed| resumed.info.config.clone()),
        plugins: arguments.plugin,
        tasks: arguments.task,
        categories: arguments.category,
        tiers: arguments.tier,
        modes: arguments.mode,
        seed: arguments.seed,
        trials: arguments.trials,
        out: arguments.out,
        pace: arguments.pace,
        fps: arguments.fps,
        gates: arguments.gate,
        lanes: arguments.lanes,
        page,
        burst: arguments.burst,
        recognizer: arguments.recognizer,
        settings: arguments.settings,
        grants: arguments.grant,
        model: arguments.model,
    }
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
            "another dynacu-host is running episodes into {}: wait for it, or end it",
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
                    "{} holds a run already: choose another --out, nothing there was touched",
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
