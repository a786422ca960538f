//! `report.md`: the same report for a mail or a repository.

use std::fmt::Write;

use dynacu_figures::table::{self, markdown_line as line};

use crate::document::{Block, Cell};
use crate::model::{Report, Weight};
use crate::sections;
use crate::text;

/// The whole text.
#[must_use]
pub(crate) fn markdown(report: &Report) -> String {
    let facts = sections::facts(report);
    let mut out = format!(
        "# Run report\n\n**{}** · {}\n\n{}\n\n",
        facts.passed, facts.run, facts.left_out
    );
    for note in &report.notes {
        let mark = match note.weight {
            Weight::Warning => "**Note.** ",
            Weight::Information => "",
        };
        let _ = writeln!(out, "- {mark}{}", line(&note.text));
    }
    for section in sections::sections(report) {
        let _ = writeln!(out, "\n## {}", section.title);
        for block in &section.blocks {
            write_block(&mut out, block);
        }
    }
    out
}

fn write_block(out: &mut String, block: &Block) {
    let _ = match block {
        Block::Text(text) | Block::Missing(text) => writeln!(out, "\n{}", line(text)),
        Block::Heading(text) => writeln!(out, "\n### {}", line(text)),
        Block::List(items) => {
            let items: String = items
                .iter()
                .map(|item| format!("- {}\n", line(item)))
                .collect();
            write!(out, "\n{items}")
        }
        Block::Table(table) => {
            let rows: Vec<Vec<String>> = table
                .rows
                .iter()
                .map(|row| row.iter().map(cell).collect())
                .collect();
            write!(
                out,
                "\n{}:\n\n{}",
                line(&table.caption),
                table::markdown(&table.columns, &rows)
            )
        }
        Block::PageOnly(_) => Ok(()),
    };
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::NotRun => "not run".to_owned(),
        Cell::Share(share) => format!(
            "{}, {}/{}",
            text::share(Some(share)),
            share.passed,
            share.counted
        ),
        Cell::Episodes(_, cell) => match cell.counted {
            0 => "not counted".to_owned(),
            counted => format!("{} of {counted}", cell.passed),
        },
    }
}
