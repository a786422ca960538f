//! The table of the gates: one row a task, what is red and why below it.

use super::ledger::{Lint, TaskEntry};
use super::run::Run;
use super::{Check, Wants, checks};
use crate::mode::Mode;
use crate::task::catalogue::Task;

/// A task with what is known of it and what each of its results should depend on now.
pub struct Row<'a> {
    pub task: &'a Task,
    pub entry: TaskEntry,
    pub checks: Vec<Check>,
}

impl<'a> Row<'a> {
    #[must_use]
    pub fn new(task: &'a Task, entry: TaskEntry, seeds: u64) -> Self {
        let checks = checks(task.manifest.needs, seeds);
        Self {
            task,
            entry,
            checks,
        }
    }

    fn run(&self, check: &Check) -> Option<&Run> {
        self.entry.run(check)
    }

    /// What keeps the task out of the set, one line each.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let id = &self.task.manifest.id;
        let mut faults = Vec::new();
        for check in &self.checks {
            match self.run(check) {
                None => faults.push(format!("{id}: {} was not run", check.name())),
                Some(run) if !run.fits(check.wants) => faults.push(format!(
                    "{id}: {} ended as {} ({}, {})",
                    check.name(),
                    run.outcome,
                    run.cause,
                    run.page_result
                )),
                Some(_) => {}
            }
        }
        match &self.entry.lint {
            None => faults.push(format!("{id}: lint was not run")),
            Some(lint) => {
                let more = lint
                    .findings
                    .iter()
                    .map(|finding| format!("{id}: {finding}"));
                faults.extend(more);
            }
        }
        faults
    }
}

/// The rules over all rows: passes in `standard` that the bounds do not allow.
#[must_use]
pub fn over_all(rows: &[Row<'_>]) -> Vec<String> {
    let mut passes = 0.0;
    let (mut bounds, mut spread) = (0.0, 0.0);
    for row in rows.iter().filter(|row| row.task.manifest.separates) {
        let bound = row.entry.lint.as_ref().map_or(0.0, |lint| lint.bound);
        bounds += bound;
        spread += bound * (1.0 - bound);
        let standard = |check: &&Check| check.policy == "reference" && check.mode == Mode::Standard;
        let passed = row
            .checks
            .iter()
            .find(standard)
            .and_then(|check| row.run(check))
            .is_some_and(|run| run.outcome == "passed");
        passes += f64::from(u8::from(passed));
    }
    let mut faults = Vec::new();
    // Two standard deviations above what the bounds expect.
    if passes > bounds + 2.0 * f64::sqrt(spread) + 0.5 {
        faults.push(format!(
            "screenshots alone passed {passes} tasks, where the bounds expect {bounds:.1}"
        ));
    }
    let share = bounds / rows.len().max(1) as f64;
    if share > 0.05 {
        faults.push(format!(
            "the bounds of screenshots alone add up to {bounds:.1} of {} tasks, more than 5 %",
            rows.len()
        ));
    }
    faults
}

/// The table in Markdown.
#[must_use]
pub fn markdown(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "| task | needs | `reference` there | in `aoi_interactive` | in `standard` | bound | `idle` | `random` | `replayer` | `copycat` | `guess` | chance | time | lint | seconds |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut total = 0.0;
    for row in rows {
        let needs: Mode = row.task.manifest.needs.into();
        let of = |policy: &str, mode: Mode| {
            let cells: Vec<String> = row
                .checks
                .iter()
                .filter(|check| check.policy == policy && check.mode == mode)
                .map(|check| cell(check, row.run(check)))
                .collect();
            cells.join(" ")
        };
        let seconds: f64 = row
            .checks
            .iter()
            .filter_map(|check| row.run(check))
            .map(|run| run.seconds)
            .sum();
        total += seconds;
        let percent = |share: f64| {
            if share > 0.0 && share < 0.001 {
                "< 0.1 %".to_owned()
            } else {
                format!("{:.1} %", share * 100.0)
            }
        };
        let lint = row.entry.lint.as_ref();
        let of_lint = |show: &dyn Fn(&Lint) -> String| lint.map_or_else(String::new, show);
        let cells = [
            row.task.manifest.folder_name(),
            needs.to_string(),
            of("reference", needs),
            of("reference", Mode::AoiInteractive),
            of("reference", Mode::Standard),
            of_lint(&|lint| percent(lint.bound)),
            of("idle", needs),
            of("random", needs),
            of("replayer", Mode::Standard),
            of("copycat", Mode::Standard),
            of("guess", needs),
            of_lint(&|lint| percent(lint.chance)),
            of_lint(&|lint| format!("{:.1}", lint.ratio)),
            of_lint(&|lint| {
                if lint.findings.is_empty() {
                    "clean".to_owned()
                } else {
                    lint.findings.len().to_string()
                }
            }),
            format!("{seconds:.0}"),
        ];
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    let faults: Vec<String> = rows
        .iter()
        .flat_map(Row::faults)
        .chain(over_all(rows))
        .collect();
    text.push_str(&format!(
        "\n{} tasks, {total:.0} s of episodes. {}\n",
        rows.len(),
        if faults.is_empty() {
            "All green.".to_owned()
        } else {
            format!("{} red:", faults.len())
        }
    ));
    for fault in faults {
        text.push_str(&format!("\n- {fault}"));
    }
    text
}

fn cell(check: &Check, run: Option<&Run>) -> String {
    let Some(run) = run else {
        return "–".to_owned();
    };
    let what = match run.outcome.as_str() {
        "passed" => "pass",
        "failed" | "timeout" => "0",
        other => other,
    };
    if run.fits(check.wants) || check.wants == Wants::Shown {
        what.to_owned()
    } else {
        format!("**{what}**")
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::run::tests::made_up;
    use super::*;
    use crate::task::manifest::tests::manifest;

    #[test]
    fn what_is_red_is_named_and_the_rest_is_green() {
        let task = Task {
            folder: PathBuf::from("tasks/A-E1-podcast-price"),
            manifest: manifest(),
        };
        let mut entry = TaskEntry {
            lint: Some(Lint {
                inputs: "0".to_owned(),
                findings: Vec::new(),
                bound: 0.02,
                chance: 0.0002,
                ratio: 2.04,
            }),
            ..TaskEntry::default()
        };
        for check in checks(task.manifest.needs, 3) {
            let outcome = if check.wants == Wants::Pass {
                "passed"
            } else {
                "failed"
            };
            entry.runs.insert(check.name(), made_up(outcome));
        }
        let green = [Row::new(&task, entry.clone(), 3)];
        assert!(over_all(&green).is_empty() && green[0].faults().is_empty());
        let text = markdown(&green);
        assert!(
            text.contains("| A-E1-podcast-price | aoi_audio | pass pass pass | pass | 0 | 2.0 % | 0 | 0 | 0 | 0 | 0 | < 0.1 % | 2.0 | clean | 100 |"),
            "{text}"
        );
        assert!(text.ends_with("All green.\n"));

        entry
            .runs
            .insert("guess aoi_audio 0".to_owned(), made_up("passed"));
        entry.runs.remove("idle aoi_audio 0");
        let red = [Row::new(&task, entry, 3)];
        assert_eq!(
            red[0].faults(),
            [
                "A-E1: idle aoi_audio 0 was not run",
                "A-E1: guess aoi_audio 0 ended as passed (task-ended, x)"
            ]
        );
        assert!(markdown(&red).contains("| – | 0 | 0 | 0 | **pass** |"));
    }
}
