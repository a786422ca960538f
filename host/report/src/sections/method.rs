//! How the figures were computed, and what ran.

use dynacu_record::RunInfo;

use crate::document::{Block, Rows};
use crate::model::Report;

pub(super) fn method(report: &Report) -> Vec<Block<'_>> {
    let facts = Rows::new("The run", run(&report.run))
        .column("what", |(name, _)| *name)
        .column("value", |(_, value)| value.clone());
    let rules = [
        "A share is the mean over tasks of each task's share of passed trials. Timeouts and agent errors count as not passed; infrastructure errors and unscored episodes are left out and counted separately.",
        "Intervals: Wilson's score interval over tasks with one trial each; Student's t over the tasks' shares with several (trials of one task are not independent); Wilson's over tasks where all tasks have the same share of 0 or 1.",
        "Comparisons use the tasks, trials and seeds of both sides: McNemar's exact test with Agresti and Min's interval for one trial per task, Student's t over the tasks' differences for several. Holm's p is adjusted over all comparisons of this report.",
        "pass@k is Chen et al.'s unbiased estimate, pass^k Yao et al.'s.",
        "The intervals hold for tasks like these, not for other machines, prices or versions of a model.",
    ];
    vec![
        Block::List(rules.map(str::to_owned).to_vec()),
        facts.table(),
    ]
}

fn run(run: &RunInfo) -> Vec<(&'static str, String)> {
    let machine = &run.machine;
    let plugins: Vec<String> = run
        .plugins
        .iter()
        .map(|plugin| {
            let hash = plugin.sha256.get(..12).unwrap_or(&plugin.sha256);
            format!(
                "{} {} ({}, {hash})",
                plugin.name, plugin.version, plugin.kind
            )
        })
        .collect();
    vec![
        ("command", run.command.join(" ")),
        (
            "host",
            format!(
                "{} {}",
                run.host_version,
                run.host_commit.as_deref().unwrap_or("(commit not known)")
            ),
        ),
        (
            "plugins",
            if plugins.is_empty() {
                "none".to_owned()
            } else {
                plugins.join(", ")
            },
        ),
        (
            "recogniser, encoder",
            format!(
                "{}; {}",
                if run.recognizer.is_empty() {
                    "not recorded"
                } else {
                    &run.recognizer
                },
                run.encoder
            ),
        ),
        (
            "capture",
            format!(
                "{} frames a second, gate {}, pace {} ms",
                run.fps,
                if run.gates.len() > 1 {
                    run.gates.join(", ")
                } else {
                    run.gate.clone()
                },
                run.pace_ms
            ),
        ),
        ("task set", run.task_set.clone()),
        (
            "machine",
            format!(
                "{}, {} cores, {} MiB, {}",
                machine.cpu, machine.cores, machine.memory_mib, machine.kernel
            ),
        ),
        (
            "browser, sound",
            format!("{}; {}", machine.chromium, machine.pulseaudio),
        ),
    ]
}
