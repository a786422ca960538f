//! `task.toml`: what a task is, what is drawn for it, what it says and shows, and who scores it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Background;
use super::template::{Template, ValuePath};

mod check;
pub mod field;
mod raw;
#[cfg(test)]
pub mod tests;

pub use field::{Field, Kind};
pub use raw::Spoken;

/// What a task names whose scorer is the component `scorer.wasm` in its own folder.
pub const OWN_SCORER: &str = "./scorer";

/// The one version of `task.toml` that this host reads.
pub const SCHEMA: u32 = 1;

/// A checked manifest: every placeholder in it names a value that will exist.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// For example `A-E1`: category, tier, number.
    pub id: String,
    pub slug: String,
    pub title: String,
    /// `A` to `J`.
    pub category: char,
    pub tier: Tier,
    pub axes: Vec<Axis>,
    /// The least grants that can solve the task.
    pub needs: Needs,
    pub instruction: Template,
    pub time_limit: Duration,
    /// Observations that a policy may take.
    pub step_limit: u32,
    /// False for a task that does not tell modes apart; such tasks are reported on their own.
    pub separates: bool,
    pub fields: BTreeMap<String, Field>,
    /// Names of `fields`, each after those it depends on.
    pub order: Vec<String>,
    pub speech: Vec<Speech>,
    pub moments: Vec<Moment>,
    /// Lasting values, which the page loads before the start.
    pub page_values: Vec<ValuePath>,
    /// Transient values by the name under which the page asks for them at their moment; strings are templates.
    pub reveals: BTreeMap<String, serde_json::Value>,
    pub scorer: ScorerChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    Easy,
    Medium,
    Hard,
}

impl Tier {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }

    /// Its letter in a task's id.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Easy => 'E',
            Self::Medium => 'M',
            Self::Hard => 'H',
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    Audio,
    VisualTemporal,
    RealTime,
}

impl Axis {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Audio => "audio",
            Self::VisualTemporal => "visual-temporal",
            Self::RealTime => "real-time",
        }
    }
}

/// A mode by name, as in `needs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    Standard,
    AoiAudio,
    AoiVisual,
    AoiFull,
    AoiInteractive,
}

impl Needs {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::AoiAudio => "aoi_audio",
            Self::AoiVisual => "aoi_visual",
            Self::AoiFull => "aoi_full",
            Self::AoiInteractive => "aoi_interactive",
        }
    }
}

/// One clip, before its placeholders are filled.
#[derive(Debug, Clone)]
pub struct Speech {
    pub id: String,
    /// Who says what, one after the other; never empty.
    pub turns: Vec<SpeechTurn>,
    pub background: Option<Background>,
    /// Whether it comes over a telephone line.
    pub telephone: bool,
    /// What a listener must take from the clip; if the manifest names nothing, the placeholders of the text.
    pub entities: Vec<ValuePath>,
}

/// One speaker's words, before their placeholders are filled.
#[derive(Debug, Clone)]
pub struct SpeechTurn {
    /// A Kokoro voice, for example `am_michael`.
    pub voice: String,
    pub text: Template,
    /// 1 is the voice's own speed.
    pub speed: f32,
    /// Silence before it, in seconds.
    pub pause: f32,
}

/// Page truth: what the page shows or says, and reports with `mark(name)` when it does.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    pub name: String,
    pub channel: MomentChannel,
    /// How long it is up; always given for the screen.
    pub seconds: Option<f64>,
    /// Whether the task cannot be solved without it.
    pub needed: bool,
    /// What it comes after; none where the manifest does not say when it comes.
    pub after: Option<After>,
    /// Seconds from there to its beginning: the least and the most.
    pub delay: (f64, f64),
    /// How often it comes; each time tells something.
    pub times: u32,
    /// Seconds from one of its times to the next, where there are several: the least and the most.
    pub every: (f64, f64),
    /// The values that it tells.
    pub tells: Vec<ValuePath>,
}

/// From where a moment's delay counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// The page's start signal.
    Start,
    /// Something that the agent does, when it likes.
    Act,
    /// The beginning of an earlier moment (its last time).
    Moment(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MomentChannel {
    Audio,
    Screen,
}

#[derive(Debug, Clone)]
pub struct ScorerChoice {
    /// A shared scorer's name, or `./scorer` for the component `scorer.wasm` in the task's folder.
    pub plugin: String,
    /// Passed to the scorer; strings are templates.
    pub settings: serde_json::Value,
}

/// Why a manifest cannot be used, in one line.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("cannot read {}: {source}; a task folder holds a task.toml", file.display())]
    Unreadable {
        file: PathBuf,
        source: std::io::Error,
    },
    #[error("{}:{line}: {message}", file.display())]
    Invalid {
        file: PathBuf,
        line: usize,
        message: String,
    },
}

/// A fault and where in the text it is, in bytes.
#[derive(Debug)]
struct Problem {
    at: Range<usize>,
    message: String,
}

impl Problem {
    fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }
}

impl Manifest {
    /// Reads `task.toml` of a task folder, whose name must be `<id>-<slug>`.
    ///
    /// # Errors
    /// The file cannot be read, or breaks a rule: file, line, what to do.
    pub fn load(folder: &Path) -> Result<Self, ManifestError> {
        let file = folder.join("task.toml");
        let text = std::fs::read_to_string(&file).map_err(|source| ManifestError::Unreadable {
            file: file.clone(),
            source,
        })?;
        let manifest = Self::parse(&text, &file)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if name != manifest.folder_name() {
            let message = format!(
                "the folder is named `{name}`: name it `{}` after id and slug",
                manifest.folder_name()
            );
            return Err(ManifestError::Invalid {
                file,
                line: line_of(&text, text.find("\nid").map_or(0, |at| at + 1)),
                message,
            });
        }
        Ok(manifest)
    }

    /// Parses and checks a manifest; `file` is only named in errors.
    ///
    /// # Errors
    /// The first rule that it breaks: file, line, what to do.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ManifestError> {
        raw::read(text)
            .and_then(check::check)
            .map_err(|problem| ManifestError::Invalid {
                file: file.to_owned(),
                line: line_of(text, problem.at.start),
                message: problem.message,
            })
    }

    /// The drawn texts that the page shows for a moment and that therefore must be readable at a glance.
    #[must_use]
    pub fn read_on_screen(&self) -> Vec<ValuePath> {
        let mut found = Vec::new();
        let mut waiting: Vec<&serde_json::Value> = self.reveals.values().collect();
        while let Some(value) = waiting.pop() {
            match value {
                serde_json::Value::Object(table) => waiting.extend(table.values()),
                serde_json::Value::Array(items) => waiting.extend(items),
                serde_json::Value::String(text) => {
                    for path in Template::parse(text).iter().flat_map(Template::values) {
                        let kind = self.fields.get(path.field()).map(|field| &field.kind);
                        let drawn = matches!(
                            kind,
                            Some(
                                Kind::Number(_)
                                    | Kind::Code(_)
                                    | Kind::Phone(_)
                                    | Kind::Date(_)
                                    | Kind::Time(_)
                            )
                        );
                        if drawn && !found.contains(path) {
                            found.push(path.clone());
                        }
                    }
                }
                _ => {}
            }
        }
        found.sort();
        found
    }

    #[must_use]
    pub fn folder_name(&self) -> String {
        format!("{}-{}", self.id, self.slug)
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}
