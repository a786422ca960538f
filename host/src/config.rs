//! What to run: defaults, then `--config run.toml`, then flags.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use self::model::{ModelArguments, ModelConfig, ModelTable};
use crate::mode::ModeChoice;
use crate::perception::keyframe::GateKind;
use crate::perception::recognizer::{RecognizerChoice, RemoteSettings};
use crate::task::manifest::Tier;
use crate::task::variant::Seed;

pub mod model;

/// Two observations are at least this far apart: the specification's interval of a screenshot-only agent.
pub const DEFAULT_PACE_MS: u64 = 5_000;
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
}

/// A whole run.
#[derive(Debug, Clone)]
pub struct RunConfig {
    pub groups: Vec<Group>,
    pub seed: Seed,
    pub trials: u32,
    /// The run folder; a fresh one under `runs/` if none.
    pub out: Option<PathBuf>,
    pub pace_ms: u64,
    pub fps: f32,
    pub gate: GateKind,
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
    pub gate: Option<String>,
    pub burst: bool,
    pub recognizer: Option<String>,
    pub settings: Option<PathBuf>,
    pub grants: Vec<String>,
    pub model: ModelArguments,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ConfigFile {
    schema: u32,
    #[serde(default)]
    seed: Option<toml::Value>,
    trials: Option<u32>,
    out: Option<PathBuf>,
    /// Seconds.
    pace: Option<f64>,
    fps: Option<f32>,
    gate: Option<String>,
    /// `base`, `tiny` or `remote`.
    recognizer: Option<String>,
    remote_recognizer: Option<RemoteSettings>,
    #[serde(default)]
    burst: bool,
    #[serde(default)]
    grant: Vec<String>,
    #[serde(default)]
    group: Vec<GroupTable>,
    #[serde(default)]
    models: ModelTable,
    #[serde(default)]
    settings: toml::Table,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupTable {
    plugin: OneOrMore,
    #[serde(default)]
    model: Vec<String>,
    #[serde(default)]
    task: Vec<String>,
    #[serde(default)]
    category: Vec<String>,
    #[serde(default)]
    tier: Vec<String>,
    #[serde(default)]
    mode: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn list(&self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::More(list) => list.clone(),
        }
    }
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

impl RunConfig {
    /// Merges; flags win over the file.
    pub fn resolve(flags: Flags) -> Result<RunConfig> {
        let file = match &flags.config {
            Some(path) => {
                let file: ConfigFile = read_toml(path)?;
                if file.schema != 1 {
                    bail!(
                        "{} has schema {}, this host reads schema 1",
                        path.display(),
                        file.schema
                    );
                }
                file
            }
            None => ConfigFile::default(),
        };
        let mut groups = Vec::new();
        for group in &file.group {
            groups.push(Group {
                plugins: group.plugin.list(),
                models: if flags.model.model.is_empty() {
                    group.model.clone()
                } else {
                    flags.model.model.clone()
                },
                tasks: group.task.clone(),
                categories: categories(&group.category)?,
                tiers: tiers(&group.tier)?,
                modes: modes(&group.mode)?,
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
        let trials = flags.trials.or(file.trials).unwrap_or(1);
        if trials == 0 {
            bail!("--trials must be at least 1");
        }
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
            trials,
            out: flags.out.or(file.out),
            pace_ms,
            fps,
            gate: match flags.gate.or(file.gate) {
                Some(name) => name.parse().map_err(anyhow::Error::msg)?,
                None => GateKind::Local,
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
