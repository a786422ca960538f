//! `run.json`: what a run is made of.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use dynacu_record::{PluginFile, RunInfo, SCHEMA};
use dynacu_runtime::{Engine, Plugin};

use super::agents::Crew;
use super::machine;
use super::plan::Planned;
use crate::bundled;
use crate::config::{self, RunConfig};
use crate::task::foreign;
use crate::task::home::Home;

/// Describes a run before its first episode. `encoder` is the name of the image encoder that was loaded.
///
/// # Errors
/// A file that belongs to the run cannot be read.
pub fn describe(
    config: &RunConfig,
    plan: &[Planned],
    crew: &Crew,
    engine: &Engine,
    home: &Home,
    encoder: &str,
) -> Result<RunInfo> {
    let mut tasks: Vec<_> = plan.iter().map(|planned| &planned.task).collect();
    tasks.sort_by(|a, b| a.manifest.id.cmp(&b.manifest.id));
    tasks.dedup_by(|a, b| a.manifest.id == b.manifest.id);
    let modes: BTreeSet<String> = plan
        .iter()
        .map(|planned| planned.mode.to_string())
        .collect();
    let folders: Vec<PathBuf> = tasks
        .iter()
        .map(|task| task.folder.clone())
        .chain([home.page_lib.clone()])
        .collect();
    let mut plugins = crew.files();
    if config.pages.is_empty() {
        let scorers: BTreeSet<&str> = tasks
            .iter()
            .map(|task| task.manifest.scorer.plugin.as_str())
            .collect();
        for name in scorers {
            plugins.push(scorer(engine, home, name)?);
        }
    }
    let gate = config
        .gates
        .first()
        .copied()
        .unwrap_or(config::DEFAULT_GATE);
    Ok(RunInfo {
        schema: SCHEMA,
        command: std::env::args().collect(),
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        host_commit: machine::commit(&home.root),
        plugins,
        models: machine::models()?,
        task_set: match config.pages.as_slice() {
            [] => machine::digest(&folders)?,
            pages => foreign::digest(pages)?,
        },
        machine: machine::describe(),
        tasks: tasks.iter().map(|task| task.manifest.id.clone()).collect(),
        modes: modes.into_iter().collect(),
        seed: config.seed.to_string(),
        trials: config.trials(),
        pace_ms: config.pace_ms,
        fps: config.fps,
        gate: gate.name().to_owned(),
        gates: config
            .gates
            .iter()
            .map(|gate| gate.name().to_owned())
            .collect(),
        pixel_threshold: gate.pixel_threshold(),
        semantic_threshold: gate.semantic_threshold(),
        burst: config.burst,
        encoder: encoder.to_owned(),
        recognizer: config.recognizer.to_string(),
        started: now(),
        resumed: Vec::new(),
        ended: None,
        lanes: 0,
        planned: plan.len(),
        config: config::recorded(config)?,
        inference: crew.inference_info(config),
    })
}

/// A changed judge makes another run as much as a changed policy does.
fn scorer(engine: &Engine, home: &Home, name: &str) -> Result<PluginFile> {
    let plugin = Plugin::load(engine, &bundled::bundled(home, name)?)?;
    Ok(PluginFile {
        name: plugin.name.clone(),
        kind: plugin.kind.name().to_owned(),
        version: plugin.version.clone(),
        sha256: plugin.sha256.clone(),
        grants: Vec::new(),
    })
}

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}
