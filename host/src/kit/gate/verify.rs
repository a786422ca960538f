//! Lines of the ledger beside the records that are kept. A line that its record does not show is named.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::ledger::{Lint, TaskEntry};
use super::run::{Recorded, Run};
use super::{inputs, records};
use crate::kit::lint::still;
use crate::task::catalogue::Task;
use crate::task::home::Home;

/// What is wrong with the runs of a task, one line each.
#[must_use]
pub fn runs(id: &str, entry: &TaskEntry, records: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for (check, line) in &entry.runs {
        let folder = records::folder(records, id, check);
        let place = format!("{id}: {check}");
        if !folder.is_dir() {
            faults.push(format!(
                "{place}: no record is kept in {}",
                folder.display()
            ));
            continue;
        }
        match Recorded::read(&folder) {
            Err(error) => faults.push(format!("{place}: {error:#}")),
            Ok(recorded) if (recorded.task.as_str(), &recorded.check) != (id, check) => {
                faults.push(format!(
                    "{place}: its record is one of {}: {}",
                    recorded.task, recorded.check
                ));
            }
            Ok(recorded) => {
                let more = differences(line, &recorded.run).into_iter();
                faults.extend(more.map(|what| format!("{place}: {what}")));
            }
        }
    }
    faults
}

/// Field by field, so that none can be forgotten.
fn differences(line: &Run, record: &Run) -> Vec<String> {
    let fields = |run: &Run| serde_json::to_value(run).unwrap_or_default();
    let (line, record) = (fields(line), fields(record));
    let shown = |value: Option<&Value>| value.map_or_else(String::new, Value::to_string);
    let fields = record.as_object().into_iter().flatten();
    let other = fields.filter(|(name, value)| line.get(name) != Some(value));
    other
        .map(|(name, value)| {
            let here = shown(line.get(name));
            format!("{name} is {here} in the ledger and {value} by the record")
        })
        .collect()
}

/// What is wrong with a line of lint that is in date. What the loaded page showed is not looked at again.
///
/// # Errors
/// A file of the task cannot be read.
pub fn lint(task: &Task, home: &Home, line: &Lint, pace: f64) -> Result<Vec<String>> {
    let now = inputs::of_lint(task, home)?;
    if line.inputs != now {
        return Ok(Vec::new());
    }
    let place = format!("{}: lint", task.manifest.id);
    let found = Lint::of(&still(task, pace)?, now, &home.root);
    let mut faults = Vec::new();
    for (name, here, there) in [
        ("bound", line.bound, found.bound),
        ("chance", line.chance, found.chance),
        ("ratio", line.ratio, found.ratio),
    ] {
        if here != there {
            faults.push(format!(
                "{place}: {name} is {here} in the ledger and {there} now"
            ));
        }
    }
    for finding in found.findings {
        if !line.findings.contains(&finding) {
            faults.push(format!("{place}: the ledger does not have {finding:?}"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use dynacu_record::Inputs;

    use super::super::ledger::Ledger;
    use super::super::run::tests::{some_inputs, write_record};
    use super::*;

    const PASSED: &str = "reference aoi_audio 0";
    const FAILED: &str = "reference aoi_audio 1";

    /// A ledger of two runs with the records that show them, in a file that can be edited.
    struct Place {
        root: tempfile::TempDir,
    }

    impl Place {
        fn new(inputs: &Inputs) -> Self {
            let root = tempfile::tempdir().unwrap();
            let mut ledger = Ledger::default();
            for (check, passed) in [(PASSED, true), (FAILED, false)] {
                let folder = records::folder(root.path(), "A-E1", check);
                write_record(&folder, check, passed, Some(inputs));
                ledger.keep(Recorded::read(&folder).unwrap());
            }
            ledger.write(&root.path().join("gates.json")).unwrap();
            Self { root }
        }

        fn edit(&self, change: impl FnOnce(&mut Value)) {
            let file = self.root.path().join("gates.json");
            let mut ledger: Value =
                serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            change(&mut ledger["tasks"]["A-E1"]["runs"]);
            std::fs::write(file, ledger.to_string()).unwrap();
        }

        fn faults(&self) -> Vec<String> {
            let ledger = Ledger::read(&self.root.path().join("gates.json")).unwrap();
            runs("A-E1", &ledger.tasks["A-E1"], self.root.path())
        }
    }

    #[test]
    fn lines_that_their_records_show_are_not_named() {
        assert_eq!(Place::new(&some_inputs()).faults(), Vec::<String>::new());
    }

    #[test]
    fn an_outcome_that_was_edited_is_named() {
        let place = Place::new(&some_inputs());
        place.edit(|runs| runs[FAILED]["outcome"] = "passed".into());
        assert_eq!(
            place.faults(),
            [format!(
                "A-E1: {FAILED}: outcome is \"passed\" in the ledger and \"failed\" by the record"
            )]
        );
    }

    #[test]
    fn inputs_that_were_copied_into_an_old_line_are_named() {
        let place = Place::new(&some_inputs());
        let now = inputs::digest_of(&Inputs {
            scorer: "rebuilt".to_owned(),
            ..some_inputs()
        });
        let before = inputs::digest_of(&some_inputs());
        place.edit(|runs| runs[PASSED]["inputs"] = now.as_str().into());
        assert_eq!(
            place.faults(),
            [format!(
                "A-E1: {PASSED}: inputs is \"{now}\" in the ledger and \"{before}\" by the record"
            )]
        );
    }

    #[test]
    fn the_line_of_another_run_is_named_and_so_is_its_record() {
        let place = Place::new(&some_inputs());
        place.edit(|runs| runs[FAILED] = runs[PASSED].clone());
        let faults = place.faults();
        assert!(
            faults.iter().any(|fault| fault.contains("record is"))
                && faults.iter().any(|fault| fault.contains("outcome is")),
            "{faults:?}"
        );

        // With its record beside it.
        let folder = |check: &str| records::folder(place.root.path(), "A-E1", check);
        std::fs::remove_dir_all(folder(FAILED)).unwrap();
        std::fs::rename(folder(PASSED), folder(FAILED)).unwrap();
        let faults = place.faults();
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("no record is kept"), "{faults:?}");
        assert_eq!(
            faults[1],
            format!("A-E1: {FAILED}: its record is one of A-E1: {PASSED}")
        );
    }

    #[test]
    fn a_line_whose_record_was_edited_too_is_named() {
        let place = Place::new(&some_inputs());
        place.edit(|runs| runs[FAILED]["outcome"] = "passed".into());
        let folder = records::folder(place.root.path(), "A-E1", FAILED);
        // A whole record of another episode, as if this one had passed.
        write_record(&folder, FAILED, true, Some(&some_inputs()));
        let faults = place.faults();
        assert!(
            faults.iter().any(|fault| fault.contains(": record is ")),
            "{faults:?}"
        );
        let events = folder.join("events.jsonl");
        let text = std::fs::read_to_string(&events).unwrap();
        std::fs::write(&events, text.replace("7040", "7041")).unwrap();
        let faults = place.faults();
        assert!(faults[0].contains("was changed or cut"), "{faults:?}");
    }

    #[test]
    fn figures_of_lint_are_computed_again() {
        let home = Home::at(Path::new(env!("DYNACU_CHECKOUT"))).unwrap();
        let task = crate::task::catalogue::Catalogue::open(&home).unwrap();
        let task = task.get("F-E1").unwrap();
        let report = still(&task, 5.0).unwrap();
        let right = Lint::of(&report, inputs::of_lint(&task, &home).unwrap(), &home.root);
        let verify = |line: &Lint| lint(&task, &home, line, 5.0).unwrap();
        assert_eq!(verify(&right), Vec::<String>::new());
        let mut edited = right.clone();
        edited.bound = 0.5;
        let faults = verify(&edited);
        assert!(
            faults.len() == 1 && faults[0].starts_with("F-E1: lint: bound is 0.5 in the ledger"),
            "{faults:?}"
        );
        // Out of date: it is run again anyway.
        edited.inputs = "0".to_owned();
        assert_eq!(verify(&edited), Vec::<String>::new());
    }
}
