//! Success by tier and by category.

use dynacu_figures::chart::{self, Axis, Band, Line, Point, Sample, Scale};
use maud::{Markup, html};

use super::{ends, look};
use crate::build::TIERS;
use crate::document::{Block, Cell, Layout, Rows};
use crate::model::{GroupShare, Report};
use crate::text;

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

pub(super) fn tiers(report: &Report) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::Text("Success from easy to hard. The dashed boxes are what the specification expects of an agent with the interface (60–80, 30–60, 10–30 %); of `standard` it expects about 0 % in every tier.".to_owned())];
    let missing: Vec<&str> = TIERS
        .iter()
        .map(|(tier, _)| *tier)
        .filter(|tier| !report.tiers.iter().any(|point| point.group == *tier))
        .collect();
    if !missing.is_empty() {
        blocks.push(Block::Missing(format!(
            "No counted episode of: {}.",
            missing.join(", ")
        )));
    }
    blocks.push(Block::PageOnly(html! {
        @for (agent, named) in report.agents.iter().enumerate() {
            @if report.agents.len() > 1 { h3 { (named.name) } }
            (chart_of(report, agent, &format!("Success by tier, {}", named.name)))
        }
    }));
    let table = Rows::new("Success by tier", &report.tiers)
        .column("tier", |point| point.group.clone())
        .column("condition", |point| {
            text::condition_at(report, point.condition)
        })
        .column("success [95 %]", |point| text::share(Some(&point.share)))
        .column("of", |point| text::of(&point.share))
        .column("specification expects", |point| match point.expected {
            Some((_, 0.0)) => "about 0 %".to_owned(),
            Some((low, high)) => format!("{}–{}", text::percent(low), text::percent(high)),
            None => "nothing for this mode".to_owned(),
        });
    blocks.push(table.below_chart().table());
    blocks
}

/// One agent's tiers: a line for each condition.
fn chart_of(report: &Report, agent: usize, title: &str) -> Markup {
    let mut conditions: Vec<usize> = report.tiers.iter().map(|point| point.condition).collect();
    conditions.dedup();
    let mut lines = Vec::new();
    let mut legend = Vec::new();
    for index in conditions {
        let Some(condition) = report
            .conditions
            .get(index)
            .filter(|condition| condition.agent == agent)
        else {
            continue;
        };
        let look = look(&condition.mode);
        legend.push((look, condition.mode.as_str()));
        lines.push(Line {
            look,
            marked: true,
            points: report
                .tiers
                .iter()
                .filter(|point| point.condition == index)
                .filter_map(|point| tier_point(report, point))
                .collect(),
        });
    }
    legend.dedup();
    let axis = Axis::Places(TIERS.map(|(tier, _)| tier.to_owned()).to_vec());
    html! {
        (chart::lines(title, &Scale::percent(), &axis, &lines, &bands()))
        (chart::legend(&legend, Sample::Marker))
    }
}

fn tier_point(report: &Report, point: &GroupShare) -> Option<Point> {
    let place = TIERS.iter().position(|(tier, _)| *tier == point.group)?;
    Some(Point {
        x: place as f64,
        y: point.share.value,
        interval: ends(point.share.interval.as_ref()),
        tip: format!(
            "{}, {}: {}, {}",
            text::condition_at(report, point.condition),
            point.group,
            text::share(Some(&point.share)),
            text::of(&point.share)
        ),
    })
}

fn bands() -> Vec<Band> {
    TIERS
        .iter()
        .enumerate()
        .map(|(place, (_, (low, high)))| Band {
            place,
            low: *low,
            high: *high,
            tip: format!(
                "The specification expects {:.0} to {:.0} % of an agent with the interface",
                low * 100.0,
                high * 100.0
            ),
        })
        .collect()
}

pub(super) fn categories(report: &Report) -> Vec<Block<'_>> {
    let mut found: Vec<&str> = report
        .categories
        .iter()
        .map(|share| share.group.as_str())
        .collect();
    found.dedup();
    if found.is_empty() {
        return vec![Block::Missing("No episode counts.".to_owned())];
    }
    let absent: Vec<&str> = CATEGORIES
        .iter()
        .map(|(letter, _)| *letter)
        .filter(|letter| !found.contains(letter))
        .collect();
    let mut table = Rows::new("Success by category and condition [95 %]", found)
        .layout(Layout::Heat)
        .column("category", |letter| {
            match CATEGORIES.iter().find(|(known, _)| known == letter) {
                Some((_, name)) => format!("{letter} {name}"),
                None => (*letter).to_owned(),
            }
        });
    for (index, condition) in report.conditions.iter().enumerate() {
        table = table.column(text::condition(report, condition), |letter| {
            report
                .categories
                .iter()
                .find(|share| share.group == **letter && share.condition == index)
                .map_or(Cell::NotRun, |share| Cell::Share(&share.share))
        });
    }
    let mut blocks = vec![
        Block::Text(
            "Each field has the share that passed and the number of episodes behind it.".to_owned(),
        ),
        table.table(),
    ];
    if !absent.is_empty() {
        blocks.push(Block::Missing(format!(
            "No task of these categories in this run: {}.",
            absent.join(", ")
        )));
    }
    blocks
}
