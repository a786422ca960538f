//! The bare command: run episodes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use dynacu_record::{EpisodeResult, Outcome, PluginFile, RunInfo, SCHEMA};
use dynacu_runtime::types::Channels;
use dynacu_runtime::{Engine, Plugin, PluginKind};

use super::Done;
use crate::bundled;
use crate::config::{Flags, RunConfig};
use crate::desktop::lane::Lane;
use crate::episode::{self, Bench, Policy, Trial};
use crate::perception::recognizer::RecognizerChoice;
use crate::suite::plan::{Plan, Planned, agent_name, episode_folder};
use crate::suite::{machine, summary};
use crate::task::catalogue::Catalogue;
use crate::task::home::{Home, home};
use crate::task::prepare::{Prepared, prepare};
use crate::task::studio::Studio;

#[derive(Debug, Args)]
pub struct RunArguments {
    /// A policy: a .wasm file, or the name of a bundled one (reference, idle); may be repeated
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
    /// Allows an assist or a resource that a plugin asks for: reading, solution, scratch
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
    let json = arguments.json;
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
    })?;
    let home = home()?;
    let catalogue = Catalogue::open(&home)?;
    let plan = Plan::make(&config, &catalogue)?;
    let engine = Engine::new()?;
    let mut policies = Vec::new();
    for name in &plan.plugins {
        policies.push(load_policy(&engine, &home, name, &config).await?);
    }
    crate::desktop::programs::check()?;
    let folder = run_folder(config.out.as_deref())?;
    let bench = bench(engine, home, &config.recognizer)?;
    let studio = Studio::new(Some(Arc::clone(&bench.page_recognizer)));
    let mut info = describe(&config, &plan, &policies, &bench)?;
    dynacu_record::write_json(&folder.join("run.json"), &info).with_context(|| {
        format!(
            "cannot write into the run folder {}: choose another --out",
            folder.display()
        )
    })?;

    eprintln!("{} episodes into {}", plan.episodes.len(), folder.display());
    let mut results = Vec::new();
    let mut lane: Option<Lane> = None;
    for (index, planned) in plan.episodes.iter().enumerate() {
        let policy = policies
            .get(planned.policy)
            .ok_or_else(|| anyhow!("the plan names no policy"))?;
        eprintln!(
            "[{}/{}] {} in {} by {} …",
            index + 1,
            plan.episodes.len(),
            planned.task.manifest.folder_name(),
            planned.mode,
            policy.descriptor.name
        );
        let seed = config.seed.for_trial(planned.trial);
        // What was recorded so far stands, and the other episodes still run.
        let prepared = match prepare(&planned.task, seed, &studio) {
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
        let trial = trial(&config, planned, policy, prepared, &folder);
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
        let interrupted = result.cause == dynacu_record::EndCause::Operator;
        results.push(result);
        if interrupted {
            break;
        }
    }
    if let Some(lane) = lane {
        lane.stop()
            .await
            .map_err(|error| CouldNotRun(error.into()))?;
    }
    info.ended = Some(now());
    dynacu_record::write_json(&folder.join("run.json"), &info)?;
    print(&folder, &results, json)?;
    let whole = results.len() == plan.episodes.len()
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
    task: Arc<Prepared>,
    folder: &Path,
) -> Trial {
    Trial {
        task,
        mode: planned.mode,
        number: planned.trial,
        pace: Duration::from_millis(config.pace_ms),
        fps: config.fps,
        gate: config.gate,
        burst: config.burst,
        folder: episode_folder(folder, &agent_name(&policy.descriptor.name), planned),
        earlier_infrastructure_errors: 0,
    }
}

/// Loads a policy and says what naming it grants.
async fn load_policy(
    engine: &Engine,
    home: &Home,
    name: &str,
    config: &RunConfig,
) -> Result<Policy> {
    let path = bundled::find(home, name)?;
    let bundled = path.parent() == Some(home.plugins_dist.as_path());
    let plugin = Plugin::load(engine, &path)?;
    match plugin.kind {
        PluginKind::Policy => {}
        PluginKind::Scorer => bail!(
            "{name} is a scorer: tasks name their scorers themselves; --plugin takes a policy"
        ),
        PluginKind::ModelAdapter => bail!(
            "{name} is a model adapter, and no policy in this run asks a model: name a policy as well, or use the bundled reference"
        ),
    }
    let descriptor = plugin.describe_policy().await.map_err(|failure| {
        anyhow!(
            "{name} cannot say what it is: {} ({})",
            failure.detail,
            failure.kind.cause()
        )
    })?;
    if descriptor.needs_model {
        bail!("{name} asks a model, and this run has no model adapter: name one with --plugin");
    }
    let allowed = |assist: &str, asked: bool| -> Result<bool> {
        if asked && !bundled && !config.grants.iter().any(|grant| grant == assist) {
            bail!("{name} asks for `{assist}`: allow it with --grant {assist}");
        }
        Ok(asked)
    };
    let reading = allowed("reading", descriptor.channels.contains(Channels::READING))?;
    let solution = allowed("solution", descriptor.channels.contains(Channels::SOLUTION))?;
    let settings = config.settings.get(&descriptor.name).map_or_else(
        || Ok("{}".to_owned()),
        |table| {
            serde_json::to_string(table).context("the plugin's settings cannot be written as JSON")
        },
    )?;
    let memory = allowed("memory", plugin.manifest.memory_needs_grant())?;
    let policy = Policy {
        plugin,
        descriptor,
        settings,
        reading,
        solution,
        memory,
    };
    eprintln!("{name}: {}", asks(&policy));
    Ok(policy)
}

fn asks(policy: &Policy) -> String {
    let mut all = policy.grants(crate::mode::Mode::AoiInteractive).names();
    all.extend(policy.assists());
    if all.is_empty() {
        "asks for nothing beyond screenshots".to_owned()
    } else {
        format!(
            "asks for {} (a mode grants no more than its own channels)",
            all.join(", ")
        )
    }
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
    plan: &Plan,
    policies: &[Policy],
    bench: &Bench,
) -> Result<RunInfo> {
    let mut tasks: Vec<_> = plan.episodes.iter().map(|planned| &planned.task).collect();
    tasks.sort_by(|a, b| a.manifest.id.cmp(&b.manifest.id));
    tasks.dedup_by(|a, b| a.manifest.id == b.manifest.id);
    let mut modes: Vec<String> = plan
        .episodes
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
        plugins: policies
            .iter()
            .map(|policy| PluginFile {
                name: policy.descriptor.name.clone(),
                kind: "policy".to_owned(),
                version: policy.descriptor.version.clone(),
                sha256: policy.plugin.sha256.clone(),
                grants: policy.assists(),
            })
            .collect(),
        models: machine::models()?,
        task_set: machine::digest(&folders)?,
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
    })
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}
