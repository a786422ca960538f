//! The table at the end of a run.

use std::collections::BTreeMap;

use dynacu_figures::table;
use dynacu_record::{EndCause, EpisodeResult, Outcome};
use serde_json::{Value, json};

use crate::config::DEFAULT_GATE;

/// One row an episode, then the shares by policy and mode over the episodes that count.
#[must_use]
pub fn table(results: &[EpisodeResult]) -> String {
    let asked = results.iter().any(|result| result.model.is_some());
    let mut header = vec![
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
    if asked {
        header.extend(["model", "answers", "tokens", "dollars"]);
    }
    let mut rows = Vec::new();
    for result in results {
        let mut row = vec![
            result.task.clone(),
            condition(result),
            result.policy.name.clone(),
            result.trial.to_string(),
            result.outcome.name().to_owned(),
            result.cause.name(),
            result.page_result.clone(),
            result.steps.to_string(),
            format!("{:.0}", result.wall_s),
        ];
        if asked {
            row.extend(model_columns(result));
        }
        rows.push(row);
    }
    let mut text = table::text(&header, &rows);
    text.push('\n');
    for (share, (passed, counted)) in shares(results) {
        let Share {
            policy,
            model,
            mode,
        } = share;
        let with = model.map_or_else(String::new, |model| format!(" with {model}"));
        text.push_str(&format!(
            "{policy}{with} in {mode}: {passed} of {counted} passed\n"
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
    let lost = results
        .iter()
        .filter(|result| result.cause == EndCause::RecordLost)
        .count();
    if lost > 0 {
        text.push_str(&format!(
            "{lost} could not be recorded (record-lost): make room, then `--resume` runs them again\n"
        ));
    }
    text
}

/// The mode, and the gate where it is not the default.
fn condition(result: &EpisodeResult) -> String {
    if result.gate.is_empty() || result.gate == DEFAULT_GATE.name() {
        result.mode.clone()
    } else {
        format!("{}@{}", result.mode, result.gate)
    }
}

/// The same as one JSON object.
#[must_use]
pub fn json(folder: &std::path::Path, results: &[EpisodeResult]) -> Value {
    let shares: Vec<Value> = shares(results)
        .into_iter()
        .map(|(share, (passed, counted))| {
            json!({
                "policy": share.policy, "model": share.model, "mode": share.mode,
                "passed": passed, "counted": counted,
            })
        })
        .collect();
    json!({"schema": 1, "run": folder, "shares": shares, "episodes": results})
}

/// Whether an episode enters the shares.
#[must_use]
pub fn counts(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::InfrastructureError | Outcome::Unscored)
}

/// What an episode's model came to: its name, answers, tokens and money.
fn model_columns(result: &EpisodeResult) -> [String; 4] {
    let Some(model) = &result.model else {
        return std::array::from_fn(|_| String::new());
    };
    let usage = &result.usage;
    [
        model.model.clone(),
        result.model_ms.len().to_string(),
        (usage.input_tokens + usage.output_tokens).to_string(),
        usage
            .cost_usd
            .map_or_else(|| "?".to_owned(), |cost| format!("{cost:.4}")),
    ]
}

/// Whose episodes are counted together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Share {
    policy: String,
    model: Option<String>,
    mode: String,
}

fn shares(results: &[EpisodeResult]) -> BTreeMap<Share, (usize, usize)> {
    let mut shares = BTreeMap::new();
    for result in results.iter().filter(|result| counts(result.outcome)) {
        let share: &mut (usize, usize) = shares
            .entry(Share {
                policy: result.policy.name.clone(),
                model: result.model.as_ref().map(|model| model.model.clone()),
                mode: condition(result),
            })
            .or_default();
        share.1 += 1;
        if result.outcome == Outcome::Passed {
            share.0 += 1;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episode::tests::result;

    #[test]
    fn a_cell_that_a_page_wrote_does_not_break_the_table() {
        let mut said = result("passed");
        said.page_result = "x".repeat(200_000_000);
        let table = table(&[said]);
        assert!(table.len() < 3_000, "{}", table.len());
    }

    #[test]
    fn a_lost_record_is_in_the_table_and_said_below_it() {
        let mut lost = result("infrastructure-error");
        lost.cause = EndCause::RecordLost;
        let table = table(&[result("passed"), lost]);
        assert!(table.contains("record-lost"), "{table}");
        assert!(table.contains("1 of 1 passed\n1 not counted"), "{table}");
        assert!(
            table.contains("1 could not be recorded (record-lost)"),
            "{table}"
        );
        assert!(!super::table(&[result("passed")]).contains("recorded"));
    }
}
