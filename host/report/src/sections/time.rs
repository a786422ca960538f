//! Where an episode's time went, and how many steps it took.

use dynacu_figures::Spread;
use dynacu_figures::chart::{self, Look, Sample, Segment, Stack};

use super::by_condition;
use crate::document::Block;
use crate::model::{Condition, Report};
use crate::text;

const OBSERVING: Look = Look::AmberDots;
const MODEL: Look = Look::PurpleGrid;
const REST: Look = Look::GreyPlain;

pub(super) fn time(report: &Report) -> Vec<Block<'_>> {
    let longest = report
        .conditions
        .iter()
        .map(per_episode)
        .fold(0.0, f64::max);
    let stacks: Vec<Stack> = report
        .conditions
        .iter()
        .map(|condition| stack(report, condition))
        .collect();
    let legend = [(OBSERVING, "observing"), (MODEL, "model"), (REST, "rest")];
    let millis = |spread: &Option<Spread>| text::spread(spread.as_ref(), text::millis);
    let single = by_condition(report, "Single measurements, median / 95th percentile")
        .column("observe", |condition| millis(&condition.time.observe_ms))
        .column("of it recognition", |condition| {
            millis(&condition.time.asr_ms)
        })
        .column("keyframe: capture to decision", |condition| {
            millis(&condition.time.keyframe_ms)
        })
        .column("encoding images", |condition| {
            millis(&condition.time.encode_ms)
        })
        .column("model's answer", |condition| {
            match condition.time.model_s_per_episode {
                Some(_) => millis(&condition.time.model_ms),
                None => "no model".to_owned(),
            }
        });
    let episodes = by_condition(
        report,
        "Steps and time of counted episodes, median / 95th percentile",
    )
    .column("steps", |condition| {
        text::spread(condition.steps.as_ref(), text::whole)
    })
    .column(
        "time to completion (passed)",
        |condition| match &condition.completion_s {
            Some(spread) => text::spread(Some(spread), text::seconds),
            None => "none passed with a time".to_owned(),
        },
    )
    .column("wall time", |condition| {
        text::spread(condition.wall_s.as_ref(), text::seconds)
    });
    vec![
        Block::Text("Mean seconds of an episode: the time that perceiving adds, the time of the model's answers, and the rest. Deliberate waits never count as perceiving.".to_owned()),
        Block::PageOnly(chart::stacks("Mean seconds per episode", &stacks, longest)),
        Block::PageOnly(chart::legend(&legend, Sample::Fill)),
        means(report),
        single.table(),
        episodes.table(),
    ]
}

/// The chart's figures.
fn means(report: &Report) -> Block<'_> {
    by_condition(report, "Mean seconds per episode")
        .column("observing", |condition| {
            text::seconds(condition.time.observe_s_per_episode)
        })
        .column("model", |condition| {
            match condition.time.model_s_per_episode {
                Some(seconds) => text::seconds(seconds),
                None => "no model".to_owned(),
            }
        })
        .column("rest", |condition| {
            text::seconds(condition.time.rest_s_per_episode)
        })
        .below_chart()
        .table()
}

fn per_episode(condition: &Condition) -> f64 {
    let time = &condition.time;
    time.observe_s_per_episode + time.model_s_per_episode.unwrap_or(0.0) + time.rest_s_per_episode
}

fn stack(report: &Report, condition: &Condition) -> Stack {
    let name = text::condition(report, condition);
    let time = &condition.time;
    let segment = |amount: f64, look: Look, what: &str| Segment {
        amount,
        look,
        tip: format!(
            "{name}: {} of {what}, mean per episode",
            text::seconds(amount)
        ),
    };
    Stack {
        segments: vec![
            segment(time.observe_s_per_episode, OBSERVING, "observing"),
            segment(time.model_s_per_episode.unwrap_or(0.0), MODEL, "the model"),
            segment(
                time.rest_s_per_episode,
                REST,
                "everything else (page, pace, policy, setting up)",
            ),
        ],
        value: text::seconds(per_episode(condition)),
        label: name,
    }
}
