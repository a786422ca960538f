//! Charts with values from the bottom to the top.

use maud::{Markup, html};

use super::{Interval, Look};
use crate::number::short;

/// The height between the scale's ends, and what is above and below it.
const TALL: f64 = 220.0;
const ABOVE: f64 = 12.0;
const BELOW: f64 = 32.0;
/// The height of every chart of this kind.
pub(crate) const HEIGHT: f64 = ABOVE + TALL + BELOW;
/// The drawing's left edge and its width, in percent.
const LEFT: f64 = 11.0;
const WIDTH: f64 = 88.0;
/// More names than these at the bottom would cover each other.
const NAMES: usize = 16;

/// A scale from 0 to its top.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    top: f64,
    label: fn(f64) -> String,
}

impl Scale {
    /// Shares, from 0 to 100 %.
    #[must_use]
    pub fn percent() -> Self {
        Self {
            top: 1.0,
            label: |share| format!("{:.0} %", share * 100.0),
        }
    }

    /// Up to a round number that none of the values exceeds.
    #[must_use]
    pub fn holding(values: impl IntoIterator<Item = f64>) -> Self {
        let most = values.into_iter().fold(0.0_f64, f64::max);
        let power = 10_f64.powf(most.log10().floor());
        let top = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|step| step * power)
            .find(|step| *step >= most)
            .unwrap_or(most);
        Self {
            top: if most > 0.0 { top } else { 1.0 },
            label: short,
        }
    }

    /// The y of a value.
    fn y(&self, value: f64) -> f64 {
        ABOVE + self.height(self.top - value)
    }

    /// How tall a value is.
    fn height(&self, value: f64) -> f64 {
        TALL * (value / self.top).clamp(0.0, 1.0)
    }

    /// Lines at the quarters, with their names.
    fn grid(&self) -> Markup {
        html! {
            @for quarter in 0..=4 {
                @let value = self.top * f64::from(quarter) / 4.0;
                @let y = self.y(value);
                line .grid x1=(percent(LEFT)) x2=(percent(LEFT + WIDTH)) y1=(y) y2=(y) {}
                text .tick x=(percent(LEFT - 1.0)) y=(y + 4.0) text-anchor="end" { ((self.label)(value)) }
            }
        }
    }
}

fn percent(x: f64) -> String {
    format!("{x:.2}%")
}

/// A name below the drawing.
fn below(x: f64, anchor: &str, name: &str) -> Markup {
    html! { text .label x=(percent(x)) y=(ABOVE + TALL + 22.0) text-anchor=(anchor) { (name) } }
}

/// What runs along the bottom.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Named places; a point's x is an index.
    Places(Vec<String>),
    /// Numbers from the first to the last, in a unit.
    Numbers {
        /// At the left end.
        first: f64,
        /// At the right end.
        last: f64,
        /// Stands below the numbers.
        unit: String,
    },
}

impl Axis {
    fn step(&self) -> f64 {
        match self {
            Axis::Places(names) => WIDTH / names.len().max(1) as f64,
            Axis::Numbers { .. } => WIDTH / 4.0,
        }
    }

    /// The place of `x` in percent of the width.
    fn place(&self, x: f64) -> f64 {
        match self {
            Axis::Places(_) => LEFT + self.step() * (x + 0.5),
            Axis::Numbers { first, last, .. } => {
                LEFT + WIDTH * (x - first) / (last - first).max(f64::EPSILON)
            }
        }
    }

    fn names(&self) -> Markup {
        html! {
            @match self {
                Axis::Places(names) => {
                    @for (index, name) in names.iter().enumerate().step_by(names.len().div_ceil(NAMES).max(1)) {
                        (below(self.place(index as f64), "middle", name))
                    }
                }
                Axis::Numbers { first, last, unit } => {
                    @for quarter in 0..=4 {
                        @let x = first + (last - first) * f64::from(quarter) / 4.0;
                        (below(self.place(x), if quarter == 4 { "end" } else { "middle" }, &format!("{} {unit}", short(x))))
                    }
                }
            }
        }
    }
}

/// A series of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its colour, dash and marker.
    pub look: Look,
    /// From left to right.
    pub points: Vec<Point>,
    /// Whether each point has a marker and a tip. Lines of hundreds of points have none.
    pub marked: bool,
}

/// A point of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// An index of [`Axis::Places`], or a number.
    pub x: f64,
    /// In the unit of the scale.
    pub y: f64,
    /// Drawn through the point; None draws nothing.
    pub interval: Interval,
    /// For the pointer and for screen readers.
    pub tip: String,
}

/// A range that is expected at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// An index of [`Axis::Places`].
    pub place: usize,
    /// Its lower end, in the unit of the scale.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// For the pointer and for screen readers.
    pub tip: String,
}

/// Lines, with `bands` behind them.
#[must_use]
pub fn lines(title: &str, scale: &Scale, axis: &Axis, lines: &[Line], bands: &[Band]) -> Markup {
    let many = lines.len().max(1) as f64;
    // At a named place lines stand beside each other, so that no whisker covers another.
    let shift = match axis {
        Axis::Places(_) => axis.step() * 0.5 / many,
        Axis::Numbers { .. } => 0.0,
    };
    let x = |point: &Point, line: usize| {
        axis.place(point.x) + (line as f64 - (many - 1.0) / 2.0) * shift
    };
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(HEIGHT) {
            g aria-hidden="true" { (scale.grid()) (axis.names()) }
            @for band in bands {
                rect .band .mark tabindex="0" role="img" aria-label=(band.tip) data-tip=(band.tip)
                    x=(percent(axis.place(band.place as f64) - axis.step() * 0.45)) width=(percent(axis.step() * 0.9))
                    y=(scale.y(band.high)) height=(scale.height(band.high - band.low)) {}
            }
            @for (index, line) in lines.iter().enumerate() {
                // A polyline takes no percentages; in a stretched drawing of its own it needs none.
                svg x="0" y="0" width="100%" height=(HEIGHT) viewBox={"0 0 100 " (HEIGHT)} preserveAspectRatio="none" overflow="visible" {
                    polyline class={"series " (line.look.class())} points=(trace(line, scale, |point| x(point, index))) {}
                }
            }
            @for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.marked) {
                @for point in &line.points {
                    g .mark tabindex="0" role="img" aria-label=(point.tip) data-tip=(point.tip) {
                        @let x = percent(x(point, index));
                        @if let Some((low, high)) = point.interval {
                            line .whisker x1=(x) x2=(x) y1=(scale.y(low)) y2=(scale.y(high)) {}
                        }
                        // A nested drawing may stand at a percentage; a shape may not.
                        svg x=(x) y=(scale.y(point.y)) overflow="visible" { (line.look.marker()) }
                    }
                }
            }
        }
    }
}

fn trace(line: &Line, scale: &Scale, x: impl Fn(&Point) -> f64) -> String {
    let points: Vec<String> = line
        .points
        .iter()
        .map(|point| format!("{:.2},{:.1}", x(point), scale.y(point.y)))
        .collect();
    points.join(" ")
}

/// One value for each group or x. None leaves a hole.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// As the legend has it.
    pub name: String,
    /// In the order of the groups or of x.
    pub values: Vec<Option<f64>>,
}

/// Groups of columns, one column for each series. A limit is a line across.
#[must_use]
pub fn columns(
    title: &str,
    scale: &Scale,
    groups: &[String],
    series: &[Series],
    limit: Option<f64>,
) -> Markup {
    let axis = Axis::Places(groups.to_vec());
    let group = axis.step() * 0.8;
    let column = group / series.len().max(1) as f64;
    let x = |at: usize, number: usize| axis.place(at as f64) - group / 2.0 + column * number as f64;
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(HEIGHT) {
            g aria-hidden="true" { (scale.grid()) (axis.names()) }
            @for (at, name) in groups.iter().enumerate() {
                @for (number, one) in series.iter().enumerate() {
                    @if let Some(value) = one.values.get(at).copied().flatten() {
                        rect .bar x=(percent(x(at, number))) width=(percent(column * 0.9)) y=(scale.y(value)) height=(scale.height(value))
                            fill=(Look::of_series(number).fill()) {
                            title { (name) ", " (one.name) ": " (short(value)) }
                        }
                    }
                }
            }
            @if let Some(limit) = limit {
                line .limit x1=(percent(LEFT)) x2=(percent(LEFT + WIDTH)) y1=(scale.y(limit)) y2=(scale.y(limit)) {
                    title { "limit " (short(limit)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top(values: impl IntoIterator<Item = f64>) -> f64 {
        Scale::holding(values).top
    }

    #[test]
    fn a_scale_ends_at_a_round_number() {
        assert_eq!(top([0.3, 410.0]), 500.0);
        assert_eq!(top([0.3, 0.98]), 1.0);
        assert_eq!(top([1000.0]), 1000.0);
        assert_eq!(top([]), 1.0);
    }

    #[test]
    fn lines_at_places_stand_beside_each_other_and_over_numbers_do_not() {
        let line = |look: Look| Line {
            look,
            marked: false,
            points: [(0.0, 0.0), (1.0, 1.0)]
                .map(|(x, y)| Point {
                    x,
                    y,
                    interval: None,
                    tip: String::new(),
                })
                .to_vec(),
        };
        let two = [line(Look::GreyPlain), line(Look::GreenStripes)];
        let starts = |axis: &Axis| -> Vec<String> {
            lines("Lines", &Scale::percent(), axis, &two, &[])
                .into_string()
                .split("points=\"")
                .skip(1)
                .filter_map(|rest| Some(rest.split(' ').next()?.to_owned()))
                .collect()
        };
        let places = Axis::Places(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(starts(&places), ["27.50,232.0", "38.50,232.0"]);
        let numbers = Axis::Numbers {
            first: 0.0,
            last: 1.0,
            unit: "s".to_owned(),
        };
        assert_eq!(starts(&numbers), ["11.00,232.0", "11.00,232.0"]);
    }
}
