//! Two conditions side by side.

use maud::{Markup, html};

use crate::document::{Block, Layout, Rows};
use crate::model::{Comparison, Kind, Report};
use crate::statistics::Paired;
use crate::text::{self, Verdict};

/// A longer table of comparisons is folded.
const FOLDED: usize = 8;

const KINDS: [(Kind, &str); 3] = [
    (
        Kind::Mode,
        "modes: second against first, on the tasks and seeds of both",
    ),
    (
        Kind::Gate,
        "keyframe gates: second against first, on the tasks and seeds of both",
    ),
    (
        Kind::Agent,
        "agents: second against first, on the tasks and seeds of both",
    ),
];

pub(super) fn headline(report: &Report) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::Text("How much the observation interface adds: `standard` against `aoi_full` on the same tasks, trials and seeds.".to_owned())];
    if report.headline.is_empty() {
        blocks.push(Block::Missing(
            "No agent ran both `standard` and `aoi_full` in this run, so there is no headline."
                .to_owned(),
        ));
        return blocks;
    }
    blocks.push(Block::PageOnly(html! {
        div .cards { @for comparison in &report.headline { (card(report, comparison)) } }
    }));
    let table = table(report, "Standard against aoi_full", &report.headline);
    blocks.push(table.below_chart().table());
    blocks
}

fn card(report: &Report, comparison: &Comparison) -> Markup {
    let agent = report
        .conditions
        .get(comparison.second)
        .map_or("?", |condition| text::agent(report, condition));
    html! {
        article .card {
            h3 { (agent) }
            @match &comparison.paired {
                None => p .missing { "The two modes share no task and seed." },
                Some(paired) => {
                    p .big {
                        span { (text::percent(paired.first)) }
                        span .arrow aria-label="to" { " → " }
                        span { (text::percent(paired.second)) }
                    }
                    p { strong { (text::difference(paired)) } }
                    p .small {
                        (on(paired)) ". " (text::test(paired.test.as_ref())) ". "
                        @match text::verdict(paired) {
                            Verdict::Higher => "The interface helped: the interval does not include 0.",
                            Verdict::Lower => "The interface hurt: the interval does not include 0.",
                            Verdict::NoDifference => "The interval includes 0: this run cannot tell the two apart.",
                            Verdict::Unknown => "No interval can be given.",
                        }
                        @if comparison.unpaired > 0 {
                            " " (text::number(comparison.unpaired, "episode")) " without a counterpart left out."
                        }
                    }
                }
            }
        }
    }
}

/// The paired comparisons, a table for each kind.
pub(super) fn paired(report: &Report) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::Heading("Paired comparisons".to_owned())];
    if report.comparisons.is_empty() {
        blocks.push(Block::Missing(
            "This run has no two conditions that the specification compares.".to_owned(),
        ));
    }
    for (kind, caption) in KINDS {
        let all: Vec<&Comparison> = report
            .comparisons
            .iter()
            .filter(|comparison| comparison.kind == kind)
            .collect();
        let count = all.len();
        if count > 0 {
            let layout = if count > FOLDED {
                Layout::Folded(format!("{count} comparisons of {caption}"))
            } else {
                Layout::Open
            };
            let caption = format!("Comparisons of {caption}");
            blocks.push(table(report, &caption, all).layout(layout).table());
        }
    }
    blocks
}

fn table<'a>(
    report: &Report,
    caption: &str,
    all: impl IntoIterator<Item = &'a Comparison>,
) -> Rows<'a, &'a Comparison> {
    let of_pairs = |comparison: &Comparison, missing: &str, say: fn(&Paired) -> String| {
        comparison.paired.as_ref().map_or(missing.to_owned(), say)
    };
    Rows::new(caption, all)
        .column("question", |comparison| comparison.question.clone())
        .column("first", |comparison| {
            text::condition_at(report, comparison.first)
        })
        .column("second", |comparison| {
            text::condition_at(report, comparison.second)
        })
        .column("on", |comparison| {
            of_pairs(comparison, "no task and seed in common", on)
        })
        .column("shares", |comparison| {
            of_pairs(comparison, text::MISSING, |paired| {
                let (first, second) = (text::percent(paired.first), text::percent(paired.second));
                format!("{first} → {second}")
            })
        })
        .column("difference [95 %]", |comparison| {
            of_pairs(comparison, text::MISSING, text::difference)
        })
        .column("test", |comparison| {
            of_pairs(comparison, text::MISSING, |paired| {
                text::test(paired.test.as_ref())
            })
        })
        .column("p (Holm)", |comparison| {
            comparison
                .p_adjusted
                .map_or(text::MISSING.to_owned(), text::p)
        })
        .column("second is", |comparison| {
            of_pairs(comparison, Verdict::Unknown.text(), |paired| {
                text::verdict(paired).text().to_owned()
            })
        })
}

/// What a comparison stands on.
fn on(paired: &Paired) -> String {
    format!(
        "{}, {}",
        text::number(paired.tasks, "task"),
        text::number(paired.pairs, "pair")
    )
}
