//! Charts of shares from left to right, one row each.

use maud::{Markup, html};

use super::{Interval, Look};

/// Where 0 is, in percent of the width, and how long 1 is.
const LEFT: f64 = 1.0;
const WIDTH: f64 = 96.0;
/// The height of a row.
const ROW: usize = 44;

/// The x of a share.
fn x(share: f64) -> String {
    format!("{:.2}%", LEFT + WIDTH * share.clamp(0.0, 1.0))
}

/// The width of a share.
fn width(share: f64) -> String {
    format!("{:.2}%", WIDTH * share.clamp(0.0, 1.0))
}

/// Lines at the quarters, with their names.
fn grid(height: usize) -> Markup {
    html! {
        g aria-hidden="true" {
            @for quarter in 0..=4 {
                @let share = f64::from(quarter) / 4.0;
                @let anchor = match quarter { 0 => "start", 4 => "end", _ => "middle" };
                line .grid x1=(x(share)) x2=(x(share)) y1="0" y2=(height) {}
                text .tick x=(x(share)) y=(height + 15) text-anchor=(anchor) { (quarter * 25) " %" }
            }
        }
    }
}

/// What stands above a row: its label on the left, its value on the right.
fn heading(top: usize, label: &str, value: &str) -> Markup {
    html! {
        text .label x=(x(0.0)) y=(top + 14) { (label) }
        text .value x=(x(1.0)) y=(top + 14) text-anchor="end" { (value) }
    }
}

/// A bar with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Stands before the bar.
    pub label: String,
    /// A share, 0 to 1.
    pub share: f64,
    /// Drawn over the bar; None draws nothing.
    pub interval: Interval,
    /// Its colour and pattern.
    pub look: Look,
    /// Shown at the end of the bar.
    pub value: String,
    /// For the pointer and for screen readers.
    pub tip: String,
}

/// Bars from 0 to 100 %.
#[must_use]
pub fn bars(title: &str, bars: &[Bar]) -> Markup {
    let height = ROW * bars.len() + 22;
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(height) {
            (grid(height - 20))
            @for (index, bar) in bars.iter().enumerate() {
                @let top = ROW * index;
                g .mark tabindex="0" role="img" aria-label=(bar.tip) data-tip=(bar.tip) {
                    (heading(top, &bar.label, &bar.value))
                    rect .track x=(x(0.0)) y=(top + 20) width=(width(1.0)) height="16" {}
                    rect .bar x=(x(0.0)) y=(top + 20) width=(width(bar.share)) height="16" fill=(bar.look.fill()) {}
                    @if let Some((low, high)) = bar.interval {
                        line .halo x1=(x(low)) x2=(x(high)) y1=(top + 28) y2=(top + 28) {}
                        line .whisker x1=(x(low)) x2=(x(high)) y1=(top + 28) y2=(top + 28) {}
                        line .whisker x1=(x(low)) x2=(x(low)) y1=(top + 23) y2=(top + 33) {}
                        line .whisker x1=(x(high)) x2=(x(high)) y1=(top + 23) y2=(top + 33) {}
                    }
                }
            }
        }
    }
}

/// A bar that consists of segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    /// Stands before the bar.
    pub label: String,
    /// Shown at the end of the bar.
    pub value: String,
    /// From left to right.
    pub segments: Vec<Segment>,
}

/// A part of a stacked bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// In the unit of the whole.
    pub amount: f64,
    /// Its colour and pattern.
    pub look: Look,
    /// For the pointer and for screen readers.
    pub tip: String,
}

/// Stacked bars. An amount of `whole` fills the width.
#[must_use]
pub fn stacks(title: &str, stacks: &[Stack], whole: f64) -> Markup {
    let whole = whole.max(1e-9);
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(ROW * stacks.len()) {
            @for (row, stack) in stacks.iter().enumerate() {
                @let top = ROW * row;
                (heading(top, &stack.label, &stack.value))
                rect .track x=(x(0.0)) y=(top + 20) width=(width(1.0)) height="16" {}
                @for (start, segment) in starts(&stack.segments).filter(|(_, segment)| segment.amount > 0.0) {
                    rect .bar .mark tabindex="0" role="img" aria-label=(segment.tip) data-tip=(segment.tip)
                        x=(x(start / whole)) y=(top + 20) width=(width(segment.amount / whole))
                        height="16" fill=(segment.look.fill()) {}
                }
            }
        }
    }
}

/// Each segment with the sum of those before it.
fn starts(segments: &[Segment]) -> impl Iterator<Item = (f64, &Segment)> {
    segments.iter().scan(0.0, |sum, segment| {
        let start = *sum;
        *sum += segment.amount;
        Some((start, segment))
    })
}

/// A share before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Stands before the line.
    pub label: String,
    /// A share, 0 to 1.
    pub from: f64,
    /// A share, 0 to 1.
    pub to: f64,
    /// Shown at the end of the row.
    pub value: String,
    /// For the pointer and for screen readers.
    pub tip: String,
}

/// A line for each change, with a marker at either end.
#[must_use]
pub fn changes(title: &str, changes: &[Change], from: Look, to: Look) -> Markup {
    let height = ROW * changes.len() + 22;
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(height) {
            (grid(height - 20))
            @for (index, change) in changes.iter().enumerate() {
                @let top = ROW * index;
                g .mark tabindex="0" role="img" aria-label=(change.tip) data-tip=(change.tip) {
                    (heading(top, &change.label, &change.value))
                    line .whisker x1=(x(change.from)) x2=(x(change.to)) y1=(top + 29) y2=(top + 29) {}
                    svg x=(x(change.from)) y=(top + 29) overflow="visible" { (from.marker()) }
                    svg x=(x(change.to)) y=(top + 29) overflow="visible" { (to.marker()) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_follow_each_other_and_empty_ones_are_left_out() {
        let segment = |amount: f64, tip: &str| Segment {
            amount,
            look: Look::GreyPlain,
            tip: tip.to_owned(),
        };
        let stack = Stack {
            label: "a < b".to_owned(),
            value: "4 s".to_owned(),
            segments: vec![
                segment(1.0, "one"),
                segment(0.0, "none"),
                segment(3.0, "three"),
            ],
        };
        let svg = stacks("Time", &[stack], 4.0).into_string();
        assert!(svg.contains("a &lt; b"));
        assert!(!svg.contains("none"));
        for bar in [
            r#"x="1.00%" y="20" width="24.00%""#,
            r#"x="25.00%" y="20" width="72.00%""#,
        ] {
            assert!(svg.contains(bar), "{bar} is not in {svg}");
        }
    }
}
