//! Reports as text: for a terminal and for a document.

use std::fmt::Write as _;

use dynacu_figures::{short, table};

use super::{Budget, By, Line, Report, Setting, Table};

const HEADER: [&str; 7] = ["", "figure", "budget", "median", "p95", "n", ""];

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
        text.push_str(&table::text(&HEADER, &rows));
        for Table {
            title,
            columns,
            rows,
        } in &self.tables
        {
            let _ = write!(text, "\n{title}\n{}", table::text(columns, rows));
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
            let _ = write!(text, "\n{}", table::markdown(&HEADER, &rows));
        }
        for Table {
            title,
            columns,
            rows,
        } in &self.tables
        {
            let _ = write!(text, "\n**{title}**\n\n{}", table::markdown(columns, rows));
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
