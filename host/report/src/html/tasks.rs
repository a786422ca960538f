//! Every task and every episode, with links.

use maud::{Markup, html};

use super::parts;
use crate::model::{EpisodeLine, Report, TimeLine};
use crate::text;

pub fn table(report: &Report) -> Markup {
    html! {
        p { "Each sign is an episode; it leads to its time line. ✓ passed, ✗ failed, ◷ timeout, ! agent error, – infrastructure error, ? unscored." }
        div .filters role="search" aria-label="Filter the tasks" {
            label { "Task " input #find type="search" placeholder="A-E1"; }
            label { "Show "
                select #only {
                    option value="" { "all" }
                    option value="failed timeout agent-error" { "not passed" }
                    option value="infrastructure-error unscored" { "not counted" }
                    option value="mixed" { "passed in some trials only" }
                }
            }
            output #shown for="find only" {}
        }
        div .scroll tabindex="0" role="region" aria-label="Tasks and episodes" {
            table #tasks-table {
                caption { "Tasks and episodes" }
                thead { tr {
                    th scope="col" { "task" }
                    th scope="col" { "tier" }
                    @for index in 0..report.conditions.len() { th scope="col" { (parts::name(report, index)) } }
                } }
                tbody {
                    @for row in &report.tasks {
                        tr id={"task-" (row.task)} {
                            th scope="row" { (row.task) }
                            td { (row.tier) }
                            @for index in 0..report.conditions.len() {
                                @match row.cells.iter().find(|cell| cell.condition == index) {
                                    None => td .none { "not run" },
                                    Some(cell) => {
                                        td data-outcomes=(outcomes(&cell.episodes)) data-mixed[cell.passed > 0 && cell.passed < cell.counted] {
                                            @if cell.counted == 0 { span .small { "not counted " } }
                                            @else if cell.episodes.len() > 1 { (cell.passed) "/" (cell.counted) " " }
                                            @for episode in &cell.episodes { (sign(&row.task, episode)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn outcomes(episodes: &[EpisodeLine]) -> String {
    episodes
        .iter()
        .map(|episode| episode.outcome.as_str())
        .collect::<Vec<_>>()
        .join(" ")
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
        tip.push_str(&format!(
            ". After {} infrastructure errors",
            episode.earlier_infrastructure_errors
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

/// A relative path as a link: what a browser would take for something else is escaped.
pub fn link(path: &str) -> String {
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
