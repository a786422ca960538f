//! Gates beside each other: lines for the budget table, tables and plots.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dynacu_figures::plot::{self, Series};
use dynacu_figures::{Spread, short};

use super::report::{Budget, Line, Plot, Report, Table};
use super::wall::{LENGTH_NAMES, SIZE_NAMES, Score};
use dynacu_host::perception::encoder::Encoder;
use dynacu_host::perception::keyframe::GateKind;

/// The default gate with captures on damage, as it is called in tables.
pub const WITH_BURST: &str = "local with burst";

/// What each gate keeps of drawn films with known events: restless things and things that matter, one by one; quickly, of each
/// fourth film.
///
/// # Errors
/// The encoder fails.
pub fn films(encoder: &Arc<dyn Encoder>, fps: f32, quick: bool) -> Result<Table> {
    let kinds = || {
        GateKind::ALL
            .into_iter()
            .filter(|kind| *kind != GateKind::None)
    };
    let mut columns = vec!["film", "seconds", "events"];
    columns.extend(kinds().map(GateKind::name));
    let mut table = Table::new(
        "What each gate keeps of drawn films: events that kept frames show, and in brackets how many frames were kept",
        &columns,
    );
    let interval = Duration::from_secs_f32(1.0 / fps);
    for film in dynacu_films::all()
        .into_iter()
        .step_by(if quick { 4 } else { 1 })
    {
        let count = film.events.len();
        let mut row = vec![
            film.name.to_owned(),
            short(f64::from(film.seconds)),
            count.to_string(),
        ];
        for kind in kinds() {
            let kept = film.play(kind, encoder, interval, &film.steady(interval))?;
            row.push(if count == 0 {
                format!("({})", kept.len())
            } else {
                format!("{} ({})", film.seen(&kept), kept.len())
            });
        }
        table.rows.push(row);
    }
    Ok(table)
}

/// Groups of changes that the design promises something about.
fn large_and_long(size: usize, length: usize) -> bool {
    size >= 1 && length >= 2
}

fn large_at(wanted: usize) -> impl Fn(usize, usize) -> bool {
    move |size, length| size >= 1 && length == wanted
}

fn share((caught, all): (usize, usize)) -> Option<f64> {
    (all > 0).then(|| caught as f64 / all as f64)
}

pub fn lines(report: &mut Report, scores: &[(String, Score)], noisy: &BTreeMap<&'static str, f64>) {
    for (name, score) in scores {
        let (long, short_ones, noise) = match name.as_str() {
            "local" => (
                Budget::AtLeast(0.98),
                Budget::AtLeast(0.9),
                Budget::Below(10.0),
            ),
            WITH_BURST => (Budget::AtLeast(0.98), Budget::AtLeast(0.98), Budget::None),
            "spec" => (Budget::None, Budget::None, Budget::None),
            _ => continue,
        };
        report.lines.extend([
            Line::number(
                format!("recall of changes of 0.1 % and more, 700 ms and more, {name}"),
                "",
                long,
                share(score.recall(large_and_long)),
            ),
            Line::number(
                format!("recall of changes of 0.1 % and more, 350 ms, {name}"),
                "",
                short_ones,
                share(score.recall(large_at(1))),
            ),
        ]);
        if let Some(kept) = noisy.get(name.as_str()) {
            report.lines.push(Line::number(
                format!("keyframes a minute on the noise page, {name}"),
                "",
                noise,
                Some(*kept),
            ));
        }
    }
}

/// What each gate kept of the wall and of the noise page, as tables and plots.
pub fn tables(
    report: &mut Report,
    scores: &[(String, Score)],
    noisy: &BTreeMap<&'static str, f64>,
) {
    report.tables.push(of_the_wall(scores, noisy));
    report.tables.extend(by_size_and_length(scores));
    let by_length = recall(
        scores,
        "length",
        "Recall of changes of at least 0.1 % of the screen, by length",
        LENGTH_NAMES,
        |score, length| share(score.recall(|size, other| size >= 1 && other == length)),
    );
    let by_size = recall(
        scores,
        "size",
        "Recall of changes of at least 350 ms, by size",
        SIZE_NAMES,
        |score, size| share(score.recall(|other, length| other == size && length >= 1)),
    );
    report.plots.extend([by_length, by_size, delays(scores)]);
}

fn of_all((caught, all): (usize, usize)) -> String {
    format!("{caught}/{all}")
}

fn of_the_wall(scores: &[(String, Score)], noisy: &BTreeMap<&'static str, f64>) -> Table {
    let mut table = Table::new(
        "Gates on the wall page: changes shown by kept frames",
        &[
            "gate",
            "all",
            "≥ 0.1 %, ≥ 700 ms",
            "≥ 0.1 %, 350 ms",
            "≥ 0.1 %, 150 ms",
            "precision",
            "kept a minute",
            "delay median, ms",
            "delay p95, ms",
            "noise page: kept a minute",
        ],
    );
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
    for (name, score) in scores {
        let delay = score.delay();
        table.rows.push(vec![
            name.clone(),
            of_all(score.recall(|_, _| true)),
            of_all(score.recall(large_and_long)),
            of_all(score.recall(large_at(1))),
            of_all(score.recall(large_at(0))),
            number(score.precision()),
            short(score.per_minute()),
            number(delay.map(|delay| delay.median)),
            number(delay.map(|delay| delay.p95)),
            number(noisy.get(name.as_str()).copied()),
        ]);
    }
    table
}

/// A table for each of the gates that people choose between.
fn by_size_and_length(scores: &[(String, Score)]) -> Vec<Table> {
    let mut tables = Vec::new();
    for (name, score) in scores {
        if !matches!(name.as_str(), "local" | "spec" | WITH_BURST) {
            continue;
        }
        let mut columns = vec!["size"];
        columns.extend(LENGTH_NAMES);
        let mut table = Table::new(
            &format!("Changes that `{name}` kept, by size and length"),
            &columns,
        );
        for (size, size_name) in SIZE_NAMES.iter().enumerate() {
            let mut row = vec![(*size_name).to_owned()];
            row.extend(
                (0..LENGTH_NAMES.len()).map(|length| {
                    of_all(score.recall(|one, other| (one, other) == (size, length)))
                }),
            );
            table.rows.push(row);
        }
        tables.push(table);
    }
    tables
}

/// The recall of every gate that kept something, by one of the two grades.
fn recall(
    scores: &[(String, Score)],
    by: &str,
    title: &str,
    groups: [&str; 5],
    part: impl Fn(&Score, usize) -> Option<f64>,
) -> Plot {
    let values: Vec<Series> = scores
        .iter()
        .filter(|(_, score)| score.kept > 0)
        .map(|(name, score)| Series {
            name: name.clone(),
            values: (0..groups.len()).map(|at| part(score, at)).collect(),
        })
        .collect();
    Plot {
        name: format!("recall-by-{by}"),
        title: title.to_owned(),
        svg: plot::bars(
            title,
            "share",
            &groups.map(str::to_owned),
            &values,
            Some(0.98),
        ),
    }
}

fn delays(scores: &[(String, Score)]) -> Plot {
    let names: Vec<String> = scores.iter().map(|(name, _)| name.clone()).collect();
    let delay = |part: fn(&Spread) -> f64, name: &str| Series {
        name: name.to_owned(),
        values: scores
            .iter()
            .map(|(_, score)| score.delay().as_ref().map(part))
            .collect(),
    };
    let title = "From a change to the decision to keep it";
    Plot {
        name: "keyframe-delays".to_owned(),
        title: title.to_owned(),
        svg: plot::bars(
            title,
            "ms",
            &names,
            &[
                delay(|delay| delay.median, "median"),
                delay(|delay| delay.p95, "p95"),
            ],
            None,
        ),
    }
}
