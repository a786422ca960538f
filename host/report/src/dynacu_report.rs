//! Reports on runs.
//!
//! [`write()`] reads a run's folder once and leaves there `report.html` for people (one file, needs no network), `report.json`
//! for machines, `report.md` for a mail or a repository, and in each episode's folder `view.html`, the episode on a time line.
//! `docs/report.md` says how every figure is computed.

#![deny(missing_docs)]

mod build;
mod copy;
mod document;
mod html;
mod markdown;
pub mod model;
mod read;
mod sections;
pub mod statistics;
mod text;
pub mod trace;
mod viewer;

use std::path::Path;

pub use build::report;
pub use copy::copy;
pub use model::Report;
pub use read::{Episode, Error, Run, read_run};

/// Reads a run and writes its report and its episodes' pages into its folder.
///
/// # Errors
/// The folder is not a run, holds no finished episode, or cannot be written to.
pub fn write(folder: &Path) -> Result<Report, Error> {
    let run = read_run(folder, &viewer::write)?;
    let report = report(&run);
    write_report(folder, &report)?;
    Ok(report)
}

/// The report in its three forms.
fn write_report(folder: &Path, report: &Report) -> Result<(), Error> {
    put(folder, "report.json", |path| {
        dynacu_record::write_json(path, report)
    })?;
    let texts = [
        ("report.md", markdown::markdown(report)),
        ("report.html", html::page(report)),
    ];
    for (name, text) in texts {
        put(folder, name, |path| {
            dynacu_record::write_atomically(path, text.as_bytes())
        })?;
    }
    Ok(())
}

fn put(
    folder: &Path,
    name: &str,
    write: impl Fn(&Path) -> std::io::Result<()>,
) -> Result<(), Error> {
    let path = folder.join(name);
    write(&path).map_err(|source| Error::Write { path, source })
}
