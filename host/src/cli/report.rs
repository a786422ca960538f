//! `dynacu-host report`: what a run's records say.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::Done;

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The run folder
    run: PathBuf,
    /// Instead, writes a copy to send or publish into a new folder
    #[arg(long, value_name = "DIR")]
    copy: Option<PathBuf>,
    /// Episodes whose time lines go into the copy, by a part of their path below the run's folder; may be repeated
    #[arg(long, value_name = "PATH", requires = "copy")]
    with: Vec<String>,
    /// Also prints report.json on standard output
    #[arg(long)]
    json: bool,
}

#[allow(clippy::print_stdout, reason = "the report is this command's output")]
pub fn run(arguments: &ReportArguments) -> Result<Done> {
    let (report, folder) = match &arguments.copy {
        Some(copy) => (
            dynacu_report::copy(&arguments.run, copy, &arguments.with)?,
            copy,
        ),
        None => (dynacu_report::write(&arguments.run)?, &arguments.run),
    };
    let counts = &report.counts;
    eprintln!(
        "{}: {} of {} counted episodes passed, {} not counted",
        folder.join("report.html").display(),
        counts.passed,
        counts.counted,
        counts.infrastructure_errors + counts.unscored
    );
    for note in &report.notes {
        if note.weight == dynacu_report::model::Weight::Warning {
            eprintln!("note: {}", dynacu_figures::plain(&note.text));
        }
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    }
    Ok(Done::Well)
}
