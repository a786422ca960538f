//! `dynacu-host measure`: figures of this machine beside their budgets.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use dynacu_runtime::Engine;

use super::{Done, run};
use crate::measure::bed::Bed;
use crate::measure::perception::Extent;
use crate::measure::report::Report;
use crate::measure::{accuracy, document, perception, plugins, speech};
use crate::perception::recognizer::RecognizerChoice;
use crate::task::home::{Home, home};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Capture, keyframes, hearing, observations, cost of each part; six minutes
    Perception,
    /// The voice's delay, and how soon a page is answered; four minutes
    Speech,
    /// What each keyframe gate keeps of drawn films; three minutes
    Gates,
    /// Loading and calling components; half a minute
    Plugins,
    /// Word errors, facts missed, words out of nothing; a quarter of an hour, more the first time
    Accuracy,
    /// All of them, one after the other
    All,
}

#[derive(Debug, Args)]
pub struct MeasureArguments {
    #[arg(value_enum)]
    what: What,
    /// Prints one JSON array of reports on standard output
    #[arg(long)]
    json: bool,
    /// Writes each report as JSON and Markdown, and its plots as SVG, into a folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replaces the measured parts of a document; needs --out, where its plots will lie
    #[arg(long, requires = "out")]
    doc: Option<PathBuf>,
    /// A fraction of everything: to see that it works, not for figures
    #[arg(long)]
    quick: bool,
    /// Lets the talk go on for so many minutes, to see whether its cost grows
    #[arg(long)]
    minutes: Option<u32>,
}

/// Measures what the arguments ask for. Figures that miss their budget are told, and are no failure of the command.
///
/// # Errors
/// A part that is needed is missing or fails.
#[allow(clippy::print_stdout, reason = "the figures are this command's output")]
pub async fn measure(arguments: MeasureArguments) -> Result<Done> {
    ensure!(
        arguments
            .minutes
            .is_none_or(|minutes| (1..=60).contains(&minutes)),
        "--minutes takes 1 to 60"
    );
    let home = home()?;
    let mut reports = Vec::new();
    let wanted = |what| arguments.what == what || arguments.what == What::All;
    let mut keep = |report: Report| -> Result<()> {
        if !arguments.json {
            println!("{}", report.text());
        }
        if let Some(folder) = &arguments.out {
            report.write(folder)?;
            if let Some(document) = &arguments.doc {
                document::refresh(document, &report, folder)?;
            }
        }
        reports.push(report);
        Ok(())
    };
    if wanted(What::Plugins) {
        keep(plugins::measure(&home, arguments.quick).await?)?;
    }
    if wanted(What::Gates) {
        let (home, quick) = (home.clone(), arguments.quick);
        keep(tokio::task::spawn_blocking(move || perception::gates(&home, quick)).await??)?;
    }
    if wanted(What::Perception) || wanted(What::Speech) {
        let mut bed = bed(&home).await?;
        if wanted(What::Perception) {
            let extent = Extent {
                quick: arguments.quick,
                minutes: arguments.minutes,
            };
            keep(perception::measure(&bed, extent).await?)?;
        }
        if wanted(What::Speech) {
            keep(speech::measure(&mut bed, arguments.quick).await?)?;
        }
        bed.close().await?;
    }
    if wanted(What::Accuracy) {
        let home = home.clone();
        let quick = arguments.quick;
        keep(tokio::task::spawn_blocking(move || accuracy::measure(&home, quick)).await??)?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&reports)?);
    }
    Ok(Done::Well)
}

async fn bed(home: &Home) -> Result<Bed> {
    crate::desktop::programs::check()?;
    let bench = run::bench(Engine::new()?, home.clone(), &RecognizerChoice::Base)?;
    Bed::new(bench).await
}
