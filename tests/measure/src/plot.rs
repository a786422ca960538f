//! Small drawings of what was measured, as SVG text. Two forms are enough: bars, and lines over time.

use std::fmt::Write as _;

use super::report::short;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 60.0;
/// Told apart without colour too: their lightness differs.
const COLOURS: [&str; 6] = [
    "#1b4f72", "#d9822b", "#4c956c", "#9b2d4f", "#7a7f87", "#8e7cc3",
];

/// Values of one kind, one for each group (bars) or point (lines).
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    /// A hole where there is none.
    pub values: Vec<Option<f64>>,
}

/// Groups of bars. A budget is drawn as a line across.
#[must_use]
pub fn bars(
    title: &str,
    unit: &str,
    groups: &[String],
    series: &[Series],
    budget: Option<f64>,
) -> String {
    let most = top(
        series
            .iter()
            .flat_map(|one| one.values.iter().flatten().copied()),
        budget,
    );
    let mut drawing = Drawing::new(title, unit, most);
    drawing.legend(series);
    let group = (WIDTH - LEFT - RIGHT) / groups.len().max(1) as f64;
    let bar = group * 0.8 / series.len().max(1) as f64;
    for (at, name) in groups.iter().enumerate() {
        let start = LEFT + group * at as f64 + group * 0.1;
        for (number, one) in series.iter().enumerate() {
            let Some(value) = one.values.get(at).copied().flatten() else {
                continue;
            };
            let y = drawing.y(value);
            let _ = writeln!(
                drawing.body,
                r#"<rect x="{:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{}"><title>{}: {} {}</title></rect>"#,
                start + bar * number as f64,
                bar.max(1.0) - 1.0,
                (HEIGHT - BOTTOM - y).max(0.0),
                COLOURS[number % COLOURS.len()],
                escape(name),
                short(value),
                escape(unit),
            );
        }
        drawing.text(start + group * 0.4, HEIGHT - BOTTOM + 16.0, "middle", name);
    }
    drawing.budget(budget);
    drawing.finish()
}

/// Lines over x.
#[must_use]
pub fn lines(title: &str, unit: &str, x_unit: &str, xs: &[f64], series: &[Series]) -> String {
    let most = top(
        series
            .iter()
            .flat_map(|one| one.values.iter().flatten().copied()),
        None,
    );
    let mut drawing = Drawing::new(title, unit, most);
    drawing.legend(series);
    let (first, last) = (
        xs.first().copied().unwrap_or(0.0),
        xs.last().copied().unwrap_or(1.0),
    );
    let span = (last - first).max(f64::EPSILON);
    let x_at = |x: f64| LEFT + (x - first) / span * (WIDTH - LEFT - RIGHT);
    for (number, one) in series.iter().enumerate() {
        let points: Vec<String> = xs
            .iter()
            .zip(&one.values)
            .filter_map(|(x, value)| Some(format!("{:.1},{:.1}", x_at(*x), drawing.y((*value)?))))
            .collect();
        let _ = writeln!(
            drawing.body,
            r#"<polyline points="{}" fill="none" stroke="{}" stroke-width="1.6"/>"#,
            points.join(" "),
            COLOURS[number % COLOURS.len()]
        );
    }
    for quarter in 0..=4 {
        let x = first + span * f64::from(quarter) / 4.0;
        drawing.text(
            x_at(x),
            HEIGHT - BOTTOM + 16.0,
            "middle",
            &format!("{} {x_unit}", short(x)),
        );
    }
    drawing.finish()
}

/// The top of the scale: a round number that nothing exceeds.
fn top(values: impl Iterator<Item = f64>, budget: Option<f64>) -> f64 {
    let most = values.chain(budget).fold(0.0_f64, f64::max);
    if most <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(most.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|step| *step >= most)
        .unwrap_or(most)
}

struct Drawing {
    body: String,
    most: f64,
}

impl Drawing {
    fn new(title: &str, unit: &str, most: f64) -> Self {
        let mut drawing = Self {
            body: String::new(),
            most,
        };
        let _ = writeln!(
            drawing.body,
            r##"<text x="{LEFT}" y="18" font-size="14" font-weight="bold" fill="#1a2230">{}</text>"##,
            escape(&format!("{title} ({unit})"))
        );
        for quarter in 0..=4 {
            let value = most * f64::from(quarter) / 4.0;
            let y = drawing.y(value);
            let _ = writeln!(
                drawing.body,
                r##"<line x1="{LEFT}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}" stroke="#d9dde3"/>"##,
                WIDTH - RIGHT
            );
            drawing.text(LEFT - 6.0, y + 4.0, "end", &short(value));
        }
        drawing
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.most * (HEIGHT - TOP - BOTTOM)
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let _ = writeln!(
            self.body,
            r##"<text x="{x:.1}" y="{y:.1}" font-size="11" text-anchor="{anchor}" fill="#4d5869">{}</text>"##,
            escape(text)
        );
    }

    fn legend(&mut self, series: &[Series]) {
        let step = (WIDTH - LEFT - RIGHT) / series.len().max(4) as f64;
        for (number, one) in series.iter().enumerate() {
            let x = LEFT + step * number as f64;
            let y = HEIGHT - 22.0;
            let _ = writeln!(
                self.body,
                r#"<rect x="{x:.1}" y="{y:.1}" width="10" height="10" fill="{}"/>"#,
                COLOURS[number % COLOURS.len()]
            );
            self.text(x + 15.0, y + 9.0, "start", &one.name);
        }
    }

    fn budget(&mut self, budget: Option<f64>) {
        let Some(budget) = budget else { return };
        let y = self.y(budget);
        let _ = writeln!(
            self.body,
            r##"<line x1="{LEFT}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}" stroke="#b3261e" stroke-dasharray="5 4"><title>budget</title></line>"##,
            WIDTH - RIGHT
        );
    }

    fn finish(self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"DejaVu Sans, sans-serif\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
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
            svg.matches("<rect").count(),
            1 + 2 + 3,
            "ground, legend, bars"
        );
        let height = HEIGHT - TOP - BOTTOM;
        for share in [1.0, 0.5, 0.25] {
            assert!(
                svg.contains(&format!(r#"height="{:.1}" fill"#, height * share)),
                "{svg}"
            );
        }
        assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn lines_leave_holes_out() {
        let svg = lines("Memory", "MiB", "min", &[0.0, 10.0], &series());
        let points: Vec<usize> = svg
            .lines()
            .filter_map(|line| line.strip_prefix("<polyline points=\""))
            .map(|line| line.split('"').next().unwrap_or("").split(' ').count())
            .collect();
        assert_eq!(points, [2, 1]);
        assert!(svg.contains("10 min"));
    }

    #[test]
    fn the_scale_ends_at_a_round_number() {
        assert_eq!(top([0.3, 410.0].into_iter(), None), 500.0);
        assert_eq!(top([0.3].into_iter(), Some(0.98)), 1.0);
        assert_eq!(top(std::iter::empty(), None), 1.0);
    }
}
