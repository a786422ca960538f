//! What to run: defaults, then `--config run.toml`, then flags.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::file::ConfigFile;
use self::inference::{ModelArguments, ModelConfig};
use crate::mode::ModeChoice;
use crate::perception::keyframe::GateKind;
use crate::perception::recognizer::RecognizerChoice;
use crate::task::foreign::Page;
use crate::task::manifest::Tier;
use crate::task::variant::Seed;

mod file;
pub mod inference;

pub use file::recorded;

/// Seconds that a page of somebody else gives unless told otherwise.
pub const PAGE_LIMIT: u64 = 120;
/// More isolated desktops than this are a mistake rather than a wish.
pub const MOST_LANES: usize = 64;

/// Two observations are at least this far apart: the specification's interval of a screenshot-only agent.
pub const DEFAULT_PACE_MS: u64 = 5_000;
/// What decides which frames are kept.
pub const DEFAULT_GATE: GateKind = GateKind::Local;
/// Frames captured a second.
pub const DEFAULT_FPS: f32 = 3.0;

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

/// How many isolated desktops run episodes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    Fixed(usize),
    /// As many as keep capture and recognition within their time on this machine.
    Auto,
}

impl std::str::FromStr for Lanes {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.parse() {
            _ if text == "auto" => Ok(Self::Auto),
            Ok(count) if (1..=MOST_LANES).contains(&count) => Ok(Self::Fixed(count)),
            _ => bail!("--lanes {text}: use a number from 1 to {MOST_LANES}, or auto"),
        }
    }
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
    /// Instead of tasks.
    pub page: Option<Page>,
    /// Captures also when something is drawn, at most ten a second.
    pub burst: bool,
    /// Who recognises speech for the policy.
    pub recognizer: RecognizerChoice,
    /// Tables for plugins, by plugin name.
    pub settings: toml::Table,
    /// What is allowed beyond naming a plugin: `reading`, `solution`, `memory`, `scratch`.
    pub grants: Vec<String>,
    pub model: ModelConfig,
}

/// What was typed.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    pub config: Option<PathBuf>,
    /// The configuration that `run.json` of a run has: what a resumed run starts from where no file is named.
    pub recorded: Option<serde_json::Value>,
    pub plugins: Vec<String>,
    pub tasks: Vec<String>,
    pub categories: Vec<String>,
    pub tiers: Vec<String>,
    pub modes: Vec<String>,
    pub seed: Option<String>,
    pub trials: Option<u32>,
    pub out: Option<PathBuf>,
    pub pace: Option<f64>,
    pub fps: Option<f32>,
    pub gates: Vec<String>,
    pub lanes: Option<String>,
    pub page: Option<Page>,
    pub burst: bool,
    pub recognizer: Option<String>,
    pub settings: Option<PathBuf>,
    pub grants: Vec<String>,
    pub model: ModelArguments,
}

fn modes(names: &[String]) -> Result<Vec<ModeChoice>> {
    if names.is_empty() {
        return Ok(vec![ModeChoice::Fixed(crate::mode::Mode::AoiInteractive)]);
    }
    names.iter().map(|name| Ok(name.parse()?)).collect()
}

fn categories(names: &[String]) -> Result<Vec<char>> {
    let category = |name: &String| match name.to_ascii_uppercase().as_bytes() {
        [letter @ b'A'..=b'J'] => Ok(char::from(*letter)),
        _ => bail!("there is no category {name}: use A to J"),
    };
    names.iter().map(category).collect()
}

fn tiers(names: &[String]) -> Result<Vec<Tier>> {
    let tier = |name: &String| {
        [Tier::Easy, Tier::Medium, Tier::Hard]
            .into_iter()
            .find(|tier| tier.name() == name.as_str())
            .with_context(|| format!("there is no tier {name}: use easy, medium, hard"))
    };
    names.iter().map(tier).collect()
}

pub(crate) fn read_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is not what was expected", path.display()))
}

/// The keyframe gates by name, each once; the default where none is named.
fn gates(names: &[String]) -> Result<Vec<GateKind>> {
    let mut gates = Vec::new();
    for name in names {
        let gate: GateKind = name.parse().map_err(anyhow::Error::msg)?;
        if !gates.contains(&gate) {
            gates.push(gate);
        }
    }
    if gates.is_empty() {
        gates.push(DEFAULT_GATE);
    }
    gates.sort_by_key(|gate| *gate != DEFAULT_GATE);
    Ok(gates)
}

/// What was typed, or else what the file says.
fn named<'a>(typed: &'a [String], written: &'a [String]) -> &'a [String] {
    if typed.is_empty() { written } else { typed }
}

/// What flags are laid over: a file, or the record of the run that is resumed.
fn base(flags: &Flags) -> Result<ConfigFile> {
    let (file, name): (ConfigFile, String) = match (&flags.config, &flags.recorded) {
        (Some(path), _) => (read_toml(path)?, path.display().to_string()),
        (None, Some(recorded)) => {
            let file = serde_json::from_value(recorded.clone()).context(
                "run.json holds no configuration that this host can read: it was written by another version, so start a new run",
            )?;
            (file, "run.json".to_owned())
        }
        (None, None) => return Ok(ConfigFile::default()),
    };
    if file.schema != 1 {
        bail!(
            "{name} has schema {}, this host reads schema 1",
            file.schema
        );
    }
    Ok(file)
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

    /// Merges; flags win over the file.
    pub fn resolve(flags: Flags) -> Result<RunConfig> {
        let file = base(&flags)?;
        let trials = |of_group| match flags.trials.or(of_group).or(file.trials).unwrap_or(1) {
            0 => bail!("--trials must be at least 1"),
            trials => Ok(trials),
        };
        let mut groups = Vec::new();
        for group in &file.group {
            groups.push(Group {
                plugins: group.plugin.list(),
                models: named(&flags.model.model, &group.model).to_vec(),
                tasks: named(&flags.tasks, &group.task).to_vec(),
                categories: categories(named(&flags.categories, &group.category))?,
                tiers: tiers(named(&flags.tiers, &group.tier))?,
                modes: modes(named(&flags.modes, &group.mode))?,
                trials: trials(group.trials)?,
            });
        }
        if !flags.plugins.is_empty() {
            groups = vec![Group {
                plugins: flags.plugins.clone(),
                models: flags.model.model.clone(),
                tasks: flags.tasks.clone(),
                categories: categories(&flags.categories)?,
                tiers: tiers(&flags.tiers)?,
                modes: modes(&flags.modes)?,
                trials: trials(None)?,
            }];
        }
        if groups.iter().all(|group| group.plugins.is_empty()) {
            bail!(
                "nothing to run: name a policy or a model adapter, for example `--plugin reference`, or see `dynacu-host --help`"
            );
        }
        let seed = match (&flags.seed, &file.seed) {
            (Some(text), _) => text.parse().map_err(anyhow::Error::msg)?,
            (None, Some(toml::Value::String(text))) => text.parse().map_err(anyhow::Error::msg)?,
            (None, Some(value)) => value.to_string().parse().map_err(anyhow::Error::msg)?,
            (None, None) => Seed::default(),
        };
        let fps = flags.fps.or(file.fps).unwrap_or(DEFAULT_FPS);
        if !(0.5..=10.0).contains(&fps) {
            bail!("--fps must be from 0.5 to 10");
        }
        let pace_ms = match flags.pace.or(file.pace) {
            None => DEFAULT_PACE_MS,
            Some(seconds) if (0.0..=60.0).contains(&seconds) => (seconds * 1000.0).round() as u64,
            Some(_) => bail!("--pace must be from 0 to 60 seconds"),
        };
        let model = ModelConfig::resolve(&flags.model, file.models)?;
        let settings = match &flags.settings {
            Some(path) => read_toml(path)?,
            None => file.settings,
        };
        if let Some((key, _)) = settings.iter().find(|(_, value)| !value.is_table()) {
            bail!("settings: `{key}` stands in no table: put it under [NAME OF THE PLUGIN]");
        }
        Ok(RunConfig {
            groups,
            seed,
            out: flags.out.or(file.out),
            pace_ms,
            fps,
            gates: gates(&if flags.gates.is_empty() {
                file.gate.map_or_else(Vec::new, |gate| gate.list())
            } else {
                flags.gates
            })?,
            lanes: match (flags.lanes, file.lanes) {
                (Some(text), _) | (None, Some(toml::Value::String(text))) => text.parse()?,
                (None, Some(value)) => value.to_string().parse()?,
                (None, None) => Lanes::Fixed(1),
            },
            page: match (flags.page, file.page) {
                (Some(page), _) => Some(page),
                (None, Some(page)) => Some(page.page()?),
                (None, None) => None,
            },
            burst: flags.burst || file.burst,
            recognizer: match flags.recognizer.or(file.recognizer) {
                Some(name) => RecognizerChoice::named(&name, file.remote_recognizer)?,
                None => RecognizerChoice::default(),
            },
            settings,
            grants: if flags.grants.is_empty() {
                file.grant
            } else {
                flags.grants
            },
            model,
        })
    }
}

#[cfg(test)]
mod tests;
