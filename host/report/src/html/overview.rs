//! The first sections: headline, success, agents side by side, tiers.

use maud::{Markup, html};

use super::chart::{self, Bar, Gain, Line};
use super::parts;
use crate::model::{Comparison, GroupShare, Kind, Report};
use crate::statistics::Interval;
use crate::text;

pub fn headline(report: &Report) -> Markup {
    html! {
        p { "How much the observation interface adds: " code { "standard" } " against " code { "aoi_full" } " on the same tasks, trials and seeds." }
        @if report.headline.is_empty() {
            (parts::missing("No agent ran both standard and aoi_full in this run, so there is no headline."))
        } @else {
            div .cards {
                @for comparison in &report.headline { (card(report, comparison)) }
            }
            (parts::figures("Standard against aoi_full", &COMPARED, &compared(report, &report.headline)))
        }
    }
}

fn card(report: &Report, comparison: &Comparison) -> Markup {
    let agent = report
        .conditions
        .get(comparison.second)
        .map_or("?", |condition| text::agent(report, condition));
    html! {
        article .card {
            h3 { (agent) }
            @match &comparison.paired {
                None => (parts::missing("The two modes share no task and seed.")),
                Some(paired) => {
                    p .big {
                        span { (text::percent(paired.first)) }
                        span .arrow aria-label="to" { " → " }
                        span { (text::percent(paired.second)) }
                    }
                    p { strong { (text::difference(paired)) } }
                    p .small {
                        (text::number(paired.tasks, "task")) ", " (text::number(paired.pairs, "pair")) ". "
                        (text::test(paired.test.as_ref())) ". "
                        @match text::verdict(paired) {
                            "higher" => "The interface helped: the interval leaves out 0.",
                            "lower" => "The interface hurt: the interval leaves out 0.",
                            "not told apart" => "The interval holds 0: this run does not tell the two apart.",
                            _ => "No interval can be given.",
                        }
                        @if comparison.unpaired > 0 {
                            " " (text::number(comparison.unpaired, "episode")) " without a counterpart left out."
                        }
                    }
                }
            }
        }
    }
}

const COMPARED: [&str; 8] = [
    "question",
    "first",
    "second",
    "on",
    "shares",
    "difference [95 %]",
    "test",
    "p by Holm; second is",
];

/// More comparisons than these are folded away.
const FOLDED: usize = 8;

const KINDS: [(Kind, &str); 3] = [
    (
        Kind::Mode,
        "modes: second against first, on the tasks and seeds of both",
    ),
    (
        Kind::Gate,
        "keyframe gates: second against first, on the tasks and seeds of both",
    ),
    (
        Kind::Agent,
        "agents: second against first, on the tasks and seeds of both",
    ),
];

fn compared<'a>(
    report: &Report,
    all: impl IntoIterator<Item = &'a Comparison>,
) -> Vec<Vec<String>> {
    all.into_iter()
        .map(|comparison| {
            let mut row = vec![
                comparison.question.clone(),
                parts::name(report, comparison.first),
                parts::name(report, comparison.second),
            ];
            match &comparison.paired {
                Some(paired) => row.extend([
                    format!(
                        "{}, {}",
                        text::number(paired.tasks, "task"),
                        text::number(paired.pairs, "pair")
                    ),
                    format!(
                        "{} → {}",
                        text::percent(paired.first),
                        text::percent(paired.second)
                    ),
                    text::difference(paired),
                    text::test(paired.test.as_ref()),
                    format!(
                        "{}; {}",
                        comparison
                            .p_adjusted
                            .map_or(text::MISSING.to_owned(), text::p),
                        text::verdict(paired)
                    ),
                ]),
                None => row.extend(
                    [
                        "no task and seed in common",
                        "–",
                        "–",
                        "–",
                        "cannot be said",
                    ]
                    .map(str::to_owned),
                ),
            }
            row
        })
        .collect()
}

fn ends(interval: Option<&Interval>) -> Option<(f64, f64)> {
    interval.map(|interval| (interval.low, interval.high))
}

pub fn success(report: &Report) -> Markup {
    let bars: Vec<Bar> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let name = parts::name(report, index);
            let share = condition.success.as_ref();
            let counted = share.map_or("nothing counts".to_owned(), text::of);
            Bar {
                tip: format!("{name}: {}, {counted}", text::share(share)),
                label: name,
                value: share.map_or(0.0, |share| share.value),
                interval: share.and_then(|share| ends(share.interval.as_ref())),
                look: chart::look(&condition.mode),
                text: share.map_or("nothing counts".to_owned(), |share| {
                    format!(
                        "{} · {}",
                        text::percent(share.value),
                        text::number(share.tasks, "task")
                    )
                }),
            }
        })
        .collect();
    let rows: Vec<Vec<String>> = report
        .conditions
        .iter()
        .enumerate()
        .map(|(index, condition)| {
            let share = condition.success.as_ref();
            vec![
                parts::name(report, index),
                text::share(share),
                share.map_or(text::MISSING.to_owned(), text::of),
                share
                    .and_then(|share| share.interval.as_ref())
                    .map_or(text::MISSING.to_owned(), |interval| {
                        text::method(interval.method).to_owned()
                    }),
                condition.counts.infrastructure_errors.to_string(),
                condition.counts.unscored.to_string(),
            ]
        })
        .collect();
    let head = [
        "condition",
        "success [95 %]",
        "of",
        "interval",
        "infrastructure errors",
        "unscored",
    ];
    html! {
        p { "The share of each task over its trials, then the mean over tasks. Whiskers are 95 % intervals over tasks." }
        (chart::bars("Success by condition", &bars))
        (parts::figures("Success by condition", &head, &rows))
        h3 { "Paired comparisons" }
        @if report.comparisons.is_empty() {
            (parts::missing("This run has no two conditions that the specification compares."))
        } @else {
            @for (kind, caption) in KINDS {
                @let all: Vec<&Comparison> = report.comparisons.iter().filter(|comparison| comparison.kind == kind).collect();
                @if !all.is_empty() {
                    @let rows = compared(report, all.iter().copied());
                    @if rows.len() > FOLDED {
                        details { summary { (rows.len()) " comparisons of " (caption) } (parts::table(caption, &COMPARED, &rows)) }
                    } @else {
                        (parts::table(caption, &COMPARED, &rows))
                    }
                }
            }
        }
    }
}

pub fn gains(report: &Report) -> Markup {
    let mut rows: Vec<Gain> = report
        .headline
        .iter()
        .filter_map(|comparison| {
            let paired = comparison.paired.as_ref()?;
            let agent = text::agent(report, report.conditions.get(comparison.second)?);
            Some(Gain {
                label: agent.to_owned(),
                from: paired.first,
                to: paired.second,
                text: text::difference(paired),
                tip: format!(
                    "{agent}: standard {}, aoi_full {}, {}",
                    text::percent(paired.first),
                    text::percent(paired.second),
                    text::difference(paired)
                ),
            })
        })
        .collect();
    rows.sort_by(|a, b| (b.to - b.from).total_cmp(&(a.to - a.from)));
    let modes: Vec<&str> = {
        let mut modes: Vec<&str> = report.conditions.iter().map(|c| c.mode.as_str()).collect();
        modes.sort_by_key(|mode| crate::build::MODES.iter().position(|known| known == mode));
        modes.dedup();
        modes
    };
    let table: Vec<Vec<String>> = report
        .agents
        .iter()
        .enumerate()
        .map(|(agent, named)| {
            let mut row = vec![named.name.clone()];
            row.extend(modes.iter().map(|mode| {
                let cells: Vec<String> = report
                    .conditions
                    .iter()
                    .filter(|condition| condition.agent == agent && condition.mode == **mode)
                    .map(|condition| {
                        match (&condition.gate, text::mode(report, condition).contains('@')) {
                            (Some(gate), true) => {
                                format!("{gate}: {}", text::share(condition.success.as_ref()))
                            }
                            _ => text::share(condition.success.as_ref()),
                        }
                    })
                    .collect();
                if cells.is_empty() {
                    "not run".to_owned()
                } else {
                    cells.join("; ")
                }
            }));
            row
        })
        .collect();
    let head: Vec<&str> = std::iter::once("agent")
        .chain(modes.iter().copied())
        .collect();
    html! {
        @if rows.is_empty() {
            (parts::missing("Who gains how much needs an agent that ran both standard and aoi_full."))
        } @else {
            p { "From " code { "standard" } " (square) to " code { "aoi_full" } " (diamond), on common tasks. The order is that of the gains; where intervals overlap it is no ranking." }
            (chart::gains("Gain of each agent from standard to aoi_full", &rows))
        }
        (parts::table("Success of every agent in every mode [95 %]", &head, &table))
    }
}

pub fn tiers(report: &Report) -> Markup {
    let names: Vec<String> = ["easy", "medium", "hard"].map(str::to_owned).to_vec();
    let place = |tier: &str| names.iter().position(|name| name == tier);
    let bands = [(0, 0.6, 0.8), (1, 0.3, 0.6), (2, 0.1, 0.3)];
    let of_agent = |agent: usize| {
        let mut lines: Vec<(usize, Line)> = Vec::new();
        for point in &report.tiers {
            let Some(condition) = report.conditions.get(point.condition) else {
                continue;
            };
            let (true, Some(at)) = (condition.agent == agent, place(&point.group)) else {
                continue;
            };
            let share = &point.share;
            let tip = format!(
                "{}, {}: {}, {}",
                parts::name(report, point.condition),
                point.group,
                text::share(Some(share)),
                text::of(share)
            );
            let value = (at, share.value, ends(share.interval.as_ref()), tip);
            match lines.last_mut() {
                Some((index, line)) if *index == point.condition => line.points.push(value),
                _ => lines.push((
                    point.condition,
                    Line {
                        look: chart::look(&condition.mode),
                        points: vec![value],
                    },
                )),
            }
        }
        lines
            .into_iter()
            .map(|(_, line)| line)
            .collect::<Vec<Line>>()
    };
    let missing: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|tier| !report.tiers.iter().any(|point| point.group == *tier))
        .collect();
    html! {
        p {
            "Success from easy to hard. The dashed boxes are what the specification expects of an agent with the interface (60–80, 30–60, 10–30 %); of "
            code { "standard" } " it expects about 0 % in every tier."
        }
        @if !missing.is_empty() {
            (parts::missing(&format!("No counted episode of: {}.", missing.join(", "))))
        }
        @for (agent, named) in report.agents.iter().enumerate() {
            @if report.agents.len() > 1 { h3 { (named.name) } }
            (chart::lines(&format!("Success by tier, {}", named.name), &names, &of_agent(agent), &bands))
            (legend_of(report, agent))
        }
        (parts::figures("Success by tier", &["tier", "condition", "success [95 %]", "of", "specification expects"], &rows(report, &report.tiers)))
    }
}

fn legend_of(report: &Report, agent: usize) -> Markup {
    let mut modes: Vec<&str> = report
        .conditions
        .iter()
        .filter(|condition| condition.agent == agent)
        .map(|condition| condition.mode.as_str())
        .collect();
    modes.dedup();
    let items: Vec<(&str, &str)> = modes
        .into_iter()
        .map(|mode| (chart::look(mode), mode))
        .collect();
    chart::legend(&items, false)
}

fn rows(report: &Report, points: &[GroupShare]) -> Vec<Vec<String>> {
    points
        .iter()
        .map(|point| {
            let expected = match point.expected {
                Some((_, 0.0)) => "about 0 %".to_owned(),
                Some((low, high)) => format!("{}–{}", text::percent(low), text::percent(high)),
                None => "says nothing of this mode".to_owned(),
            };
            vec![
                point.group.clone(),
                parts::name(report, point.condition),
                text::share(Some(&point.share)),
                text::of(&point.share),
                expected,
            ]
        })
        .collect()
}
