//! How much of the ledger still holds: what is in date, what is out of date and what was never run.

use std::fmt;

use anyhow::Result;

use super::ledger::TaskEntry;
use super::{checks, inputs};
use crate::task::catalogue::Task;
use crate::task::home::Home;

/// Lint, where it stands beside the checks.
pub const LINT: &str = "lint";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    InDate,
    OutOfDate,
    NeverRun,
}

impl State {
    fn of(known: Option<&str>, now: &str) -> Self {
        match known {
            Some(known) if known == now => Self::InDate,
            Some(_) => Self::OutOfDate,
            None => Self::NeverRun,
        }
    }
}

/// Of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The task's id.
    pub task: String,
    /// Lint and the checks by name, in the order in which they are run.
    parts: Vec<(String, State)>,
}

impl Standing {
    /// Compares what the ledger has of a task with the checkout.
    ///
    /// # Errors
    /// A file cannot be read, or a plugin is not built.
    pub fn of(task: &Task, home: &Home, entry: Option<&TaskEntry>, seeds: u64) -> Result<Self> {
        let lint = entry.and_then(|entry| entry.lint.as_ref());
        let lint = lint.map(|lint| lint.inputs.as_str());
        let mut parts = vec![(
            LINT.to_owned(),
            State::of(lint, &inputs::of_lint(task, home)?),
        )];
        for check in checks(task.manifest.needs, seeds) {
            let run = entry.and_then(|entry| entry.run(&check));
            let now = inputs::of_run(task, home, check.policy)?;
            let state = State::of(run.map(|run| run.inputs.as_str()), &now);
            parts.push((check.name(), state));
        }
        Ok(Self {
            task: task.manifest.id.clone(),
            parts,
        })
    }

    /// The names of what does not stand.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let missing = self
            .parts
            .iter()
            .filter(|(_, state)| *state != State::InDate);
        missing.map(|(name, _)| name.as_str())
    }

    /// Counts all of it as out of date, so that it is run again.
    pub fn renew(&mut self) {
        for (_, state) in &mut self.parts {
            if *state == State::InDate {
                *state = State::OutOfDate;
            }
        }
    }

    fn names(&self, wanted: State) -> Vec<&str> {
        let parts = self.parts.iter().filter(|(_, state)| *state == wanted);
        parts.map(|(name, _)| name.as_str()).collect()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (old, never) = (self.names(State::OutOfDate), self.names(State::NeverRun));
        write!(
            formatter,
            "{}: {} in date, {} out of date, {} never run",
            self.task,
            self.names(State::InDate).len(),
            old.len(),
            never.len()
        )?;
        for (what, names) in [("out of date", old), ("never run", never)] {
            if !names.is_empty() {
                write!(formatter, "\n  {what}: {}", names.join(", "))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::ledger::Ledger;
    use super::super::run::Recorded;
    use super::super::run::tests::write_record;
    use super::*;
    use crate::episode::inputs::{component, inputs};
    use crate::task::manifest::tests::{example, manifest};

    fn write(root: &Path, path: &str, text: &str) {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// A checkout with one task and all that its gates ask for.
    fn checkout(root: &Path) -> (Home, Task) {
        write(root, "tasks/A-E1-podcast-price/task.toml", &example());
        write(root, "tasks/page-lib/session.js", "// library");
        for plugin in [
            "typed-answer",
            "reference",
            "idle",
            "random",
            "replayer",
            "copycat",
            "guess",
        ] {
            write(root, &format!("plugins/dist/{plugin}.wasm"), plugin);
        }
        let home = Home::at(root).unwrap();
        let task = Task {
            folder: home.tasks.join("A-E1-podcast-price"),
            manifest: manifest(),
        };
        (home, task)
    }

    /// Runs a check as a record would show it, with what lies in the checkout.
    fn run(ledger: &mut Ledger, home: &Home, task: &Task, check: &str) {
        let policy = check.split(' ').next().unwrap();
        let policy = component(&home.plugins_dist.join(format!("{policy}.wasm"))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let inputs = inputs(home, task, &policy).unwrap();
        write_record(folder.path(), check, false, Some(&inputs));
        ledger.keep(Recorded::read(folder.path()).unwrap());
    }

    #[test]
    fn what_was_built_or_served_anew_is_out_of_date_and_the_rest_stands() {
        let root = tempfile::tempdir().unwrap();
        let (home, task) = checkout(root.path());
        let mut ledger = Ledger::default();
        let standing =
            |ledger: &Ledger| Standing::of(&task, &home, ledger.tasks.get("A-E1"), 1).unwrap();
        assert_eq!(standing(&ledger).missing().count(), 9);
        run(&mut ledger, &home, &task, "guess aoi_audio 0");
        run(&mut ledger, &home, &task, "idle aoi_audio 0");
        let never = "lint, reference aoi_audio 0, reference aoi_interactive 0, reference standard 0, random aoi_audio 0, replayer standard 0, copycat standard 0";
        assert_eq!(
            standing(&ledger).to_string(),
            format!("A-E1: 2 in date, 0 out of date, 7 never run\n  never run: {never}")
        );

        // A comment in a source builds the same component.
        write(root.path(), "plugins/policies/guess/src/lib.rs", "// why");
        assert_eq!(standing(&ledger).missing().count(), 7);
        write(root.path(), "plugins/dist/guess.wasm", "another guess");
        assert_eq!(
            standing(&ledger).to_string(),
            format!(
                "A-E1: 1 in date, 1 out of date, 7 never run\n  out of date: guess aoi_audio 0\n  never run: {never}"
            )
        );
        run(&mut ledger, &home, &task, "guess aoi_audio 0");
        assert_eq!(standing(&ledger).missing().count(), 7);

        write(root.path(), "tasks/page-lib/session.js", "// another");
        let mut last = standing(&ledger);
        assert_eq!(last.missing().count(), 9);
        last.renew();
        assert!(
            last.to_string()
                .starts_with("A-E1: 0 in date, 2 out of date, 7 never run")
        );
    }
}
