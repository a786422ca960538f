//! `dynacu-host report`: what a run's records say.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::Done;

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The run folder
    run: PathBuf,
    /// Prints report.json on standard output, too
    #[arg(long)]
    json: bool,
}

#[allow(clippy::print_stdout, reason = "the report is this command's output")]
pub fn run(arguments: &ReportArguments) -> Result<Done> {
    let report = dynacu_report::write(&arguments.run)?;
    let counts = &report.counts;
    eprintln!(
        "{}: {} of {} counted episodes passed, {} not counted",
        arguments.run.join("report.html").display(),
        counts.passed,
        counts.counted,
        counts.infrastructure_errors + counts.unscored
    );
    for note in &report.notes {
        if note.weight == dynacu_report::model::Weight::Warning {
            eprintln!("note: {}", note.text);
        }
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    }
    Ok(Done::Well)
}
