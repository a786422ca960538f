//! Reports as text: for a terminal and for a document.

use std::fmt::Write as _;

use super::{Budget, By, Line, Report, Setting};

const HEADER: [&str; 7] = ["", "figure", "budget", "median", "p95", "n", ""];

/// Three significant figures, as many decimals as they need.
#[must_use]
pub fn short(value: f64) -> String {
    let size = value.abs();
    let decimals = if size >= 100.0 || value == 0.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

impl Line {
    fn cells(&self) -> [String; 7] {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
        let by = match self.by {
            By::Mean => " mean",
            By::P95 => " p95",
            By::Itself => "",
        };
        let budget = match self.budget {
            Budget::Below(limit) => format!("< {}", short(limit)),
            Budget::AtLeast(limit) => format!("≥ {}", short(limit)),
            Budget::None => String::new(),
        };
        let met = match self.met {
            Some(true) => "ok",
            Some(false) => "miss",
            None => "",
        };
        [
            self.what.clone(),
            format!("{} {}{by}", number(self.value), self.unit)
                .trim_end()
                .to_owned(),
            budget,
            self.spread
                .map_or_else(String::new, |spread| short(spread.median)),
            self.spread
                .map_or_else(String::new, |spread| short(spread.p95)),
            self.spread
                .map_or_else(String::new, |spread| spread.n.to_string()),
            met.to_owned(),
        ]
    }
}

impl Report {
    /// For a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n\n", self.name, self.about());
        let rows: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| line.cells().to_vec())
            .collect();
        text.push_str(&columns(&HEADER.map(str::to_owned), &rows));
        for table in &self.tables {
            let _ = write!(
                text,
                "\n{}\n{}",
                table.title,
                columns(&table.columns, &table.rows)
            );
        }
        text
    }

    /// For the documentation; plots are linked from `folder`, as seen from the document.
    #[must_use]
    pub fn markdown(&self, folder: &str) -> String {
        let mut text = format!("{}\n", self.about());
        if !self.lines.is_empty() {
            let rows: Vec<Vec<String>> = self
                .lines
                .iter()
                .map(|line| line.cells().to_vec())
                .collect();
            let _ = write!(text, "\n{}", pipes(&HEADER.map(str::to_owned), &rows));
        }
        for table in &self.tables {
            let _ = write!(
                text,
                "\n**{}**\n\n{}",
                table.title,
                pipes(&table.columns, &table.rows)
            );
        }
        for plot in &self.plots {
            let _ = write!(text, "\n![{}]({folder}/{}.svg)\n", plot.title, plot.name);
        }
        text
    }

    fn about(&self) -> String {
        let Setting {
            host_version,
            host_commit,
            machine,
            load,
            choices,
            ..
        } = &self.setting;
        let commit = host_commit.as_deref().map_or_else(String::new, |commit| {
            format!(" ({})", &commit[..commit.len().min(10)])
        });
        let mut parts = vec![
            format!("dynacu-host {host_version}{commit}"),
            format!("{}, {} cores", machine.cpu, machine.cores),
            format!("{} MiB", machine.memory_mib),
            format!("Linux {}", machine.kernel),
            machine.chromium.clone(),
            machine.pulseaudio.clone(),
            format!("load at the start {load:.1}"),
        ];
        parts.extend(
            choices
                .iter()
                .map(|(name, value)| format!("{name} {value}")),
        );
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }
}

fn columns(header: &[String], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        std::iter::once(header)
            .chain(rows.iter().map(Vec::as_slice))
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let mut text = String::new();
    for row in std::iter::once(header).chain(rows.iter().map(Vec::as_slice)) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = width(column).saturating_sub(cell.chars().count());
            let _ = write!(line, "{cell}{}  ", " ".repeat(pad));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn pipes(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(header);
    text.push_str(&line(&vec!["---".to_owned(); header.len()]));
    for row in rows {
        text.push_str(&line(row));
    }
    text
}
