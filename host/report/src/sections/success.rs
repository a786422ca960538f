//! Success of conditions and of agents.

use dynacu_figures::chart::{self, Bar, Change, Look};
use maud::html;

use super::{by_condition, comparisons, ends, look};
use crate::document::{Block, Rows};
use crate::model::{Condition, Decided, Report};
use crate::text;

pub(super) fn success(report: &Report) -> Vec<Block<'_>> {
    let bars: Vec<Bar> = report
        .conditions
        .iter()
        .map(|condition| bar(report, condition))
        .collect();
    let table = by_condition(report, "Success by condition")
        .column("success [95 %]", |condition| {
            text::share(condition.success.as_ref())
        })
        .column("of", |condition| {
            condition
                .success
                .as_ref()
                .map_or(text::MISSING.to_owned(), text::of)
        })
        .column("interval", |condition| {
            condition
                .success
                .as_ref()
                .and_then(|share| share.interval.as_ref())
                .map_or(text::MISSING, |interval| text::method(interval.method))
        })
        .column("uncounted as failed", |condition| {
            decided(condition, |decided| decided.failed)
        })
        .column("uncounted as passed", |condition| {
            decided(condition, |decided| decided.passed)
        })
        .column("infrastructure errors", |condition| {
            condition.counts.infrastructure_errors
        })
        .column("unscored", |condition| condition.counts.unscored);
    let mut blocks = vec![
        Block::Text("The share of each task over its trials, then the mean over tasks. Whiskers are 95 % intervals over tasks. Beside it, what it would be if all episodes that do not count had failed, and if all had passed.".to_owned()),
        Block::PageOnly(chart::bars("Success by condition", &bars)),
        table.below_chart().table(),
    ];
    blocks.extend(comparisons::paired(report));
    blocks
}

fn decided(condition: &Condition, pick: fn(&Decided) -> f64) -> String {
    let decided = condition.decided.as_ref();
    decided.map_or(text::MISSING.to_owned(), |decided| {
        text::percent(pick(decided))
    })
}

fn bar(report: &Report, condition: &Condition) -> Bar {
    let name = text::condition(report, condition);
    let share = condition.success.as_ref();
    let nothing = || "no counted episode".to_owned();
    Bar {
        tip: format!(
            "{name}: {}, {}",
            text::share(share),
            share.map_or_else(nothing, text::of)
        ),
        label: name,
        share: share.map_or(0.0, |share| share.value),
        interval: share.and_then(|share| ends(share.interval.as_ref())),
        look: look(&condition.mode),
        value: share.map_or_else(nothing, |share| {
            format!(
                "{} · {}",
                text::percent(share.value),
                text::number(share.tasks, "task")
            )
        }),
    }
}

pub(super) fn agents(report: &Report) -> Vec<Block<'_>> {
    let changes = changes(report);
    let mut blocks = Vec::new();
    if changes.is_empty() {
        blocks.push(Block::Missing(
            "Gains are shown for agents that ran both `standard` and `aoi_full`.".to_owned(),
        ));
    } else {
        blocks.push(Block::PageOnly(html! {
            p {
                "From " code { "standard" } " (square) to " code { "aoi_full" }
                " (diamond), on common tasks, sorted by gain. Where intervals overlap, the order is not a ranking."
            }
            (chart::changes("Gain of each agent from standard to aoi_full", &changes, Look::GreyPlain, Look::GreenStripes))
        }));
    }
    let mut modes: Vec<&str> = report
        .conditions
        .iter()
        .map(|condition| condition.mode.as_str())
        .collect();
    modes.sort_by_key(|mode| crate::build::MODES.iter().position(|known| known == mode));
    modes.dedup();
    let mut table = Rows::new(
        "Success of every agent in every mode [95 %]",
        report.agents.iter().enumerate(),
    )
    .column("agent", |(_, agent)| agent.name.clone());
    for mode in modes {
        table = table.column(mode, |(agent, _)| in_mode(report, *agent, mode));
    }
    blocks.push(table.table());
    blocks
}

/// An agent's success in a mode, with each gate if there are several.
fn in_mode(report: &Report, agent: usize, mode: &str) -> String {
    let cells: Vec<String> = report
        .conditions
        .iter()
        .filter(|condition| condition.agent == agent && condition.mode == mode)
        .map(|condition| {
            let share = text::share(condition.success.as_ref());
            match text::gate(report, condition) {
                Some(gate) => format!("{gate}: {share}"),
                None => share,
            }
        })
        .collect();
    if cells.is_empty() {
        "not run".to_owned()
    } else {
        cells.join("; ")
    }
}

/// From `standard` to `aoi_full`, the largest gain first.
fn changes(report: &Report) -> Vec<Change> {
    let mut changes: Vec<Change> = report
        .headline
        .iter()
        .filter_map(|comparison| {
            let paired = comparison.paired.as_ref()?;
            let agent = text::agent(report, report.conditions.get(comparison.second)?);
            let difference = text::difference(paired);
            Some(Change {
                label: agent.to_owned(),
                from: paired.first,
                to: paired.second,
                tip: format!(
                    "{agent}: standard {}, aoi_full {}, {difference}",
                    text::percent(paired.first),
                    text::percent(paired.second)
                ),
                value: difference,
            })
        })
        .collect();
    changes.sort_by(|a, b| (b.to - b.from).total_cmp(&(a.to - a.from)));
    changes
}
