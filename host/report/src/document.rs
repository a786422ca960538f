//! A report as a document: sections of paragraphs, tables and charts. Each table is defined once, in [`crate::sections`];
//! [`crate::html`] and [`crate::markdown`] only lay it out.

use maud::Markup;

use crate::model::TaskCell;
use crate::statistics::Share;

/// A part of the report with a heading.
pub(crate) struct Section<'a> {
    /// The anchor in the page.
    pub id: &'static str,
    pub title: &'static str,
    pub blocks: Vec<Block<'a>>,
}

/// What a section consists of. In texts, backticks enclose names.
pub(crate) enum Block<'a> {
    Text(String),
    /// In place of a chart or table that has no data: why it has none.
    Missing(String),
    Heading(String),
    List(Vec<String>),
    Table(Table<'a>),
    /// Charts and controls. Markdown leaves them out; the figures of every chart are also in a table.
    PageOnly(Markup),
}

/// A table. The first cell of each row is the row's heading.
pub(crate) struct Table<'a> {
    pub caption: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell<'a>>>,
    pub layout: Layout,
}

/// How the page shows a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Layout {
    Open,
    /// Below a line that opens it.
    Folded(String),
    /// The greater a cell's share, the stronger its colour.
    Heat,
    /// With links to episodes, and rows that can be filtered.
    Tasks,
}

/// What a cell holds.
pub(crate) enum Cell<'a> {
    Text(String),
    /// The condition has no episode here.
    NotRun,
    Share(&'a Share),
    /// The episodes of a task in a condition.
    Episodes(&'a str, &'a TaskCell),
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<&str> for Cell<'_> {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Cell::Text(count.to_string())
    }
}

/// A table in the making: a row for each item, columns added one by one.
pub(crate) struct Rows<'a, T> {
    items: Vec<T>,
    table: Table<'a>,
}

impl<'a, T> Rows<'a, T> {
    pub(crate) fn new(caption: impl Into<String>, items: impl IntoIterator<Item = T>) -> Self {
        let items: Vec<T> = items.into_iter().collect();
        Self {
            table: Table {
                caption: caption.into(),
                columns: Vec::new(),
                rows: items.iter().map(|_| Vec::new()).collect(),
                layout: Layout::Open,
            },
            items,
        }
    }

    /// Adds a column: its name, and what it says of an item.
    pub(crate) fn column<C: Into<Cell<'a>>>(
        mut self,
        name: impl Into<String>,
        cell: impl Fn(&T) -> C,
    ) -> Self {
        self.table.columns.push(name.into());
        for (row, item) in self.table.rows.iter_mut().zip(&self.items) {
            row.push(cell(item).into());
        }
        self
    }

    pub(crate) fn layout(mut self, layout: Layout) -> Self {
        self.table.layout = layout;
        self
    }

    /// Below a chart, which shows the same.
    pub(crate) fn below_chart(self) -> Self {
        self.layout(Layout::Folded("The figures as a table".to_owned()))
    }

    pub(crate) fn table(self) -> Block<'a> {
        Block::Table(self.table)
    }
}
