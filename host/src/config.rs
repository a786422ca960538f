//! What to run: defaults, then `--config run.toml` or the record of the run that is resumed, then flags.
//!
//! A setting is a field of a table in [`settings`], which is flag, key of the file and key of the record at once, and a
//! field of [`RunConfig`], which [`RunConfig::resolve`] fills.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::choices::{Category, Recognizer};
use self::grants::Grant;
use self::inference::ModelConfig;
use self::layers::Over;
use self::settings::{GroupSettings, RunSettings};
use self::values::{Fps, Name, Named, Pace, SCHEMA, Trials};
use crate::mode::{Mode, ModeChoice};
use crate::perception::keyframe::GateKind;
use crate::perception::recognizer::RecognizerChoice;
use crate::task::foreign::Page;
use crate::task::manifest::Tier;
use crate::task::variant::Seed;

pub mod choices;
pub mod grants;
pub mod inference;
mod layers;
pub mod pages;
pub mod settings;
pub mod values;

pub use choices::Lanes;

/// More isolated desktops than this are a mistake rather than a wish.
pub const MOST_LANES: usize = 64;

/// Two observations are at least this far apart: the specification's interval of a screenshot-only agent.
pub const DEFAULT_PACE_MS: u64 = 5_000;
/// What decides which frames are kept.
pub const DEFAULT_GATE: GateKind = GateKind::Local;
/// Frames captured a second.
pub const DEFAULT_FPS: f32 = 3.0;
/// What a group without a mode is run in.
const DEFAULT_MODE: ModeChoice = ModeChoice::Fixed(Mode::AoiInteractive);

/// Some plugins on some tasks in some modes.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Files, or names of bundled plugins: policies, and the adapters that they ask. Where there are adapters alone,
    /// each mode's own policy asks them.
    pub plugins: Vec<String>,
    /// Models for policies that ask one; each adapter's first if empty.
    pub models: Vec<String>,
    /// Task ids or folder names; empty for all.
    pub tasks: Vec<String>,
    /// Category letters; empty for all.
    pub categories: Vec<char>,
    /// Empty for all.
    pub tiers: Vec<Tier>,
    pub modes: Vec<ModeChoice>,
    /// How often each episode is run.
    pub trials: u32,
}

/// A whole run.
#[derive(Debug, Clone)]
pub struct RunConfig {
    pub groups: Vec<Group>,
    pub seed: Seed,
    /// The run folder; a fresh one under `runs/` if none.
    pub out: Option<PathBuf>,
    pub pace_ms: u64,
    pub fps: f32,
    /// The keyframe gates, the default first where it is among them; never empty.
    pub gates: Vec<GateKind>,
    pub lanes: Lanes,
    /// Instead of tasks; none where the run is one of tasks.
    pub pages: Vec<Page>,
    /// Captures also when something is drawn, at most ten a second.
    pub burst: bool,
    /// Who recognises speech for the policy.
    pub recognizer: RecognizerChoice,
    /// Tables for plugins, by plugin name.
    pub settings: toml::Table,
    /// What is allowed beyond naming a plugin: `reading`, `solution`, `memory`, `scratch`.
    pub grants: Vec<Grant>,
    pub model: ModelConfig,
    /// The settings that give this run again, defaults included.
    recorded: RunSettings,
}

pub(crate) fn read_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} does not fit this program", path.display()))
}

/// What the names stand for.
fn named<T: Copy>(names: &[Name<T>]) -> Vec<T> {
    names.iter().map(|name| name.0).collect()
}

/// The keyframe gates, each once, the default first; it alone where none is named.
fn gates(names: &[Name<GateKind>]) -> Vec<GateKind> {
    let mut gates = Vec::new();
    for gate in named(names) {
        if !gates.contains(&gate) {
            gates.push(gate);
        }
    }
    if gates.is_empty() {
        gates.push(DEFAULT_GATE);
    }
    gates.sort_by_key(|gate| *gate != DEFAULT_GATE);
    gates
}

/// The groups, with what was typed laid over each; or the one that was typed.
fn groups(typed: GroupSettings, written: Vec<GroupSettings>) -> Vec<GroupSettings> {
    if typed.plugin.is_empty() {
        let lay = |group| typed.clone().over(group);
        written.into_iter().map(lay).collect()
    } else {
        vec![typed]
    }
}

impl Group {
    /// Fills in what the group does not say.
    fn resolve(settings: &mut GroupSettings, of_the_run: Option<Trials>) -> Group {
        let trials = *settings
            .trials
            .get_or_insert(of_the_run.unwrap_or(Trials::DEFAULT));
        if settings.mode.is_empty() {
            settings.mode.push(Name(DEFAULT_MODE));
        }
        Group {
            plugins: settings.plugin.clone(),
            models: settings.model.clone(),
            tasks: settings.task.clone(),
            categories: named(&settings.category)
                .into_iter()
                .filter_map(Category::letter)
                .collect(),
            tiers: named(&settings.tier),
            modes: named(&settings.mode),
            trials: trials.get(),
        }
    }
}

impl RunConfig {
    /// Trials of the group that has most.
    #[must_use]
    pub fn trials(&self) -> u32 {
        self.groups
            .iter()
            .map(|group| group.trials)
            .max()
            .unwrap_or(1)
    }

    /// Lays the flags over a file or a record (or over nothing), fills in the defaults, and checks what single values cannot
    /// know.
    ///
    /// # Errors
    /// No plugin is named, or two settings do not go together.
    pub fn resolve(flags: RunSettings, mut base: RunSettings) -> Result<RunConfig> {
        if flags.page.is_some() || flags.pages.is_some() {
            (base.page, base.pages) = (None, None);
        }
        let mut all = flags.over(base);
        all.schema = Some(SCHEMA);
        all.group = groups(std::mem::take(&mut all.typed), all.group);
        if all.group.is_empty() {
            bail!(
                "nothing to run: name a policy or a model adapter, for example `--plugin reference`, or see `dynacu-host --help`"
            );
        }
        let trials = all.trials.take();
        let resolve = |group| Group::resolve(group, trials);
        let groups = all.group.iter_mut().map(resolve).collect();
        let gates = gates(&all.gate);
        all.gate = gates.iter().copied().map(Name).collect();
        let settings = all.settings.get_or_insert_default().clone();
        if let Some((key, _)) = settings.iter().find(|(_, value)| !value.is_table()) {
            bail!("settings: `{key}` is in no table: put it under [NAME OF THE PLUGIN]");
        }
        let recognizer = all.recognizer.get_or_insert(Name(Recognizer::Base)).0;
        if recognizer != Recognizer::Remote {
            all.remote_recognizer = None;
        }
        let pages = pages::pages(all.page.as_mut(), all.pages.as_mut())?;
        let pace = *all.pace.get_or_insert(Pace::DEFAULT);
        let fps = *all.fps.get_or_insert(Fps::DEFAULT);
        Ok(RunConfig {
            groups,
            seed: *all.seed.get_or_insert_default(),
            // It is in no record, because the record lies in that folder.
            out: all.out.take(),
            pace_ms: (pace.get() * 1000.0).round() as u64,
            fps: fps.get() as f32,
            gates,
            lanes: *all.lanes.get_or_insert(Lanes::Fixed(1)),
            pages,
            burst: all.burst,
            recognizer: RecognizerChoice::named(recognizer.name(), all.remote_recognizer.clone())?,
            settings,
            grants: all.grant.clone(),
            model: ModelConfig::resolve(&mut all.models),
            recorded: all,
        })
    }
}

/// The configuration as one value: read back by [`RunSettings::from_record`] it gives the same run.
///
/// # Errors
/// A plugin's settings hold what JSON cannot say.
pub fn recorded(config: &RunConfig) -> Result<serde_json::Value> {
    Ok(serde_json::to_value(&config.recorded)?)
}

#[cfg(test)]
mod tests;
