//! What a run can be told. The same tables are the flags of the command line, the file of `--config`, and `config` in
//! `run.json`, from which a run is resumed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use serde::{Deserialize, Serialize, Serializer};

use super::choices::{Category, Lanes, Recognizer};
use super::grants::Grant;
use super::inference::ModelSettings;
use super::layers::{Over, layered};
use super::pages::{PageSet, PageSettings, page_set, pages};
use super::read_toml;
use super::values::{Fps, Name, Pace, SCHEMA, Trials, number_or_text, one_or_more};
use crate::mode::ModeChoice;
use crate::perception::keyframe::GateKind;
use crate::perception::recognizer::RemoteSettings;
use crate::task::manifest::Tier;
use crate::task::variant::Seed;

/// All settings of a run. A field's comment is its help; what `--help` cannot set belongs to files alone.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSettings {
    /// Every file and every record has it.
    #[arg(skip)]
    pub schema: Option<u32>,
    /// What was typed: laid over each group, or a group of its own where it names a plugin.
    #[command(flatten)]
    #[serde(skip)]
    pub typed: GroupSettings,
    #[arg(skip)]
    pub group: Vec<GroupSettings>,
    /// Of the groups that have none of their own.
    #[arg(skip)]
    pub trials: Option<Trials>,
    /// The seed of the first trial: a whole number, or 32 hexadecimal digits [default: 0]
    #[arg(long)]
    #[serde(deserialize_with = "number_or_text")]
    pub seed: Option<Seed>,
    /// The run folder, which must not exist yet [default: a new one under runs/]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Isolated desktops that run episodes in parallel: a number, or auto for as many as this machine can keep up with [default: 1]
    #[arg(long, value_name = "N|auto")]
    #[serde(deserialize_with = "number_or_text")]
    pub lanes: Option<Lanes>,
    /// A TOML file with one table of settings for each plugin
    #[arg(long, value_name = "FILE", value_parser = plugin_tables())]
    pub settings: Option<toml::Table>,
    /// Allows what a plugin asks for: reading, solution, memory, scratch; for an adapter that does not come with the host,
    /// also host=HOST and secret=VARIABLE@HOST
    #[arg(long, value_delimiter = ',')]
    pub grant: Vec<Grant>,
    /// Seconds between two observations [default: 5]
    #[arg(long)]
    pub pace: Option<Pace>,
    /// Frames captured per second [default: 3]
    #[arg(long)]
    pub fps: Option<Fps>,
    /// Keyframe gates; all except local and spec are for ablations [default: local]
    #[arg(long, value_delimiter = ',')]
    #[serde(deserialize_with = "one_or_more")]
    pub gate: Vec<Name<GateKind>>,
    /// Also captures when something is drawn between two frames, at most ten times a second
    #[arg(long)]
    pub burst: bool,
    /// The speech recogniser for the policy (remote: see docs/records.md) [default: base]
    #[arg(long)]
    pub recognizer: Option<Name<Recognizer>>,
    #[arg(skip)]
    #[serde(serialize_with = "remote")]
    pub remote_recognizer: Option<RemoteSettings>,
    #[command(flatten)]
    pub page: Option<PageSettings>,
    /// Instead of tasks: a TOML file of several pages, one table for each (docs/tasks.md)
    #[arg(
        long,
        value_name = "FILE",
        value_parser = page_set(),
        conflicts_with_all = ["page", "task", "category", "tier"]
    )]
    pub pages: Option<PageSet>,
    #[command(flatten)]
    pub models: ModelSettings,
}

layered!(RunSettings {
    schema,
    typed,
    group,
    trials,
    seed,
    out,
    lanes,
    settings,
    grant,
    pace,
    fps,
    gate,
    burst,
    recognizer,
    remote_recognizer,
    page,
    pages,
    models,
});

/// Some plugins on some tasks in some modes: a `[[group]]` of a file.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GroupSettings {
    /// A policy or a model adapter: a .wasm file, or the name of a bundled one; may be repeated. Without a policy, each
    /// mode's own policy asks the adapters
    #[arg(long)]
    #[serde(deserialize_with = "one_or_more")]
    pub plugin: Vec<String>,
    /// A model for policies that ask one, by its provider's name or as ADAPTER/NAME; may be repeated [default: the
    /// adapter's first]
    #[arg(long, value_delimiter = ',')]
    pub model: Vec<String>,
    /// Tasks, by id or folder name; all if none is given
    #[arg(long, value_delimiter = ',')]
    pub task: Vec<String>,
    /// Categories; all if none is given
    #[arg(long, value_delimiter = ',', ignore_case = true)]
    pub category: Vec<Name<Category>>,
    /// Tiers; all if none is given
    #[arg(long, value_delimiter = ',')]
    pub tier: Vec<Name<Tier>>,
    /// Modes; needs is the least mode that can solve the task [default: aoi_interactive]
    #[arg(long, value_delimiter = ',')]
    pub mode: Vec<Name<ModeChoice>>,
    /// Attempts at each task; trial k uses seed + k - 1 [default: 1]
    #[arg(long)]
    pub trials: Option<Trials>,
}

layered!(GroupSettings {
    plugin,
    model,
    task,
    category,
    tier,
    mode,
    trials,
});

impl Over for Vec<GroupSettings> {
    fn over(self, below: Self) -> Self {
        if self.is_empty() { below } else { self }
    }
}

impl RunSettings {
    /// As if these plugins, and nothing else, had been typed.
    #[must_use]
    pub fn of_plugins(names: &[&str]) -> Self {
        Self {
            typed: GroupSettings {
                plugin: names.iter().map(|name| (*name).to_owned()).collect(),
                ..GroupSettings::default()
            },
            ..Self::default()
        }
    }

    /// A run's file.
    ///
    /// # Errors
    /// It cannot be read, or says what cannot be; the error names it.
    pub fn read(path: &Path) -> Result<Self> {
        let settings: Self = read_toml(path)?;
        settings.whole().with_context(|| path.display().to_string())
    }

    /// The `config` of a run's `run.json`.
    ///
    /// # Errors
    /// Another version wrote it.
    pub fn from_record(config: &serde_json::Value) -> Result<Self> {
        let settings: Self = Deserialize::deserialize(config).context(
            "run.json holds no configuration that this host can read: it was written by another version, so start a new run",
        )?;
        settings.whole().context("run.json")
    }

    /// What a file has to say, and a command line need not.
    fn whole(mut self) -> Result<Self> {
        match self.schema {
            Some(SCHEMA) => {}
            Some(other) => bail!("schema {other}, this host reads schema {SCHEMA}"),
            None => bail!("`schema = {SCHEMA}` is missing"),
        }
        if let Some(index) = self.group.iter().position(|group| group.plugin.is_empty()) {
            bail!("[[group]] {} names no plugin", index + 1);
        }
        pages(self.page.as_mut(), self.pages.as_mut())?;
        Ok(self)
    }
}

/// Reads the file of `--settings` where its name is parsed: from there on a table is a table, wherever it was written.
pub fn plugin_tables() -> impl TypedValueParser<Value = toml::Table> {
    PathBufValueParser::new().try_map(|path| read_toml(&path).map_err(|error| format!("{error:#}")))
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
