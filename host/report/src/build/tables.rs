//! Shares by tier and category, repeats, and the table of tasks.

use std::collections::{BTreeMap, BTreeSet};

use super::{Group, counts, passed};
use crate::model::{EpisodeLine, GroupShare, Repeats, TaskCell, TaskRow, TimeLine};
use crate::read::Episode;
use crate::statistics::{Share, pass_all, pass_any};

/// The tiers in order, with the success that the specification expects of an agent that has the interface. In `standard` it
/// expects about 0 % in each.
pub(crate) const TIERS: [(&str, (f64, f64)); 3] = [
    ("easy", (0.6, 0.8)),
    ("medium", (0.3, 0.6)),
    ("hard", (0.1, 0.3)),
];

/// The largest k of pass@k.
const MOST_REPEATS: u64 = 10;

pub(super) fn tiers(groups: &[Group]) -> Vec<GroupShare> {
    let mut shares = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        for (tier, of_interface) in TIERS {
            if let Some(share) = Share::of(&group.tally(|episode| episode.result.tier == tier)) {
                let expected = match group.mode.as_str() {
                    "standard" => Some((0.0, 0.0)),
                    "aoi_full" | "aoi_interactive" => Some(of_interface),
                    _ => None,
                };
                shares.push(GroupShare {
                    group: tier.to_owned(),
                    condition: index,
                    share,
                    expected,
                });
            }
        }
    }
    shares
}

pub(super) fn categories(groups: &[Group]) -> Vec<GroupShare> {
    let all: BTreeSet<&str> = groups
        .iter()
        .flat_map(|group| &group.episodes)
        .map(|episode| episode.result.category.as_str())
        .collect();
    let mut shares = Vec::new();
    for category in all {
        for (index, group) in groups.iter().enumerate() {
            let tally = group.tally(|episode| episode.result.category == category);
            if let Some(share) = Share::of(&tally) {
                shares.push(GroupShare {
                    group: category.to_owned(),
                    condition: index,
                    share,
                    expected: None,
                });
            }
        }
    }
    shares
}

pub(super) fn repeats(groups: &[Group]) -> Vec<Repeats> {
    let mut all = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let tasks = group.tally(|_| true);
        let most = tasks
            .iter()
            .map(|task| task.1)
            .max()
            .unwrap_or(0)
            .min(MOST_REPEATS);
        if most < 2 {
            continue;
        }
        for k in 1..=most {
            let mean = |of: fn(u64, u64, u64) -> Option<f64>| {
                let values: Vec<f64> = tasks
                    .iter()
                    .filter_map(|task| of(task.0, task.1, k))
                    .collect();
                (
                    values.iter().sum::<f64>() / values.len() as f64,
                    values.len() as u64,
                )
            };
            let (any, tasks) = mean(pass_any);
            all.push(Repeats {
                condition: index,
                k,
                tasks,
                pass_any: any,
                pass_all: mean(pass_all).0,
            });
        }
    }
    all
}

pub(super) fn tasks(groups: &[Group]) -> Vec<TaskRow> {
    let mut rows: BTreeMap<&str, TaskRow> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        for episode in &group.episodes {
            let result = &episode.result;
            let row = rows.entry(&result.task).or_insert_with(|| TaskRow {
                task: result.task.clone(),
                category: result.category.clone(),
                tier: result.tier.clone(),
                cells: Vec::new(),
            });
            if row.cells.last().is_none_or(|cell| cell.condition != index) {
                row.cells.push(TaskCell {
                    condition: index,
                    passed: 0,
                    counted: 0,
                    episodes: Vec::new(),
                });
            }
            if let Some(cell) = row.cells.last_mut() {
                cell.passed += u64::from(passed(episode));
                cell.counted += u64::from(counts(episode));
                cell.episodes.push(line(episode));
            }
        }
    }
    let mut rows: Vec<TaskRow> = rows.into_values().collect();
    let tier = |row: &TaskRow| TIERS.iter().position(|(tier, _)| *tier == row.tier);
    rows.sort_by(|a, b| (&a.category, tier(a), &a.task).cmp(&(&b.category, tier(b), &b.task)));
    rows
}

fn line(episode: &Episode) -> EpisodeLine {
    let result = &episode.result;
    EpisodeLine {
        trial: result.trial,
        seed: result.seed.clone(),
        outcome: result.outcome.name().to_owned(),
        cause: result.cause.name(),
        stage: episode.trace.as_ref().ok().and_then(|trace| trace.stage),
        detail: result.detail.clone(),
        page_result: result.page_result.clone(),
        score: result.score.as_ref().map(|score| score.value),
        steps: result.steps,
        completion_s: result.time_to_completion_s,
        wall_s: result.wall_s,
        earlier_infrastructure_errors: result.earlier_infrastructure_errors,
        path: episode.path.clone(),
        time_line: match &episode.trace {
            Ok(_) => TimeLine::There,
            Err(_) => TimeLine::Unreadable,
        },
    }
}
