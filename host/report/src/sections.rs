//! What a report says, section by section. A table's columns are named and filled here and nowhere else.

mod comparisons;
mod cost;
mod failures;
mod groups;
mod method;
mod perception;
mod repeats;
mod success;
mod tasks;
mod time;

use dynacu_figures::chart::Look;

use crate::document::{Rows, Section};
use crate::model::{Condition, Report};
use crate::statistics::Interval;
use crate::text;

/// All sections in their order.
pub(crate) fn sections(report: &Report) -> Vec<Section<'_>> {
    let section = |id, title, blocks| Section { id, title, blocks };
    vec![
        section("headline", "Headline", comparisons::headline(report)),
        section(
            "success",
            "Success by mode and gate",
            success::success(report),
        ),
        section("gains", "Agents side by side", success::agents(report)),
        section("tiers", "Tiers", groups::tiers(report)),
        section("categories", "Categories", groups::categories(report)),
        section(
            "failures",
            "Where it went wrong",
            failures::failures(report),
        ),
        section("time", "Time and steps", time::time(report)),
        section(
            "perception",
            "Perception and speech",
            perception::perception(report),
        ),
        section("cost", "Tokens and cost", cost::cost(report)),
        section("repeats", "Repeats", repeats::repeats(report)),
        section("tasks", "Tasks", tasks::tasks(report)),
        section("method", "How it is computed", method::method(report)),
    ]
}

/// What stands above all sections.
pub(crate) struct Facts {
    pub passed: String,
    pub run: String,
    pub left_out: String,
}

pub(crate) fn facts(report: &Report) -> Facts {
    let (run, counts) = (&report.run, &report.counts);
    let mut facts = vec![
        text::number(report.tasks.len() as u64, "task"),
        text::number(report.agents.len() as u64, "agent"),
        format!(
            "{}, seed {}",
            text::number(u64::from(run.trials), "trial"),
            run.seed
        ),
    ];
    if run.lanes > 1 {
        facts.push(text::number(run.lanes as u64, "lane"));
    }
    facts.push(format!("started {}", text::moment(run.started)));
    facts.push(match run.ended {
        Some(ended) => format!(
            "took {}",
            text::seconds(ended.saturating_sub(run.started) as f64)
        ),
        None => "not ended".to_owned(),
    });
    let mut left_out = format!(
        "{} and {} are left out of every share",
        text::number(counts.infrastructure_errors, "infrastructure error"),
        text::number(counts.unscored, "unscored episode")
    );
    if counts.unfinished > 0 {
        left_out.push_str(&format!(" · {} did not finish", counts.unfinished));
    }
    if counts.unreadable > 0 {
        left_out.push_str(&format!(" · {} cannot be read", counts.unreadable));
    }
    Facts {
        passed: format!(
            "{} of {} counted episodes passed",
            counts.passed, counts.counted
        ),
        run: facts.join(" · "),
        left_out: left_out + ". All intervals are 95 % intervals.",
    }
}

/// A table with a row for each condition.
fn by_condition<'a>(report: &'a Report, caption: &str) -> Rows<'a, &'a Condition> {
    of_conditions(report, caption, |_| true)
}

/// The same for some of the conditions.
fn of_conditions<'a>(
    report: &'a Report,
    caption: &str,
    pick: fn(&Condition) -> bool,
) -> Rows<'a, &'a Condition> {
    let conditions = report.conditions.iter().filter(|condition| pick(condition));
    Rows::new(caption, conditions)
        .column("condition", |condition| text::condition(report, condition))
}

/// How a mode is drawn in charts.
fn look(mode: &str) -> Look {
    match mode {
        "standard" => Look::GreyPlain,
        "aoi_visual" => Look::BlueDiagonal,
        "aoi_audio" => Look::AmberDots,
        "aoi_full" => Look::GreenStripes,
        "aoi_interactive" => Look::PurpleGrid,
        _ => Look::TanCross,
    }
}

fn ends(interval: Option<&Interval>) -> Option<(f64, f64)> {
    interval.map(|interval| (interval.low, interval.high))
}
