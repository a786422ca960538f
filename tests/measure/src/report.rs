//! What a measurement came to: figures beside their budgets, tables, plots; as text, as Markdown, as JSON.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use dynacu_figures::Spread;
use dynacu_record::{Machine, ModelFile};
use procfs::{Current, LoadAverage};
use serde::Serialize;

mod render;

/// What the design promises of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    Below(f64),
    AtLeast(f64),
    /// Told, not promised.
    None,
}

/// Which number of a spread is the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    Mean,
    P95,
    /// One number, not a spread.
    Itself,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    pub what: String,
    pub unit: &'static str,
    pub by: By,
    pub budget: Budget,
    /// None where nothing was measured.
    pub value: Option<f64>,
    pub spread: Option<Spread>,
    /// Whether the budget is met; none without one. Nothing measured is a miss.
    pub met: Option<bool>,
}

impl Line {
    #[must_use]
    pub fn spread(
        what: impl Into<String>,
        unit: &'static str,
        by: By,
        budget: Budget,
        spread: Option<Spread>,
    ) -> Self {
        let value = spread.map(|spread| match by {
            By::Mean | By::Itself => spread.mean,
            By::P95 => spread.p95,
        });
        Self {
            what: what.into(),
            unit,
            by,
            budget,
            value,
            spread,
            met: met(budget, value),
        }
    }

    #[must_use]
    pub fn number(
        what: impl Into<String>,
        unit: &'static str,
        budget: Budget,
        value: Option<f64>,
    ) -> Self {
        Self {
            what: what.into(),
            unit,
            by: By::Itself,
            budget,
            value,
            spread: None,
            met: met(budget, value),
        }
    }
}

fn met(budget: Budget, value: Option<f64>) -> Option<bool> {
    match budget {
        Budget::Below(limit) => Some(value.is_some_and(|value| value < limit)),
        Budget::AtLeast(limit) => Some(value.is_some_and(|value| value >= limit)),
        Budget::None => None,
    }
}

/// A table beside the budgets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    #[must_use]
    pub fn new(title: &str, columns: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rows: Vec::new(),
        }
    }
}

/// A drawing, by its file name without the ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plot {
    pub name: String,
    pub title: String,
    pub svg: String,
}

/// Where and with what it was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    pub host_version: String,
    pub host_commit: Option<String>,
    /// Seconds since 1970.
    pub taken: u64,
    pub machine: Machine,
    /// Processes that could run when it began, beside this one's: other work makes every figure worse.
    pub load: f64,
    pub models: Vec<ModelFile>,
    pub choices: BTreeMap<String, String>,
}

/// Everything of one `measure`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// `perception`, `speech`, `plugins`, `accuracy`.
    pub name: &'static str,
    pub setting: Setting,
    pub lines: Vec<Line>,
    pub tables: Vec<Table>,
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

impl Report {
    /// An empty report on this machine.
    ///
    /// # Errors
    /// The lock file of the models cannot be read.
    pub fn begin(name: &'static str, root: &Path) -> Result<Self> {
        use dynacu_host::suite::machine;
        Ok(Self {
            name,
            setting: Setting {
                host_version: env!("CARGO_PKG_VERSION").to_owned(),
                host_commit: machine::commit(root),
                taken: std::time::SystemTime::now()
                    .duration_since(std::time::UNIX_EPOCH)
                    .map_or(0, |time| time.as_secs()),
                machine: machine::describe(),
                load: LoadAverage::current().map_or(0.0, |load| load.one.into()),
                models: machine::models()?,
                choices: BTreeMap::new(),
            },
            lines: Vec::new(),
            tables: Vec::new(),
            plots: Vec::new(),
        })
    }

    pub fn choose(&mut self, name: &str, value: impl ToString) {
        self.setting
            .choices
            .insert(name.to_owned(), value.to_string());
    }

    /// Whether every budget is met.
    #[must_use]
    pub fn met(&self) -> bool {
        self.lines.iter().all(|line| line.met != Some(false))
    }

    /// Writes `<name>.json`, `<name>.md` and every plot into a folder.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let place = || {
            format!(
                "cannot write into {}: choose another --out",
                folder.display()
            )
        };
        std::fs::create_dir_all(folder).with_context(place)?;
        let json = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(folder.join(format!("{}.json", self.name)), json).with_context(place)?;
        std::fs::write(folder.join(format!("{}.md", self.name)), self.markdown("."))
            .with_context(place)?;
        for plot in &self.plots {
            std::fs::write(folder.join(format!("{}.svg", plot.name)), &plot.svg)
                .with_context(place)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::begin("perception", Path::new("/")).unwrap();
        report.lines = vec![
            Line::spread(
                "gate",
                "ms",
                By::Mean,
                Budget::Below(1.0),
                Spread::of([0.5, 0.7]),
            ),
            Line::spread(
                "observe",
                "ms",
                By::P95,
                Budget::Below(700.0),
                Spread::of([640.0, 810.4]),
            ),
            Line::number("intervals kept", "%", Budget::AtLeast(99.0), Some(99.0)),
            Line::number("not reached", "ms", Budget::Below(5.0), None),
            Line::number("memory", "MiB", Budget::None, Some(412.34)),
        ];
        let mut table = Table::new("Gates", &["gate", "recall"]);
        table
            .rows
            .push(vec!["local".to_owned(), "60/60".to_owned()]);
        report.tables.push(table);
        report.plots.push(Plot {
            name: "recall".to_owned(),
            title: "Recall".to_owned(),
            svg: "<svg/>".to_owned(),
        });
        report
    }

    #[test]
    fn a_line_says_whether_its_budget_is_met() {
        let report = report();
        let met: Vec<_> = report.lines.iter().map(|line| line.met).collect();
        assert_eq!(
            met,
            [Some(true), Some(false), Some(true), Some(false), None]
        );
        assert!(!report.met());
        let text = report.text();
        for line in [
            "gate            0.6 ms mean",
            "observe         810 ms p95",
            "99 %         ≥ 99",
            "– ms         < 5",
            "412 MiB",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn all_forms_are_written() {
        let folder = tempfile::tempdir().unwrap();
        report().write(folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let json: serde_json::Value = serde_json::from_str(&read("perception.json")).unwrap();
        assert_eq!(json["lines"][1]["budget"]["below"], 700.0);
        assert_eq!(json["lines"][1]["spread"]["n"], 2);
        let markdown = read("perception.md");
        let unpadded = markdown.replace(' ', "");
        assert!(unpadded.contains("|local|60/60|"), "{markdown}");
        assert!(markdown.contains("![Recall](./recall.svg)"), "{markdown}");
        assert_eq!(read("recall.svg"), "<svg/>");
    }
}
