//! `tasks/gates.json`: what was shown of each task, so that only what changed is run again. It is committed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::Run;

const SCHEMA: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    pub schema: u32,
    /// By the task's id.
    pub tasks: BTreeMap<String, TaskEntry>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskEntry {
    /// By the check's name.
    pub runs: BTreeMap<String, Run>,
    pub lint: Option<Lint>,
}

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

impl Ledger {
    /// Reads it; an empty one where there is none yet.
    ///
    /// # Errors
    /// It is not what this host writes.
    pub fn read(file: &Path) -> Result<Self> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        let ledger: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is no ledger of gates: remove it", file.display()))?;
        ensure!(
            ledger.schema == SCHEMA,
            "{} has schema {}, this host reads {SCHEMA}: remove it",
            file.display(),
            ledger.schema
        );
        Ok(ledger)
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn write(&self, file: &Path) -> Result<()> {
        let context = || format!("cannot write {}", file.display());
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut fresh = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
        std::io::Write::write_all(&mut fresh, text.as_bytes()).with_context(context)?;
        fresh.persist(file).with_context(context)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_survives_its_file_and_a_foreign_one_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let file = file(root.path());
        assert_eq!(Ledger::read(&file).unwrap(), Ledger::default());
        let mut ledger = Ledger::default();
        ledger.tasks.entry("A-E1".to_owned()).or_default().lint = Some(Lint {
            inputs: "0a".to_owned(),
            findings: vec!["too small".to_owned()],
            bound: 0.02,
            chance: 0.02,
            ratio: 2.1,
        });
        ledger.write(&file).unwrap();
        assert_eq!(Ledger::read(&file).unwrap(), ledger);
        std::fs::write(&file, "{\"schema\": 9, \"tasks\": {}}").unwrap();
        assert!(
            Ledger::read(&file)
                .unwrap_err()
                .to_string()
                .contains("schema 9")
        );
    }
}
