//! The bare command: run episodes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use dynacu_record::{EndCause, EpisodeResult, Outcome, RunInfo, SCHEMA};
use dynacu_runtime::Engine;
use sha2::{Digest, Sha256};

use super::Done;
use crate::config::model::ModelArguments;
use crate::config::{Flags, RunConfig};
use crate::desktop::lane::Lane;
use crate::episode::{self, Bench, Policy, Trial};
use crate::model::ping::ping;
use crate::model::provider::Model;
use crate::perception::recognizer::RecognizerChoice;
use crate::suite::agents::Crew;
use crate::suite::plan::{Planned, agent_name, episode_folder, episodes, slots, slots_of_page};
use crate::suite::streak::Streak;
use crate::suite::{machine, summary};
use crate::task::catalogue::Catalogue;
use crate::task::foreign::Page;
use crate::task::home::{Home, home};
use crate::task::prepare::{Prepared, prepare};
use crate::task::studio::Studio;

/// Seconds that a page gives unless told otherwise.
const PAGE_LIMIT: u64 = 120;

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
    /// The keyframe gate: local, spec, or for ablation pixel, uniform-1, uniform-3, random, none [default: local]
    #[arg(long)]
    gate: Option<String>,
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
    let json = arguments.json;
    let page = arguments.page.map(|file| Page {
        file,
        instruction: arguments.instruction.unwrap_or_default(),
        success: arguments.success.unwrap_or_default(),
        time_limit: Duration::from_secs(arguments.time_limit.unwrap_or(PAGE_LIMIT)),
    });
    let config = RunConfig::resolve(Flags {
        config: arguments.config,
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
        gate: arguments.gate,
        burst: arguments.burst,
        recognizer: arguments.recognizer,
        settings: arguments.settings,
        grants: arguments.grant,
        model: arguments.model,
    })?;
    let home = home()?;
    let slots = match &page {
        Some(page) => slots_of_page(&config, &page.task()?)?,
        None => slots(&config, &Catalogue::open(&home)?)?,
    };
    let engine = Engine::new()?;
    let crew = Crew::load(&engine, &home, &config, &slots).await?;
    let plan = episodes(&slots, &crew, config.trials);
    crate::desktop::programs::check()?;
    if config.model.preflight {
        preflight(&crew).await.map_err(CouldNotRun)?;
    }
    let folder = run_folder(config.out.as_deref())?;
    let bench = bench(engine, home, &config.recognizer)?;
    let studio = Studio::new(
        Some(Arc::clone(&bench.page_recognizer)),
        Some(Arc::clone(&bench.reader)),
    );
    let mut info = describe(&config, &plan, &crew, &bench, page.as_ref())?;
    dynacu_record::write_json(&folder.join("run.json"), &info).with_context(|| {
        format!(
            "cannot write into the run folder {}: choose another --out",
            folder.display()
        )
    })?;

    eprintln!("{} episodes into {}", plan.len(), folder.display());
    let mut streak = Streak::default();
    let mut results = Vec::new();
    let mut lane: Option<Lane> = None;
    for (index, planned) in plan.iter().enumerate() {
        let policy = crew
            .policies
            .get(planned.policy)
            .ok_or_else(|| anyhow!("the plan names no policy"))?;
        let model = planned.model.and_then(|index| crew.models.get(index));
        eprintln!(
            "[{}/{}] {} in {} by {}{} …",
            index + 1,
            plan.len(),
            planned.task.manifest.folder_name(),
            planned.mode,
            policy.descriptor.name,
            model.map_or_else(String::new, |model| format!(" with {}", model.name))
        );
        let seed = config.seed.for_trial(planned.trial);
        // What was recorded so far stands, and the other episodes still run.
        let prepared = match &page {
            Some(page) => page.prepared(seed),
            None => prepare(&planned.task, seed, &studio),
        };
        let prepared = match prepared {
            Ok(prepared) => Arc::new(prepared),
            Err(error) => {
                eprintln!("      could not be prepared: {error:#}");
                continue;
            }
        };
        let ready = match lane.take() {
            Some(ready) => ready,
            None => Lane::start(0, None)
                .await
                .map_err(|error| CouldNotRun(error.into()))?,
        };
        let trial = trial(&config, planned, policy, model, prepared, &folder);
        let result = episode::run(&bench, &ready, policy, &trial)
            .await
            .map_err(CouldNotRun)?;
        eprintln!("      {}", line(&result));
        // A lane on which the infrastructure failed is not trusted with another episode.
        if result.outcome == Outcome::InfrastructureError {
            ready
                .stop()
                .await
                .map_err(|error| CouldNotRun(error.into()))?;
        } else {
            lane = Some(ready);
        }
        let stop = streak.after(
            result.cause,
            &result.detail,
            result.model_calls,
            result.model_ms.len(),
        );
        let operator = result.cause == EndCause::Operator;
        if !episode::interrupted(result.cause) {
            results.push(result);
        }
        if let Some(why) = stop {
            eprintln!("the run stops here: {why}");
            break;
        }
        if operator {
            break;
        }
    }
    if let Some(lane) = lane {
        lane.stop()
            .await
            .map_err(|error| CouldNotRun(error.into()))?;
    }
    info.ended = Some(now());
    if let Some(inference) = &mut info.inference {
        let spent = crew.service.budget.spent();
        inference.tokens = spent.tokens;
        inference.cost_usd = spent.cost_usd;
        inference.uncounted = spent.uncounted;
    }
    dynacu_record::write_json(&folder.join("run.json"), &info)?;
    print(&folder, &results, json)?;
    let whole = results.len() == plan.len()
        && results
            .iter()
            .all(|result| result.outcome != Outcome::InfrastructureError);
    Ok(if whole {
        Done::Well
    } else {
        Done::WithFailures
    })
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

fn line(result: &EpisodeResult) -> String {
    let mut text = format!(
        "{} ({}, {} steps, {:.0} s)",
        summary::outcome_name(result.outcome),
        result.cause.name(),
        result.steps,
        result.wall_s
    );
    if result.outcome != Outcome::Passed {
        let why = result
            .score
            .as_ref()
            .map_or("", |score| score.explanation.as_str());
        text.push_str(&format!(": {} {why}", result.detail));
    }
    text.trim_end().to_owned()
}

fn trial(
    config: &RunConfig,
    planned: &Planned,
    policy: &Policy,
    model: Option<&Arc<Model>>,
    task: Arc<Prepared>,
    folder: &Path,
) -> Trial {
    let name = &policy.descriptor.name;
    let agent = agent_name(name, model.map(|model| model.name.as_str()));
    Trial {
        task,
        mode: planned.mode,
        number: planned.trial,
        pace: Duration::from_millis(config.pace_ms),
        fps: config.fps,
        gate: config.gate,
        burst: config.burst,
        folder: episode_folder(folder, &agent, planned),
        earlier_infrastructure_errors: 0,
        model: model.map(Arc::clone),
    }
}

/// Asks every model for a word: a wrong key or a spent quota is found out before the first episode.
async fn preflight(crew: &Crew) -> Result<()> {
    for model in crew
        .models
        .iter()
        .filter(|model| model.provider.reaches_a_network())
    {
        // A server that still starts may keep it waiting for half a minute.
        eprintln!("{}: asked for a word …", model.name);
        let pong = ping(model).await?;
        eprintln!(
            "{}: answers as {} after {:.1} s",
            model.name,
            pong.model,
            pong.took.as_secs_f64()
        );
    }
    Ok(())
}

/// Loads every model once.
pub(super) fn bench(engine: Engine, home: Home, recognizer: &RecognizerChoice) -> Result<Bench> {
    eprintln!("loading the models …");
    let page_recognizer = RecognizerChoice::Base.load()?;
    Ok(Bench {
        engine,
        home,
        encoder: crate::perception::encoder::load_encoder()?,
        recognizer: match recognizer {
            RecognizerChoice::Base => Arc::clone(&page_recognizer),
            other => other.load()?,
        },
        page_recognizer,
        voice: Arc::new(crate::speech::piper::Piper::load()?),
        reader: Arc::new(crate::perception::reading::Reader::load()?),
    })
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

fn describe(
    config: &RunConfig,
    plan: &[Planned],
    crew: &Crew,
    bench: &Bench,
    page: Option<&Page>,
) -> Result<RunInfo> {
    let mut tasks: Vec<_> = plan.iter().map(|planned| &planned.task).collect();
    tasks.sort_by(|a, b| a.manifest.id.cmp(&b.manifest.id));
    tasks.dedup_by(|a, b| a.manifest.id == b.manifest.id);
    let mut modes: Vec<String> = plan
        .iter()
        .map(|planned| planned.mode.to_string())
        .collect();
    modes.sort();
    modes.dedup();
    let folders: Vec<PathBuf> = tasks
        .iter()
        .map(|task| task.folder.clone())
        .chain([bench.home.page_lib.clone()])
        .collect();
    Ok(RunInfo {
        schema: SCHEMA,
        command: std::env::args().collect(),
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        host_commit: machine::commit(&bench.home.root),
        plugins: crew.files(),
        models: machine::models()?,
        task_set: match page {
            Some(page) => hex::encode(Sha256::digest(std::fs::read(&page.file)?)),
            None => machine::digest(&folders)?,
        },
        machine: machine::describe(),
        tasks: tasks.iter().map(|task| task.manifest.id.clone()).collect(),
        modes,
        seed: config.seed.to_string(),
        trials: config.trials,
        pace_ms: config.pace_ms,
        fps: config.fps,
        gate: config.gate.name().to_owned(),
        pixel_threshold: config.gate.pixel_threshold(),
        semantic_threshold: config.gate.semantic_threshold(),
        burst: config.burst,
        encoder: bench.encoder.name().to_owned(),
        recognizer: config.recognizer.to_string(),
        started: now(),
        ended: None,
        inference: crew.inference_info(config),
    })
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}
