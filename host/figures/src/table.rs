//! Tables as text. Every table of the project that is not HTML is laid out here, by `comfy-table`.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{LineStyle, Table, TableStyle};

use crate::plain;

/// Characters of a cell that are shown. What a cell holds may come from a page; wider than 65535 the library panics.
const WIDEST: usize = 500;

/// Columns two spaces apart, for a terminal or a log, with a line below their names. No line is wrapped, so that the output can
/// be searched and piped; a long cell is cut, and none steers the terminal.
#[must_use]
pub fn text(columns: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.set_header(columns.iter().map(AsRef::as_ref));
    for_terminal(table, rows)
}

/// The same without names.
#[must_use]
pub fn list(rows: &[Vec<String>]) -> String {
    for_terminal(Table::new(), rows)
}

fn for_terminal(mut table: Table, rows: &[Vec<String>]) -> String {
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('-')));
    let shown = |cell: &String| plain::line(cell, WIDEST);
    table.add_rows(rows.iter().map(|row| row.iter().map(shown)));
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index < last { 2 } else { 0 }));
    }
    table.trim_fmt() + "\n"
}

/// A Markdown table. No cell can end its column or begin HTML.
#[must_use]
pub fn markdown(columns: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(columns.iter().map(|name| escaped(name.as_ref())));
    for row in rows {
        table.add_row(row.iter().map(|cell| escaped(cell)));
    }
    table.trim_fmt() + "\n"
}

fn escaped(cell: &str) -> String {
    markdown_line(&plain::plain(&plain::cut(cell, WIDEST))).replace('|', "\\|")
}

/// A text as one line of Markdown in which nothing is HTML. A `<` before a space or a digit is none, and stays.
#[must_use]
pub fn markdown_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let begins_html = |next: &char| next.is_ascii_alphabetic() || "/!?".contains(*next);
        match letter {
            '\n' | '\r' => line.push(' '),
            '<' if letters.peek().is_some_and(begins_html) => line.push_str("&lt;"),
            other => line.push(other),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        [["A-E1", "passed"], ["F-E1-toast", ""]]
            .map(|row| row.map(str::to_owned).to_vec())
            .to_vec()
    }

    #[test]
    fn columns_are_aligned_and_lines_end_at_their_last_letter() {
        assert_eq!(
            text(&["task", "outcome"], &rows()),
            "task        outcome\n-------------------\nA-E1        passed\nF-E1-toast\n"
        );
        assert_eq!(list(&rows()), "A-E1        passed\nF-E1-toast\n");
        assert_eq!(text(&["task"], &[]), "task\n----\n");
    }

    #[test]
    fn a_long_cell_is_not_wrapped() {
        let long = "word ".repeat(80).trim_end().to_owned();
        let table = text(&["detail"], &[vec![long.clone()]]);
        assert!(table.lines().any(|line| line == long), "{table}");
    }

    #[test]
    fn a_cell_of_a_stranger_is_cut_and_fakes_no_row() {
        let cell = format!("\u{1b}[2J\nA-E1  passed{}", "x".repeat(200_000));
        let table = text(&["page result"], &[vec![cell.clone()]]);
        assert_eq!(table.lines().count(), 3, "{table}");
        assert!(table.contains("\\u{1b}[2J A-E1  passedxxx") && table.ends_with("x…\n"));
        let markdown = markdown(&["page result"], &[vec![cell]]);
        assert!(markdown.len() < 4 * WIDEST, "{}", markdown.len());
    }

    #[test]
    fn markdown_keeps_its_columns_whatever_the_cells_hold() {
        let table = markdown(
            &["task", "said"],
            &[vec!["A-E1".to_owned(), "a | b\n<b> < 2".to_owned()]],
        );
        assert_eq!(
            table,
            "| task | said              |\n|------|-------------------|\n| A-E1 | a \\| b &lt;b> < 2 |\n"
        );
    }
}
