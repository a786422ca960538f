//! `report.html`: one file with everything in it.

mod blocks;

use dynacu_figures::chart;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::{Report, Weight};
use crate::sections;

const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");

/// The whole page.
#[must_use]
pub(crate) fn page(report: &Report) -> String {
    let sections = sections::sections(report);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Run report · DynaCU-Bench" }
                link rel="icon" href="data:,";
                style { (PreEscaped(chart::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                a .skip href="#main" { "Skip to the figures" }
                (chart::patterns())
                header {
                    div .title {
                        h1 { "Run report" }
                        button #theme type="button" aria-label="Switch between light and dark" { "◐" }
                    }
                    (facts(report))
                    nav aria-label="Sections" {
                        @for section in &sections { a href={"#" (section.id)} { (section.title) } }
                    }
                }
                main #main {
                    (notes(report))
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={"h-" (section.id)} {
                            h2 id={"h-" (section.id)} { (section.title) }
                            @for block in &section.blocks { (blocks::block(block)) }
                        }
                    }
                }
                div #tip role="status" hidden {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

fn facts(report: &Report) -> Markup {
    let facts = sections::facts(report);
    html! {
        p .facts { strong { (facts.passed) } " · " (facts.run) }
        p .facts { (facts.left_out) }
    }
}

fn notes(report: &Report) -> Markup {
    html! {
        @if !report.notes.is_empty() {
            aside .notes aria-label="Read this first" {
                ul {
                    @for note in &report.notes {
                        @let warning = note.weight == Weight::Warning;
                        li .warning[warning] {
                            @if warning { strong { "Note. " } }
                            (blocks::inline(&note.text))
                        }
                    }
                }
            }
        }
    }
}
