//! Where it went wrong: how far the fact came, and what ended episodes.

use std::collections::BTreeMap;

use dynacu_figures::chart::{self, Look, Sample, Segment, Stack};
use dynacu_record::ActionCounts;

use super::by_condition;
use crate::document::Block;
use crate::model::{Condition, Report};
use crate::text;
use crate::trace::FailureStage;

pub(super) fn failures(report: &Report) -> Vec<Block<'_>> {
    let used: Vec<FailureStage> = FailureStage::ALL
        .into_iter()
        .filter(|stage| {
            report
                .conditions
                .iter()
                .any(|condition| condition.stages.contains_key(stage))
        })
        .collect();
    let legend: Vec<(Look, &str)> = std::iter::once((Look::GreenPlain, "passed"))
        .chain(used.iter().map(|stage| (look(*stage), stage.text())))
        .collect();
    let stacks: Vec<Stack> = report
        .conditions
        .iter()
        .map(|condition| stack(report, condition))
        .collect();
    let mut stages = by_condition(report, "First stage that failed, episodes")
        .column("counted", |condition| condition.counts.counted)
        .column("passed", |condition| condition.counts.passed);
    for stage in used {
        stages = stages.column(stage.text(), |condition| {
            condition.stages.get(&stage).copied().unwrap_or(0)
        });
    }
    let ends = by_condition(report, "Outcomes, what ended the episodes, and actions")
        .column("outcomes", |condition| counted(&condition.outcomes))
        .column("causes", |condition| counted(&condition.causes))
        .column("actions done", |condition| {
            u64::from(condition.actions.done)
        })
        .column("actions not done", |condition| not_done(&condition.actions));
    vec![
        Block::Text("For each counted episode that did not pass: the first stage that failed for a fact that the task needs. Was it shown, could the mode perceive it, was it captured, was it in an observation, was anything answered, was the answer accepted? The rules go by time and place; they do not read pictures.".to_owned()),
        Block::PageOnly(chart::stacks("Where episodes failed", &stacks, 1.0)),
        Block::PageOnly(chart::legend(&legend, Sample::Fill)),
        stages.below_chart().table(),
        ends.table(),
    ]
}

fn stack(report: &Report, condition: &Condition) -> Stack {
    let name = text::condition(report, condition);
    let counted = condition.counts.counted;
    let segment = |n: u64, look: Look, what: &str| Segment {
        amount: n as f64 / counted.max(1) as f64,
        look,
        tip: format!("{name}: {n} of {counted}, {what}"),
    };
    let passed = segment(condition.counts.passed, Look::GreenPlain, "passed");
    let stages = FailureStage::ALL.iter().filter_map(|stage| {
        let n = *condition.stages.get(stage)?;
        Some(segment(n, look(*stage), stage.text()))
    });
    Stack {
        segments: std::iter::once(passed).chain(stages).collect(),
        value: text::number(counted, "counted episode"),
        label: name,
    }
}

fn look(stage: FailureStage) -> Look {
    match stage {
        FailureStage::AgentFailed => Look::BlackCross,
        FailureStage::NotShown => Look::GreyUpright,
        FailureStage::NotGranted => Look::BlueDiagonal,
        FailureStage::NotCaptured => Look::AmberDots,
        FailureStage::NotObserved => Look::PurpleStripes,
        FailureStage::NotAnswered => Look::RustHatch,
        FailureStage::NotAccepted => Look::RedGrid,
        FailureStage::Unknown => Look::TanCross,
    }
}

fn counted(names: &BTreeMap<String, u64>) -> String {
    let counted: Vec<String> = names
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    counted.join(", ")
}

/// Actions that did not happen, by reason.
fn not_done(actions: &ActionCounts) -> String {
    let ActionCounts {
        done: _,
        off_screen,
        forbidden,
        unknown_key,
        not_granted,
        cancelled,
        invalid,
        failed,
    } = *actions;
    let reasons = [
        ("off-screen", off_screen),
        ("forbidden", forbidden),
        ("unknown key", unknown_key),
        ("not granted", not_granted),
        ("invalid", invalid),
        ("failed", failed),
        ("cancelled", cancelled),
    ];
    let some: Vec<String> = reasons
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(reason, n)| format!("{reason} {n}"))
        .collect();
    if some.is_empty() {
        "none".to_owned()
    } else {
        some.join(", ")
    }
}
