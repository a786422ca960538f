//! Charts as inline SVG. Positions across are percentages, so a chart fits a phone with its letters at full size; colour never
//! stands alone: every series has a pattern or a shape of its own.

use maud::{Markup, PreEscaped, html};

/// A series' look, by mode.
pub fn look(mode: &str) -> &'static str {
    match mode {
        "standard" => "standard",
        "aoi_visual" => "visual",
        "aoi_audio" => "audio",
        "aoi_full" => "full",
        "aoi_interactive" => "interactive",
        _ => "other",
    }
}

/// Fills that stay apart without colour. Once a page.
pub fn patterns() -> Markup {
    let dots = "<circle cx='3' cy='3' r='1.4'/>";
    let fills: [(&str, &str); 14] = [
        ("standard", ""),
        ("visual", "<path d='M0 8L8 0M-2 2L2 -2M6 10L10 6'/>"),
        ("audio", dots),
        ("full", "<path d='M0 4H8'/>"),
        ("interactive", "<path d='M0 4H8M4 0V8'/>"),
        ("other", "<path d='M0 0L8 8M0 8L8 0'/>"),
        ("passed", ""),
        ("agent-failed", "<path d='M0 0L8 8M0 8L8 0'/>"),
        ("not-shown", "<path d='M4 0V8'/>"),
        ("not-granted", "<path d='M0 8L8 0M-2 2L2 -2M6 10L10 6'/>"),
        ("not-captured", dots),
        ("not-observed", "<path d='M0 4H8'/>"),
        ("not-answered", "<path d='M0 0L8 8M-2 6L2 10M6 -2L10 2'/>"),
        ("not-accepted", "<path d='M0 4H8M4 0V8'/>"),
    ];
    html! {
        svg .defs aria-hidden="true" width="0" height="0" {
            defs {
                @for (name, lines) in fills {
                    pattern id={"p-" (name)} class={"pattern " (name)} width="8" height="8" patternUnits="userSpaceOnUse" {
                        rect width="8" height="8" {}
                        (PreEscaped(lines))
                    }
                }
            }
        }
    }
}

/// A bar with a whisker.
pub struct Bar {
    pub label: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub look: &'static str,
    /// What stands at its end.
    pub text: String,
    /// What hovering and a screen reader say.
    pub tip: String,
}

const LEFT: f64 = 1.0;
const WIDTH: f64 = 96.0;

fn across(value: f64) -> String {
    format!("{:.2}%", LEFT + WIDTH * value.clamp(0.0, 1.0))
}

fn long(value: f64) -> String {
    format!("{:.2}%", WIDTH * value.clamp(0.0, 1.0))
}

/// Horizontal bars from 0 to 100 %.
pub fn bars(title: &str, bars: &[Bar]) -> Markup {
    let height = 44 * bars.len() + 22;
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(height) {
            (grid(height - 20))
            @for (index, bar) in bars.iter().enumerate() {
                @let top = 44 * index;
                g .mark tabindex="0" role="img" aria-label=(bar.tip) data-tip=(bar.tip) {
                    text .label x=(across(0.0)) y=(top + 14) { (bar.label) }
                    text .value x=(across(1.0)) y=(top + 14) text-anchor="end" { (bar.text) }
                    rect .track x=(across(0.0)) y=(top + 20) width=(long(1.0)) height="16" {}
                    rect .bar x=(across(0.0)) y=(top + 20) width=(long(bar.value)) height="16" fill={"url(#p-" (bar.look) ")"} {}
                    @if let Some((low, high)) = bar.interval {
                        line .halo x1=(across(low)) x2=(across(high)) y1=(top + 28) y2=(top + 28) {}
                        line .whisker x1=(across(low)) x2=(across(high)) y1=(top + 28) y2=(top + 28) {}
                        line .whisker x1=(across(low)) x2=(across(low)) y1=(top + 23) y2=(top + 33) {}
                        line .whisker x1=(across(high)) x2=(across(high)) y1=(top + 23) y2=(top + 33) {}
                    }
                }
            }
        }
    }
}

fn grid(height: usize) -> Markup {
    html! {
        g aria-hidden="true" {
            @for quarter in 0..=4 {
                @let value = f64::from(quarter) / 4.0;
                @let anchor = match quarter { 0 => "start", 4 => "end", _ => "middle" };
                line .grid x1=(across(value)) x2=(across(value)) y1="0" y2=(height) {}
                text .tick x=(across(value)) y=(height + 15) text-anchor=(anchor) { (quarter * 25) " %" }
            }
        }
    }
}

/// A part of a bar that is made of several.
pub struct Piece {
    pub amount: f64,
    pub look: String,
    pub tip: String,
}

/// Bars made of pieces; each is as long as its share of `whole`.
pub fn stacked(title: &str, rows: &[(String, String, Vec<Piece>)], whole: f64) -> Markup {
    let height = 44 * rows.len();
    let place = |pieces: &[Piece], index: usize| {
        pieces
            .iter()
            .take(index)
            .map(|piece| piece.amount)
            .sum::<f64>()
            / whole.max(1e-9)
    };
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(height) {
            @for (row, (label, end, pieces)) in rows.iter().enumerate() {
                @let top = 44 * row;
                text .label x=(across(0.0)) y=(top + 14) { (label) }
                text .value x=(across(1.0)) y=(top + 14) text-anchor="end" { (end) }
                rect .track x=(across(0.0)) y=(top + 20) width=(long(1.0)) height="16" {}
                @for (index, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.amount > 0.0) {
                    rect .bar .mark tabindex="0" role="img" aria-label=(piece.tip) data-tip=(piece.tip)
                        x=(across(place(pieces, index))) y=(top + 20) width=(long(piece.amount / whole.max(1e-9)))
                        height="16" fill={"url(#p-" (piece.look) ")"} {}
                }
            }
        }
    }
}

/// A series of points at whole places from 0 on.
pub struct Line {
    pub look: &'static str,
    pub points: Vec<LinePoint>,
}

/// Place, value, interval, what hovering says.
pub type LinePoint = (usize, f64, Option<(f64, f64)>, String);

const TALL: f64 = 220.0;

fn up(value: f64) -> f64 {
    12.0 + TALL * (1.0 - value.clamp(0.0, 1.0))
}

/// Lines over named places; `bands` are expected ranges at a place.
pub fn lines(
    title: &str,
    places: &[String],
    lines: &[Line],
    bands: &[(usize, f64, f64)],
) -> Markup {
    let step = 88.0 / places.len().max(1) as f64;
    let middle = |place: usize| 11.0 + step * (place as f64 + 0.5);
    let many = lines.len().max(1) as f64;
    // Beside each other, so that whiskers do not cover each other.
    let x = |place: usize, line: usize| {
        let shift = (line as f64 - (many - 1.0) / 2.0) * (step * 0.5 / many);
        format!("{:.2}%", middle(place) + shift)
    };
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(TALL + 44.0) {
            g aria-hidden="true" {
                @for quarter in 0..=4 {
                    @let y = up(f64::from(quarter) / 4.0);
                    line .grid x1="11%" x2="99%" y1=(y) y2=(y) {}
                    text .tick x="10%" y=(y + 4.0) text-anchor="end" { (quarter * 25) " %" }
                }
                @for (place, name) in places.iter().enumerate() {
                    text .label x=(format!("{:.2}%", middle(place))) y=(TALL + 34.0) text-anchor="middle" { (name) }
                }
            }
            @for (place, low, high) in bands {
                @let tip = format!("The specification expects {:.0} to {:.0} % of an agent with the interface", low * 100.0, high * 100.0);
                rect .band .mark tabindex="0" role="img" aria-label=(tip) data-tip=(tip)
                    x=(format!("{:.2}%", middle(*place) - step * 0.45)) width=(format!("{:.2}%", step * 0.9))
                    y=(up(*high)) height=(TALL * (high - low)) {}
            }
            @for (index, line) in lines.iter().enumerate() {
                @for pair in line.points.windows(2) {
                    @if let [a, b] = pair {
                        line class={"series " (line.look)} x1=(x(a.0, index)) x2=(x(b.0, index)) y1=(up(a.1)) y2=(up(b.1)) {}
                    }
                }
                @for (place, value, interval, tip) in &line.points {
                    g .mark tabindex="0" role="img" aria-label=(tip) data-tip=(tip) {
                        @if let Some((low, high)) = interval {
                            line .whisker x1=(x(*place, index)) x2=(x(*place, index)) y1=(up(*low)) y2=(up(*high)) {}
                        }
                        // A nested drawing may stand at a percentage; a shape may not.
                        svg x=(x(*place, index)) y=(up(*value)) overflow="visible" { (marker(line.look)) }
                    }
                }
            }
        }
    }
}

/// A shape for each look.
pub fn marker(look: &str) -> Markup {
    let shape = match look {
        "standard" => "M-6 -6H6V6H-6Z",
        "visual" => "M0 -8L7 6H-7Z",
        "audio" => "M0 8L7 -6H-7Z",
        "full" => "M0 -8L8 0L0 8L-8 0Z",
        "interactive" => "M-2 -7H2V-2H7V2H2V7H-2V2H-7V-2H-2Z",
        _ => "M-6 0A6 6 0 1 0 6 0A6 6 0 1 0 -6 0Z",
    };
    html! { path class={"marker " (look)} d=(shape) {} }
}

/// Names beside their shape or fill.
pub fn legend(items: &[(&str, &str)], filled: bool) -> Markup {
    html! {
        ul .legend aria-hidden="true" {
            @for (look, name) in items {
                li {
                    svg width="18" height="18" {
                        @if filled {
                            rect .bar x="1" y="1" width="16" height="16" fill={"url(#p-" (look) ")"} {}
                        } @else {
                            svg x="9" y="9" overflow="visible" { (marker(look)) }
                        }
                    }
                    (name)
                }
            }
        }
    }
}

/// Two points of one row on a line from 0 to 100 %.
pub struct Gain {
    pub label: String,
    pub from: f64,
    pub to: f64,
    pub text: String,
    pub tip: String,
}

/// Who gains how much: a square for `standard`, a diamond for `aoi_full`.
pub fn gains(title: &str, rows: &[Gain]) -> Markup {
    let height = 46 * rows.len() + 22;
    html! {
        svg .chart role="group" aria-label=(title) width="100%" height=(height) {
            (grid(height - 20))
            @for (index, row) in rows.iter().enumerate() {
                @let top = 46 * index;
                g .mark tabindex="0" role="img" aria-label=(row.tip) data-tip=(row.tip) {
                    text .label x=(across(0.0)) y=(top + 14) { (row.label) }
                    text .value x=(across(1.0)) y=(top + 14) text-anchor="end" { (row.text) }
                    line .whisker x1=(across(row.from)) x2=(across(row.to)) y1=(top + 30) y2=(top + 30) {}
                    svg x=(across(row.from)) y=(top + 30) overflow="visible" { (marker("standard")) }
                    svg x=(across(row.to)) y=(top + 30) overflow="visible" { (marker("full")) }
                }
            }
        }
    }
}
