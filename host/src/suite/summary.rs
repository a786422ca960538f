//! The table at the end of a run.

use std::collections::BTreeMap;

use dynacu_record::{EpisodeResult, Outcome};
use serde_json::{Value, json};

/// How an outcome reads in a table.
#[must_use]
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Timeout => "timeout",
        Outcome::AgentError => "agent-error",
        Outcome::InfrastructureError => "infrastructure-error",
        Outcome::Unscored => "unscored",
    }
}

/// One row an episode, then the shares by policy and mode over the episodes that count.
#[must_use]
pub fn table(results: &[EpisodeResult]) -> String {
    let header = [
        "task",
        "mode",
        "policy",
        "trial",
        "outcome",
        "cause",
        "page result",
        "steps",
        "seconds",
    ];
    let mut rows: Vec<Vec<String>> = vec![header.iter().map(|&name| name.to_owned()).collect()];
    for result in results {
        rows.push(vec![
            result.task.clone(),
            result.mode.clone(),
            result.policy.name.clone(),
            result.trial.to_string(),
            outcome_name(result.outcome).to_owned(),
            result.cause.name(),
            result.page_result.clone(),
            result.steps.to_string(),
            format!("{:.0}", result.wall_s),
        ]);
    }
    let mut text = columns(&rows);
    text.push('\n');
    for ((policy, mode), (passed, counted)) in shares(results) {
        text.push_str(&format!(
            "{policy} in {mode}: {passed} of {counted} passed\n"
        ));
    }
    let left_out = results
        .iter()
        .filter(|result| !counts(result.outcome))
        .count();
    if left_out > 0 {
        text.push_str(&format!(
            "{left_out} not counted (infrastructure or unscored): see the detail in episode.json\n"
        ));
    }
    text
}

/// The same as one JSON object.
#[must_use]
pub fn json(folder: &std::path::Path, results: &[EpisodeResult]) -> Value {
    let shares: Vec<Value> = shares(results)
        .into_iter()
        .map(|((policy, mode), (passed, counted))| {
            json!({"policy": policy, "mode": mode, "passed": passed, "counted": counted})
        })
        .collect();
    json!({"schema": 1, "run": folder, "shares": shares, "episodes": results})
}

/// Whether an episode enters the shares.
#[must_use]
pub fn counts(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::InfrastructureError | Outcome::Unscored)
}

fn shares(results: &[EpisodeResult]) -> BTreeMap<(String, String), (usize, usize)> {
    let mut shares = BTreeMap::new();
    for result in results.iter().filter(|result| counts(result.outcome)) {
        let share: &mut (usize, usize) = shares
            .entry((result.policy.name.clone(), result.mode.clone()))
            .or_default();
        share.1 += 1;
        if result.outcome == Outcome::Passed {
            share.0 += 1;
        }
    }
    shares
}

/// Rows with aligned columns; the first row is underlined.
#[must_use]
pub fn columns(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let line: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}", width = *width))
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
        if index == 0 {
            text.push_str(&"-".repeat(widths.iter().sum::<usize>() + 2 * count.saturating_sub(1)));
            text.push('\n');
        }
    }
    text
}
