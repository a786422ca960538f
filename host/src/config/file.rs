//! A run's configuration as a file: what `--config` reads, and what `run.json` keeps for `--resume`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize, Serializer};

use super::inference::ModelTable;
use super::{Group, Lanes, RunConfig};
use crate::mode::ModeChoice;
use crate::perception::recognizer::{RecognizerChoice, RemoteSettings};
use crate::task::foreign::Page;

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ConfigFile {
    pub schema: u32,
    #[serde(default)]
    pub seed: Option<toml::Value>,
    pub trials: Option<u32>,
    pub out: Option<PathBuf>,
    /// A number, or `auto`.
    pub lanes: Option<toml::Value>,
    /// Seconds.
    pub pace: Option<f64>,
    pub fps: Option<f32>,
    pub gate: Option<OneOrMore>,
    /// `base`, `tiny` or `remote`.
    pub recognizer: Option<String>,
    #[serde(serialize_with = "remote")]
    pub remote_recognizer: Option<RemoteSettings>,
    #[serde(default)]
    pub burst: bool,
    #[serde(default)]
    pub grant: Vec<String>,
    #[serde(default)]
    pub group: Vec<GroupTable>,
    pub page: Option<PageTable>,
    #[serde(default)]
    pub models: ModelTable,
    #[serde(default)]
    pub settings: toml::Table,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupTable {
    pub plugin: OneOrMore,
    #[serde(default)]
    pub model: Vec<String>,
    #[serde(default)]
    pub task: Vec<String>,
    #[serde(default)]
    pub category: Vec<String>,
    #[serde(default)]
    pub tier: Vec<String>,
    #[serde(default)]
    pub mode: Vec<String>,
    pub trials: Option<u32>,
}

/// Instead of tasks, a page of somebody else.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PageTable {
    file: PathBuf,
    instruction: String,
    success: String,
    /// Seconds.
    time_limit: Option<u64>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub fn list(&self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::More(list) => list.clone(),
        }
    }
}

impl PageTable {
    pub fn page(self) -> Result<Page> {
        let seconds = self.time_limit.unwrap_or(super::PAGE_LIMIT);
        if !(1..=3600).contains(&seconds) {
            bail!("a page's time-limit must be from 1 to 3600 seconds");
        }
        Ok(Page {
            file: self.file,
            instruction: self.instruction,
            success: self.success,
            time_limit: Duration::from_secs(seconds),
        })
    }
}

/// Its type knows how to be read only.
fn remote<S: Serializer>(
    settings: &Option<RemoteSettings>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    settings
        .as_ref()
        .map(|settings| {
            BTreeMap::from([
                ("url", Some(&settings.url)),
                ("model", Some(&settings.model)),
                ("key-variable", settings.key_variable.as_ref()),
            ])
        })
        .serialize(serializer)
}

/// The configuration as one value: read back by [`RunConfig::resolve`] it gives the same run. The run folder is not in it,
/// because the value lies in that folder.
///
/// # Errors
/// A plugin's settings hold what JSON cannot say.
pub fn recorded(config: &RunConfig) -> Result<serde_json::Value> {
    let file = ConfigFile {
        schema: 1,
        seed: Some(toml::Value::String(config.seed.to_string())),
        trials: None,
        out: None,
        lanes: Some(match config.lanes {
            Lanes::Auto => toml::Value::String("auto".to_owned()),
            Lanes::Fixed(count) => toml::Value::Integer(i64::try_from(count)?),
        }),
        pace: Some(config.pace_ms as f64 / 1000.0),
        fps: Some(config.fps),
        gate: Some(OneOrMore::More(
            config
                .gates
                .iter()
                .map(|gate| gate.name().to_owned())
                .collect(),
        )),
        recognizer: Some(
            match config.recognizer {
                RecognizerChoice::Base => "base",
                RecognizerChoice::Tiny => "tiny",
                RecognizerChoice::Remote(_) => "remote",
            }
            .to_owned(),
        ),
        remote_recognizer: match &config.recognizer {
            RecognizerChoice::Remote(settings) => Some(settings.clone()),
            _ => None,
        },
        burst: config.burst,
        grant: config.grants.clone(),
        group: config.groups.iter().map(group).collect(),
        page: config.page.as_ref().map(|page| PageTable {
            file: page.file.clone(),
            instruction: page.instruction.clone(),
            success: page.success.clone(),
            time_limit: Some(page.time_limit.as_secs()),
        }),
        models: ModelTable::of(&config.model),
        settings: config.settings.clone(),
    };
    Ok(serde_json::to_value(file)?)
}

fn group(group: &Group) -> GroupTable {
    GroupTable {
        plugin: OneOrMore::More(group.plugins.clone()),
        model: group.models.clone(),
        task: group.tasks.clone(),
        category: group.categories.iter().map(char::to_string).collect(),
        tier: group
            .tiers
            .iter()
            .map(|tier| tier.name().to_owned())
            .collect(),
        mode: group
            .modes
            .iter()
            .map(|mode| match mode {
                ModeChoice::Fixed(mode) => mode.name().to_owned(),
                ModeChoice::Needs => "needs".to_owned(),
            })
            .collect(),
        trials: Some(group.trials),
    }
}
