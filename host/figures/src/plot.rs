//! The charts of [`crate::chart`] as SVG files that stand alone, with a title and a legend.

use maud::{Markup, PreEscaped, html};

use crate::chart::{self, Axis, Line, Look, Point, Sample, Scale};

pub use crate::chart::Series;

/// A file's width. Charts need about as much.
const WIDTH: f64 = 720.0;
const TITLE: f64 = 30.0;
/// The height of a row of the legend, the width of a sample with its margins, and about that of a letter.
const ROW: f64 = 24.0;
const SAMPLE: f64 = 44.0;
const LETTER: f64 = 7.0;
/// A file may be shown on any ground, so it brings its own.
const COLOURS: &str =
    ":root{color-scheme:light;--ink:#1c1d21;--faint:#5d6068;--line:#dcd9d1;--card:#ffffff}";

/// Groups of columns, one column for each series. A budget is drawn as a line across.
#[must_use]
pub fn bars(
    title: &str,
    unit: &str,
    groups: &[String],
    series: &[Series],
    budget: Option<f64>,
) -> String {
    let scale = Scale::holding(values(series).chain(budget));
    let chart = chart::columns(title, &scale, groups, series, budget);
    file(&format!("{title} ({unit})"), &chart, series, Sample::Fill)
}

/// Lines over numbers.
#[must_use]
pub fn lines(title: &str, unit: &str, x_unit: &str, xs: &[f64], series: &[Series]) -> String {
    let axis = Axis::Numbers {
        first: xs.first().copied().unwrap_or(0.0),
        last: xs.last().copied().unwrap_or(1.0),
        unit: x_unit.to_owned(),
    };
    let lines: Vec<Line> = series
        .iter()
        .enumerate()
        .map(|(index, one)| Line {
            look: Look::of_series(index),
            marked: false,
            points: xs
                .iter()
                .zip(&one.values)
                .filter_map(|(x, y)| {
                    Some(Point {
                        x: *x,
                        y: (*y)?,
                        interval: None,
                        tip: String::new(),
                    })
                })
                .collect(),
        })
        .collect();
    let scale = Scale::holding(values(series));
    let chart = chart::lines(title, &scale, &axis, &lines, &[]);
    file(&format!("{title} ({unit})"), &chart, series, Sample::Stroke)
}

fn values(series: &[Series]) -> impl Iterator<Item = f64> {
    series
        .iter()
        .flat_map(|one| one.values.iter().flatten().copied())
}

fn file(title: &str, chart: &Markup, series: &[Series], sample: Sample) -> String {
    let longest = series
        .iter()
        .map(|one| one.name.chars().count())
        .max()
        .unwrap_or(0);
    let columns = (WIDTH / (SAMPLE + LETTER * longest as f64)).clamp(1.0, 4.0) as usize;
    let legend = TITLE + chart::HEIGHT + 10.0;
    let height = legend + ROW * series.len().div_ceil(columns) as f64;
    let place = |index: usize| {
        let across = WIDTH / columns as f64 * (index % columns) as f64;
        (12.0 + across, legend + ROW * (index / columns) as f64)
    };
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(height) font-family="DejaVu Sans, sans-serif" {
            style { (PreEscaped(COLOURS)) (PreEscaped(chart::STYLE)) }
            (chart::patterns())
            rect width="100%" height="100%" fill="#ffffff" {}
            text x="12" y="20" font-size="14" font-weight="bold" fill="#1c1d21" { (title) }
            g transform={"translate(0 " (TITLE) ")"} { (chart) }
            g font-size="12" fill="#5d6068" {
                @for (index, one) in series.iter().enumerate() {
                    @let (x, y) = place(index);
                    g transform={"translate(" (x) " " (y) ")"} {
                        (chart::swatch(Look::of_series(index), sample))
                        text x="24" y="13" { (one.name) }
                    }
                }
            }
        }
    };
    svg.into_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series() -> Vec<Series> {
        vec![
            Series {
                name: "local".to_owned(),
                values: vec![Some(1.0), Some(0.5)],
            },
            Series {
                name: "a < b & \"c\"".to_owned(),
                values: vec![None, Some(0.25)],
            },
        ]
    }

    #[test]
    fn bars_are_as_high_as_their_values() {
        let groups = ["150 ms".to_owned(), "stays".to_owned()];
        let svg = bars("Recall", "share", &groups, &series(), Some(0.98));
        assert_eq!(
            svg.matches("<rect class=\"bar\"").count(),
            2 + 3,
            "legend, columns"
        );
        for (share, height) in [(1.0, "220"), (0.5, "110"), (0.25, "55")] {
            assert!(
                svg.contains(&format!("height=\"{height}\" fill")),
                "no column for {share}: {svg}"
            );
        }
        assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
        assert_eq!(svg.matches("class=\"limit\"").count(), 1);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn lines_leave_holes_out() {
        let svg = lines("Memory", "MiB", "min", &[0.0, 10.0], &series());
        let points: Vec<usize> = svg
            .split(" points=\"")
            .skip(1)
            // After the lines come their samples in the legend.
            .take(2)
            .map(|rest| rest.split('"').next().unwrap_or("").split(' ').count())
            .collect();
        assert_eq!(points, [2, 1]);
        assert!(svg.contains("10 min"));
    }
}
