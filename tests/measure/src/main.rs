//! `dynacu-measure`: figures of this machine beside their budgets.
//!
//! Exit codes: 0 it was measured, whatever the figures; 1 something that is needed is missing or failed; 2 the command was wrong.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Parser, ValueEnum};
use dynacu_host::desktop::{programs, supervisor};
use dynacu_host::perception::recognizer::RecognizerChoice;
use dynacu_host::task::home::{Home, home};
use dynacu_host::{driver, program};
use dynacu_measure::bed::Bed;
use dynacu_measure::perception::Extent;
use dynacu_measure::report::Report;
use dynacu_measure::{accuracy, document, perception, plugins, speech};
use dynacu_runtime::{Compiler, Engine};

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
    /// Word errors, facts missed, words heard in silence; a quarter of an hour, more the first time
    Accuracy,
    /// All of them, one after the other
    All,
}

/// Measures perception, speech, plugins and accuracy on this machine, beside their budgets.
#[derive(Debug, Parser)]
#[command(
    name = "dynacu-measure",
    version,
    after_help = "Examples:\n  dynacu-measure perception\n  dynacu-measure all --out docs/perception --doc docs/perception.md\n  dynacu-measure perception --minutes 10 --json"
)]
struct Arguments {
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
    /// Does a fraction of everything: a smoke test, not for figures
    #[arg(long)]
    quick: bool,
    /// Lets the talk run for this many minutes, to see whether its cost grows
    #[arg(long)]
    minutes: Option<u32>,
}

fn main() -> ExitCode {
    let mut typed = std::env::args_os().skip(1);
    // A lane's supervisor is the program that started the lane, under another command.
    if typed
        .next()
        .is_some_and(|first| first == supervisor::SUBCOMMAND)
    {
        return supervisor::run(&PathBuf::from(typed.next().unwrap_or_default()));
    }
    let arguments = Arguments::parse();
    let done = program::runtime()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(measure(arguments)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dynacu-measure: {error:#}");
            ExitCode::from(1)
        }
    }
}

/// Measures what the arguments ask for. Figures that miss their budget are told, and are no failure of the command.
#[allow(clippy::print_stdout, reason = "the figures are this command's output")]
async fn measure(arguments: Arguments) -> Result<()> {
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
            keep(perception::measure(&mut bed, extent).await?)?;
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
    Ok(())
}

async fn bed(home: &Home) -> Result<Bed> {
    programs::check()?;
    eprintln!("loading the models …");
    let bench = driver::bench(
        Engine::new(Compiler::InProcess)?,
        home.clone(),
        &RecognizerChoice::Base,
    )?;
    Bed::new(bench).await
}
