//! Charts as SVG elements, for a page. [`crate::plot`] makes files of them.
//!
//! Positions across are percentages, so a chart fits a phone with its letters at full size. Colour never stands alone: each
//! [`Look`] has a pattern, a shape and a dash of its own. A page that shows charts includes [`STYLE`] and, once, [`patterns`].

mod horizontal;
mod look;
mod vertical;

use maud::{Markup, html};

pub use horizontal::{Bar, Change, Segment, Stack, bars, changes, stacks};
pub use look::{Look, Sample, patterns, swatch};
pub(crate) use vertical::HEIGHT;
pub use vertical::{Axis, Band, Line, Point, Scale, Series, columns, lines};

/// The rules that all charts need. They use the colours `--ink`, `--faint`, `--line` and `--card` of the page.
pub const STYLE: &str = include_str!("../assets/chart.css");

/// The ends of an interval around a value.
type Interval = Option<(f64, f64)>;

/// Names, each beside a sample of its look.
#[must_use]
pub fn legend(items: &[(Look, &str)], sample: Sample) -> Markup {
    html! {
        ul .legend aria-hidden="true" {
            @for (look, name) in items {
                li { svg width="18" height="18" { (swatch(*look, sample)) } (name) }
            }
        }
    }
}
