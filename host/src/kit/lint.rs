//! What can be said about a task without an agent: whether its page keeps the rules, what a screenshot every few seconds
//! gives away, and whether a person has enough time.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::task::catalogue::Task;

pub mod answers;
pub mod counts;
pub mod exposure;
pub mod page;
pub mod person;
mod sources;

/// What lint finds in the same task. It is raised when a rule or a figure changes: what the gates' ledger holds of lint is then out of
/// date.
pub const VERSION: u32 = 1;

/// Something that is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub file: PathBuf,
    /// Counts from 1; none where the whole file or a running page is meant.
    pub line: Option<usize>,
    pub message: String,
}

impl Finding {
    #[must_use]
    pub fn new(file: &Path, line: Option<usize>, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            message: message.into(),
        }
    }

    /// With its file named from the checkout's root.
    #[must_use]
    pub fn relative(&self, root: &Path) -> String {
        let mut finding = self.clone();
        if let Ok(inside) = finding.file.strip_prefix(root) {
            finding.file = inside.to_owned();
        }
        finding.to_string()
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

/// What was found out about one task.
#[derive(Debug, Clone)]
pub struct Report {
    pub findings: Vec<Finding>,
    pub exposure: exposure::Exposure,
    pub person: person::Person,
}

/// The most that screenshots alone may be worth.
const BOUND: f64 = 0.25;
/// The most that a blind guess may be worth.
const CHANCE: f64 = 0.05;
/// What is to be read stays at least so long, in seconds.
const READABLE: f64 = 1.2;
/// All committed speech of a task, in bytes.
const SPEECH: u64 = 250_000;

/// Everything that needs no browser.
///
/// # Errors
/// A file of the task cannot be read.
pub fn still(task: &Task, pace: f64) -> Result<Report> {
    let manifest = &task.manifest;
    let file = task.folder.join("task.toml");
    let mut findings = sources::findings(&task.folder.join("page"))?;
    findings.extend(answers::written_down(task)?);
    let mut say = |message: String| findings.push(Finding::new(&file, None, message));

    for moment in &manifest.moments {
        let name = &moment.name;
        if moment.needed && moment.after.is_none() {
            say(format!(
                "the moment {name} does not say when it comes: give it `after` and `delay`"
            ));
        }
        if moment.needed && moment.tells.is_empty() {
            say(format!(
                "the moment {name} is needed, but does not say what for: tells = [\"…\"] names the values"
            ));
        }
        if !moment.tells.is_empty() && moment.seconds.is_some_and(|seconds| seconds < READABLE) {
            say(format!(
                "the moment {name} is shown for less than {READABLE} s: too short to read"
            ));
        }
    }
    if manifest.separates && !manifest.moments.iter().any(|moment| moment.needed) {
        say(
            "no moment is needed: name those that the answer depends on, or set separates = false"
                .to_owned(),
        );
    }
    let exposure = exposure::exposure(manifest, pace);
    if manifest.separates && exposure.bound > BOUND {
        say(format!(
            "screenshots alone give the answer in {:.0} % of the cases, more than {:.0}: make the moments shorter, or ask for two that are never shown at the same time",
            exposure.bound * 100.0,
            BOUND * 100.0
        ));
    }
    if exposure.chance > CHANCE {
        say(format!(
            "a guess is right in {:.0} % of the cases, more than {:.0}: ask for two independent facts, or offer more choices",
            exposure.chance * 100.0,
            CHANCE * 100.0
        ));
    }
    let person = person::person(task)?;
    if person.ratio < person::least(manifest.tier) {
        say(format!(
            "a person needs about {:.0} s of {} s; a task of tier {} must allow at least {} times that",
            person.seconds,
            manifest.time_limit.as_secs(),
            manifest.tier.name(),
            person::least(manifest.tier)
        ));
    }
    let speech = person::speech_bytes(task);
    if speech > SPEECH {
        say(format!(
            "the committed speech has {speech} bytes, more than {SPEECH}: shorten it"
        ));
    }
    for wanted in ["README.md", "solution.toml", "page/index.html"] {
        if !task.folder.join(wanted).is_file() {
            findings.push(Finding::new(
                &task.folder.join(wanted),
                None,
                "is missing: every task has one",
            ));
        }
    }
    findings.sort();
    Ok(Report {
        findings,
        exposure,
        person,
    })
}
