//! Where it went wrong: by category, and by how far the fact came.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::chart::{self, Piece};
use super::parts;
use crate::model::Report;
use crate::text;
use crate::trace::Stage;

/// The specification's categories.
const CATEGORIES: [(&str, &str); 10] = [
    ("A", "podcasts"),
    ("B", "meetings"),
    ("C", "videos"),
    ("D", "carousels"),
    ("E", "dashboards"),
    ("F", "transient messages"),
    ("G", "calls"),
    ("H", "interviews"),
    ("I", "shared documents"),
    ("J", "games"),
];

pub fn categories(report: &Report) -> Markup {
    let mut found: Vec<&str> = report
        .categories
        .iter()
        .map(|share| share.group.as_str())
        .collect();
    found.dedup();
    let title = |letter: &str| {
        CATEGORIES
            .iter()
            .find(|known| known.0 == letter)
            .map_or("", |known| known.1)
    };
    let absent: Vec<&str> = CATEGORIES
        .iter()
        .map(|known| known.0)
        .filter(|letter| !found.contains(letter))
        .collect();
    html! {
        p { "The darker, the more episodes passed; each field says its share and how many episodes it stands on." }
        @if found.is_empty() {
            (parts::missing("No episode counts."))
        } @else {
            div .scroll tabindex="0" role="region" aria-label="Success by category and condition" {
                table .heat {
                    caption { "Success by category and condition" }
                    thead { tr {
                        th scope="col" { "category" }
                        @for index in 0..report.conditions.len() { th scope="col" { (parts::name(report, index)) } }
                    } }
                    tbody {
                        @for letter in &found {
                            tr {
                                th scope="row" { (letter) " " span .small { (title(letter)) } }
                                @for index in 0..report.conditions.len() {
                                    @let cell = report.categories.iter().find(|share| share.group == *letter && share.condition == index);
                                    @match cell {
                                        None => td .none { "not run" },
                                        Some(cell) => {
                                            td .strong[cell.share.value > 0.55] style={"--heat:" (format!("{:.0}%", 8.0 + cell.share.value * 84.0))} title=(text::share(Some(&cell.share))) {
                                                (text::percent(cell.share.value)) " "
                                                span .small { (cell.share.passed) "/" (cell.share.counted) }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if !absent.is_empty() {
                (parts::missing(&format!("No task of these categories in this run: {}.", absent.join(", "))))
            }
        }
    }
}

/// The class of a stage's fill.
fn stage_look(stage: Stage) -> &'static str {
    match stage {
        Stage::AgentFailed => "agent-failed",
        Stage::NotShown => "not-shown",
        Stage::NotGranted => "not-granted",
        Stage::NotCaptured => "not-captured",
        Stage::NotObserved => "not-observed",
        Stage::NotAnswered => "not-answered",
        Stage::NotAccepted => "not-accepted",
        Stage::Unknown => "other",
    }
}

/// Actions that did not happen, by reason.
fn not_done(actions: &dynacu_record::ActionCounts) -> String {
    let reasons = [
        ("off-screen", actions.off_screen),
        ("forbidden", actions.forbidden),
        ("unknown key", actions.unknown_key),
        ("not granted", actions.not_granted),
        ("failed", actions.failed),
        ("cancelled", actions.cancelled),
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

pub fn failures(report: &Report) -> Markup {
    let rows: Vec<(String, String, Vec<Piece>)> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let name = parts::name(report, index);
            let counted = condition.counts.counted;
            let share = |n: u64| n as f64 / counted.max(1) as f64;
            let passed = Piece {
                amount: share(condition.counts.passed),
                look: "passed".to_owned(),
                tip: format!("{name}: {} of {counted} passed", condition.counts.passed),
            };
            let stages = Stage::ALL.iter().filter_map(|stage| {
                let n = *condition.stages.get(stage)?;
                Some(Piece {
                    amount: share(n),
                    look: stage_look(*stage).to_owned(),
                    tip: format!("{name}: {n} of {counted}, {}", stage.text()),
                })
            });
            let pieces = std::iter::once(passed).chain(stages).collect();
            (name, text::number(counted, "counted episode"), pieces)
        })
        .collect();
    let used: Vec<Stage> = Stage::ALL
        .into_iter()
        .filter(|stage| {
            report
                .conditions
                .iter()
                .any(|condition| condition.stages.contains_key(stage))
        })
        .collect();
    let legend: Vec<(&str, &str)> = std::iter::once(("passed", "passed"))
        .chain(used.iter().map(|stage| (stage_look(*stage), stage.text())))
        .collect();
    let head: Vec<&str> = ["condition", "counted", "passed"]
        .into_iter()
        .chain(used.iter().map(|s| s.text()))
        .collect();
    let table: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let mut row = vec![
                parts::name(report, index),
                condition.counts.counted.to_string(),
                condition.counts.passed.to_string(),
            ];
            row.extend(used.iter().map(|stage| {
                condition
                    .stages
                    .get(stage)
                    .copied()
                    .unwrap_or(0)
                    .to_string()
            }));
            row
        })
        .collect();
    let named = |map: &BTreeMap<String, u64>| {
        map.iter()
            .map(|(name, n)| format!("{name} {n}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let causes: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            vec![
                parts::name(report, index),
                named(&condition.outcomes),
                named(&condition.causes),
                condition.actions.done.to_string(),
                not_done(&condition.actions),
            ]
        })
        .collect();
    html! {
        p { "For each counted episode that was not passed: the first thing that did not happen to a fact that the task needs. Was it shown, could the mode perceive it, was it captured, did an observation take it in, was anything answered, was the answer accepted? The rules go by time and place; they do not read pictures." }
        (chart::stacked("How far the fact came", &rows, 1.0))
        (chart::legend(&legend, true))
        (parts::figures("First thing that did not happen, episodes", &head, &table))
        (parts::table("Outcomes, what ended the episodes, and actions", &["condition", "outcomes", "causes", "actions done", "actions not done"], &causes))
    }
}
