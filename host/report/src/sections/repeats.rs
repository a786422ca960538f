//! Several trials of each task.

use dynacu_figures::chart::{self, Axis, Line, Look, Point, Sample, Scale};
use maud::html;

use crate::document::{Block, Rows};
use crate::model::{Repeats, Report};
use crate::text;

/// A measure: its name before k, its look, its value.
struct Measure {
    name: &'static str,
    look: Look,
    value: fn(&Repeats) -> f64,
}

const MEASURES: [Measure; 2] = [
    Measure {
        name: "pass@",
        look: Look::GreenStripes,
        value: |repeats| repeats.pass_any,
    },
    Measure {
        name: "pass^",
        look: Look::GreyPlain,
        value: |repeats| repeats.pass_all,
    },
];

pub(super) fn repeats(report: &Report) -> Vec<Block<'_>> {
    if report.repeats.is_empty() {
        return vec![Block::Missing(
            "One counted trial per task: pass@k and pass^k need at least two.".to_owned(),
        )];
    }
    let most = report.repeats.iter().map(|repeats| repeats.k).max();
    let places = (1..=most.unwrap_or(1)).map(|k| format!("k = {k}"));
    let axis = Axis::Places(places.collect());
    let mut conditions: Vec<usize> = report
        .repeats
        .iter()
        .map(|repeats| repeats.condition)
        .collect();
    conditions.dedup();
    let table = Rows::new("Repeats", &report.repeats)
        .column("condition", |repeats| {
            text::condition_at(report, repeats.condition)
        })
        .column("k", |repeats| repeats.k)
        .column("pass@k", |repeats| text::percent(repeats.pass_any))
        .column("pass^k", |repeats| text::percent(repeats.pass_all))
        .column("tasks with k trials", |repeats| repeats.tasks);
    vec![
        Block::Text("pass@k: at least one of k trials passes (upper line). pass^k: all k do (lower line). Means over the tasks that have k counted trials.".to_owned()),
        Block::PageOnly(html! {
            div .cards {
                @for condition in conditions {
                    @let name = text::condition_at(report, condition);
                    figure .card {
                        figcaption { (name) }
                        (chart::lines(&format!("pass@k and pass^k, {name}"), &Scale::percent(), &axis, &lines(report, condition), &[]))
                    }
                }
            }
            (chart::legend(&[(Look::GreenStripes, "pass@k"), (Look::GreyPlain, "pass^k")], Sample::Marker))
        }),
        table.below_chart().table(),
    ]
}

fn lines(report: &Report, condition: usize) -> Vec<Line> {
    let name = text::condition_at(report, condition);
    MEASURES
        .iter()
        .map(|measure| Line {
            look: measure.look,
            marked: true,
            points: report
                .repeats
                .iter()
                .filter(|repeats| repeats.condition == condition)
                .map(|repeats| {
                    let value = (measure.value)(repeats);
                    Point {
                        x: repeats.k as f64 - 1.0,
                        y: value,
                        interval: None,
                        tip: format!(
                            "{name}: {}{} {} over {}",
                            measure.name,
                            repeats.k,
                            text::percent(value),
                            text::number(repeats.tasks, "task")
                        ),
                    }
                })
                .collect(),
        })
        .collect()
}
