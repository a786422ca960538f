//! Pieces that several sections use.

use maud::{Markup, html};

use crate::model::Report;

/// A table that scrolls sideways in itself. The first column is each row's heading.
pub fn table(caption: &str, head: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        div .scroll tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for name in head { th scope="col" { (name) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (index, value) in row.iter().enumerate() {
                                @if index == 0 { th scope="row" { (value) } } @else { td { (value) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The same folded away below a chart.
pub fn figures(caption: &str, head: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        details { summary { "The figures as a table" } (table(caption, head, rows)) }
    }
}

/// A line in place of a chart that has no data.
pub fn missing(why: &str) -> Markup {
    html! { p .missing { (why) } }
}

/// A condition's name, shorter where there is one agent.
pub fn name(report: &Report, index: usize) -> String {
    let Some(condition) = report.conditions.get(index) else {
        return "?".to_owned();
    };
    let mode = crate::text::mode(report, condition);
    if report.agents.len() == 1 {
        mode
    } else {
        format!("{} · {mode}", crate::text::agent(report, condition))
    }
}
