//! Every task and every episode.

use maud::html;

use crate::document::{Block, Cell, Layout, Rows};
use crate::model::Report;
use crate::text;

pub(super) fn tasks(report: &Report) -> Vec<Block<'_>> {
    let mut table = Rows::new("Tasks and episodes", &report.tasks)
        .layout(Layout::Tasks)
        .column("task", |row| row.task.clone())
        .column("tier", |row| row.tier.clone());
    for (index, condition) in report.conditions.iter().enumerate() {
        table = table.column(text::condition(report, condition), |row| {
            row.cells
                .iter()
                .find(|cell| cell.condition == index)
                .map_or(Cell::NotRun, |cell| Cell::Episodes(&row.task, cell))
        });
    }
    let controls = html! {
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
    };
    vec![Block::PageOnly(controls), table.table()]
}
