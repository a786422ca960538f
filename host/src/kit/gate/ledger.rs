//! `tasks/gates.json`: what was shown of each task, so that only what changed is run again. It is committed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::Check;
use super::run::{Recorded, Run};
use crate::kit::lint::Report;

const SCHEMA: u32 = 2;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    schema: u32,
    /// By the task's id.
    pub tasks: BTreeMap<String, TaskEntry>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskEntry {
    /// By the check's name; [`Ledger::keep`] is the way in.
    pub(super) runs: BTreeMap<String, Run>,
    pub lint: Option<Lint>,
}

/// What lint said of a task. It has no record: what needs no browser is computed again where it is verified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lint {
    pub inputs: String,
    pub findings: Vec<String>,
    /// What screenshots alone are worth, 0 to 1.
    pub bound: f64,
    /// What a blind guess is worth, 0 to 1.
    pub chance: f64,
    /// The time limit by what a person needs.
    pub ratio: f64,
}

impl Lint {
    /// Of a report; files are named from the checkout's root.
    #[must_use]
    pub fn of(report: &Report, inputs: String, root: &Path) -> Self {
        let findings = report.findings.iter();
        Self {
            inputs,
            findings: findings.map(|finding| finding.relative(root)).collect(),
            bound: rounded(report.exposure.bound),
            chance: rounded(report.exposure.chance),
            ratio: rounded(report.person.ratio),
        }
    }
}

/// Nine figures are enough to be read, and the file stays as it is.
fn rounded(share: f64) -> f64 {
    (share * 1e9).round() / 1e9
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            tasks: BTreeMap::new(),
        }
    }
}

/// Where it lies.
#[must_use]
pub fn file(tasks: &Path) -> PathBuf {
    tasks.join("gates.json")
}

impl TaskEntry {
    /// What is known of a check.
    #[must_use]
    pub fn run(&self, check: &Check) -> Option<&Run> {
        self.runs.get(&check.name())
    }

    /// How many lines it has.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.runs.len() + usize::from(self.lint.is_some())
    }
}

impl Ledger {
    /// Reads it; an empty one where there is none yet.
    ///
    /// # Errors
    /// It is not what this host writes.
    pub fn read(file: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            schema: u32,
        }
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        let place = file.display();
        let broken = || format!("{place} is no ledger of gates: take it from the last commit");
        // Another schema is told as that, and not by the first field that does not fit.
        let Versioned { schema } = serde_json::from_str(&text).with_context(broken)?;
        ensure!(
            schema == SCHEMA,
            "{place} has schema {schema} and this host reads {SCHEMA}: remove it and run the gates again"
        );
        serde_json::from_str(&text).with_context(broken)
    }

    /// Takes what a record shows, in the place of what was there.
    pub fn keep(&mut self, recorded: Recorded) {
        let entry = self.tasks.entry(recorded.task).or_default();
        entry.runs.insert(recorded.check, recorded.run);
    }

    /// Forgets the lines of a task that are not of these checks.
    pub fn forget_others(&mut self, task: &str, checks: &[Check]) {
        if let Some(entry) = self.tasks.get_mut(task) {
            entry
                .runs
                .retain(|name, _| checks.iter().any(|check| check.name() == *name));
        }
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn write(&self, file: &Path) -> Result<()> {
        dynacu_record::write_json(file, self)
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::{some_inputs, write_record};
    use super::*;

    #[test]
    fn a_ledger_survives_its_file_and_a_foreign_one_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let file = file(root.path());
        assert_eq!(Ledger::read(&file).unwrap(), Ledger::default());
        let record = root.path().join("record");
        write_record(&record, "guess aoi_audio 0", false, Some(&some_inputs()));
        let mut ledger = Ledger::default();
        ledger.keep(Recorded::read(&record).unwrap());
        ledger.tasks.entry("A-E1".to_owned()).or_default().lint = Some(Lint {
            inputs: "0a".to_owned(),
            findings: vec!["too small".to_owned()],
            bound: 0.02,
            chance: 0.02,
            ratio: 2.1,
        });
        assert_eq!(ledger.tasks["A-E1"].runs.len(), 1);
        ledger.write(&file).unwrap();
        assert_eq!(Ledger::read(&file).unwrap(), ledger);

        // Of the first schema, whose lines had no record.
        let old = r#"{"schema": 1, "tasks": {"A-E1": {"runs": {"guess aoi_audio 0": {"inputs": "9d"}}}}}"#;
        std::fs::write(&file, old).unwrap();
        let error = format!("{:#}", Ledger::read(&file).unwrap_err());
        assert!(
            error
                .ends_with("has schema 1 and this host reads 2: remove it and run the gates again"),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1);
    }

    #[test]
    fn a_line_without_a_record_is_not_read() {
        let root = tempfile::tempdir().unwrap();
        let file = file(root.path());
        let line = r#"{"inputs": "9d", "outcome": "passed", "cause": "done", "page_result": "", "steps": 1, "seconds": 1.0, "last_moment": null}"#;
        let text = format!(
            r#"{{"schema": 2, "tasks": {{"A-E1": {{"runs": {{"guess aoi_audio 0": {line}}}, "lint": null}}}}}}"#
        );
        std::fs::write(&file, text).unwrap();
        let error = format!("{:#}", Ledger::read(&file).unwrap_err());
        assert!(error.contains("missing field `record`"), "{error}");
    }

    #[test]
    fn the_committed_ledger_is_read() {
        let tasks = Path::new(env!("DYNACU_CHECKOUT")).join("tasks");
        assert!(file(&tasks).is_file());
        Ledger::read(&file(&tasks)).unwrap();
    }
}
