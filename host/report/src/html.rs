//! `report.html`: one file with everything in it.

mod chart;
mod failures;
mod overview;
mod parts;
mod sections;
mod tasks;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::Report;
use crate::text;

const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");

/// The whole page.
#[must_use]
pub fn page(report: &Report) -> String {
    let sections: [(&str, &str, Markup); 11] = [
        ("headline", "Headline", overview::headline(report)),
        (
            "success",
            "Success by mode and gate",
            overview::success(report),
        ),
        ("gains", "Agents side by side", overview::gains(report)),
        ("tiers", "Tiers", overview::tiers(report)),
        ("categories", "Categories", failures::categories(report)),
        (
            "failures",
            "Where it went wrong",
            failures::failures(report),
        ),
        ("time", "Time and steps", sections::time(report)),
        (
            "perception",
            "Perception and speech",
            sections::perception(report),
        ),
        ("cost", "Tokens and cost", sections::cost(report)),
        ("repeats", "Repeats", sections::repeats(report)),
        ("tasks", "Tasks", tasks::table(report)),
    ];
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Run report · DynaCU-Bench" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a .skip href="#main" { "Skip to the figures" }
                (chart::patterns())
                header {
                    div .title {
                        h1 { "Run report" }
                        button #theme type="button" aria-label="Change between light and dark" { "◐" }
                    }
                    (facts(report))
                    nav aria-label="Sections" {
                        @for (id, title, _) in &sections { a href={"#" (id)} { (title) } }
                        a href="#method" { "How it is computed" }
                    }
                }
                main #main {
                    (notes(report))
                    @for (id, title, content) in &sections {
                        section id=(id) aria-labelledby={"h-" (id)} {
                            h2 id={"h-" (id)} { (title) }
                            (content)
                        }
                    }
                    section #method aria-labelledby="h-method" {
                        h2 #h-method { "How it is computed" }
                        (sections::method(report))
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
    let (run, counts) = (&report.run, &report.counts);
    html! {
        p .facts {
            strong { (counts.passed) " of " (counts.counted) " counted episodes passed" }
            " · " (text::number(report.tasks.len() as u64, "task"))
            " · " (text::number(report.agents.len() as u64, "agent"))
            " · " (text::number(u64::from(run.trials), "trial")) ", seed " (run.seed)
            @if run.lanes > 1 { " · " (text::number(run.lanes as u64, "lane")) }
            " · begun " (text::moment(run.started))
            @if let Some(ended) = run.ended {
                " · took " (text::seconds(ended.saturating_sub(run.started) as f64))
            } @else { " · not ended" }
        }
        p .facts {
            (counts.infrastructure_errors) " infrastructure errors and " (counts.unscored)
            " unscored episodes are left out of every share"
            @if counts.unfinished > 0 { " · " (counts.unfinished) " never became whole" }
            @if counts.unreadable > 0 { " · " (counts.unreadable) " cannot be read" }
            ". All intervals are for 95 %."
        }
    }
}

fn notes(report: &Report) -> Markup {
    use crate::model::Weight;
    html! {
        @if !report.notes.is_empty() {
            aside .notes aria-label="Read this first" {
                ul {
                    @for note in &report.notes {
                        @let warning = note.weight == Weight::Warning;
                        li .warning[warning] {
                            @if warning { strong { "Note. " } }
                            // What stands between backticks is a name.
                            @for (index, part) in note.text.split('`').enumerate() {
                                @if index % 2 == 1 { code { (part) } } @else { (part) }
                            }
                        }
                    }
                }
            }
        }
    }
}
