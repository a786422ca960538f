//! Blocks of a section as HTML.

use maud::{Markup, html};

use crate::document::{Block, Cell, Layout, Table};
use crate::model::{EpisodeLine, TaskCell, TimeLine};
use crate::statistics::Share;
use crate::text;

pub(super) fn block(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Text(text) => p { (inline(text)) },
            Block::Missing(why) => p .missing { (inline(why)) },
            Block::Heading(text) => h3 { (text) },
            Block::List(items) => ul { @for item in items { li { (inline(item)) } } },
            Block::PageOnly(markup) => (markup),
            Block::Table(table) => {
                @match &table.layout {
                    Layout::Folded(line) => details { summary { (line) } (scrolling(table)) },
                    Layout::Open | Layout::Heat | Layout::Tasks => (scrolling(table)),
                }
            }
        }
    }
}

/// A text whose names are between backticks.
pub(super) fn inline(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A table that scrolls sideways in itself.
fn scrolling(table: &Table) -> Markup {
    let tasks = table.layout == Layout::Tasks;
    html! {
        div .scroll tabindex="0" role="region" aria-label=(table.caption) {
            table .heat[table.layout == Layout::Heat] id=[tasks.then_some("tasks-table")] {
                caption { (table.caption) }
                thead { tr { @for name in &table.columns { th scope="col" { (name) } } } }
                tbody {
                    @for row in &table.rows {
                        tr id=[row.first().filter(|_| tasks).map(|first| format!("task-{}", plain(first)))] {
                            @for (index, value) in row.iter().enumerate() {
                                @if index == 0 { th scope="row" { (plain(value)) } } @else { (cell(value)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A row's heading is a text.
fn plain<'a>(cell: &'a Cell) -> &'a str {
    match cell {
        Cell::Text(text) => text,
        Cell::NotRun | Cell::Share(_) | Cell::Episodes(..) => "",
    }
}

fn cell(cell: &Cell) -> Markup {
    html! {
        @match cell {
            Cell::Text(text) => td { (text) },
            Cell::NotRun => td .none { "not run" },
            Cell::Share(share) => (heat(share)),
            Cell::Episodes(task, cell) => (episodes(task, cell)),
        }
    }
}

fn heat(share: &Share) -> Markup {
    let heat = format!("--heat:{:.0}%", 8.0 + share.value * 84.0);
    html! {
        td .strong[share.value > 0.55] style=(heat) title=(text::share(Some(share))) {
            (text::percent(share.value)) " "
            span .small { (share.passed) "/" (share.counted) }
        }
    }
}

fn episodes(task: &str, cell: &TaskCell) -> Markup {
    let outcomes: Vec<&str> = cell
        .episodes
        .iter()
        .map(|episode| episode.outcome.as_str())
        .collect();
    html! {
        td data-outcomes=(outcomes.join(" ")) data-mixed[cell.passed > 0 && cell.passed < cell.counted] {
            @if cell.counted == 0 { span .small { "not counted " } }
            @else if cell.episodes.len() > 1 { (cell.passed) "/" (cell.counted) " " }
            @for episode in &cell.episodes { (sign(task, episode)) }
        }
    }
}

fn sign(task: &str, episode: &EpisodeLine) -> Markup {
    let sign = match episode.outcome.as_str() {
        "passed" => "✓",
        "failed" => "✗",
        "timeout" => "◷",
        "agent-error" => "!",
        "infrastructure-error" => "–",
        _ => "?",
    };
    let mut tip = format!(
        "{task}, trial {}: {} ({}), {}, {}",
        episode.trial,
        episode.outcome,
        episode.cause,
        text::number(u64::from(episode.steps), "step"),
        text::seconds(episode.wall_s)
    );
    if let Some(stage) = episode.stage {
        tip.push_str(&format!(". {}", stage.text()));
    }
    if episode.earlier_infrastructure_errors > 0 {
        let errors = u64::from(episode.earlier_infrastructure_errors);
        tip.push_str(&format!(
            ". After {}",
            text::number(errors, "infrastructure error")
        ));
    }
    let missing = match episode.time_line {
        TimeLine::There => None,
        TimeLine::Unreadable => Some("Its events cannot be read"),
        TimeLine::NotCopied => Some("Its time line is not in this copy"),
    };
    html! {
        @if let Some(missing) = missing {
            span class={"sign " (episode.outcome)} role="img" aria-label={(tip) ". " (missing)} data-tip=(tip) { (sign) }
        } @else {
            a class={"sign " (episode.outcome)} href={(link(&episode.path)) "/view.html"} aria-label=(tip) data-tip=(tip) { (sign) }
        }
    }
}

/// A relative path as a link, with everything escaped that a browser would not take for a part of a path.
fn link(path: &str) -> String {
    let mut link = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/+@".contains(&byte) {
            link.push(char::from(byte));
        } else {
            link.push_str(&format!("%{byte:02X}"));
        }
    }
    link
}
