//! The command line: one file per command.
//!
//! Exit codes: 0 every episode ran, whatever its score; 1 some could not be run, or a check failed; 2 the command was wrong.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};

use crate::studio::Studio;
use crate::task::home::home;
use crate::task::prepare::Renderer;

pub mod doctor;
pub mod models;
pub mod plugin;
pub mod report;
pub mod rescore;
pub mod run;
pub mod tasks;

const EXAMPLES: &str = "Examples:
  dynacu-host --plugin reference --task A-E1 --mode aoi_audio
  dynacu-host --plugin my-policy.wasm --task A-E1,F-E1 --mode standard,aoi_full --trials 3 --out runs/first
  dynacu-host --plugin claude --model claude-opus-5-5 --task A-E1 --mode aoi_audio --max-cost 2.50
  dynacu-host --plugin claude --page quiz.html --instruction 'Press the colour that is named.' --success correct --mode aoi_full
  dynacu-host --config docs/demo.toml --dry-run
  dynacu-host --plugin reference --mode standard,aoi_full --lanes auto --watch --out runs/all
  dynacu-host --resume runs/all
  dynacu-host doctor";

/// Runs computer-use agents on browser tasks that move and speak, and scores them.
#[derive(Debug, Parser)]
#[command(name = "dynacu-host", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::RunArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The tasks: list, show, check, try, render their speech
    #[command(
        subcommand,
        after_help = "Examples:\n  dynacu-host tasks list\n  dynacu-host tasks play A-E1\n\ndocs/tasks.md says how to write one."
    )]
    Tasks(tasks::TasksCommand),
    /// The model files: list, pull, verify
    #[command(
        subcommand,
        after_help = "Examples:\n  dynacu-host models list\n  dynacu-host models pull"
    )]
    Models(models::ModelsCommand),
    /// Plugins: begin one, check it, make it one file, look into it
    #[command(
        subcommand,
        after_help = "Examples:\n  dynacu-host plugin new my-agent --kind policy --language javascript\n  dynacu-host plugin check my-agent\n\ndocs/plugins.md says how to write one."
    )]
    Plugin(plugin::PluginCommand),
    /// Checks every part of this machine that an episode needs, by using it
    #[command(
        after_help = "Examples:\n  dynacu-host doctor --json\n  dynacu-host doctor --plugin claude --model claude-opus-5-5"
    )]
    Doctor {
        /// As one JSON array
        #[arg(long)]
        json: bool,
        /// A model adapter whose models are asked for a word; may be repeated
        #[arg(long)]
        plugin: Vec<String>,
        /// A TOML file with one table of settings for each plugin
        #[arg(long)]
        settings: Option<std::path::PathBuf>,
        #[command(flatten)]
        model: crate::config::inference::ModelArguments,
    },
    /// Writes report.html, report.json and report.md into a run folder, and view.html into each episode's
    #[command(
        after_help = "Examples:\n  dynacu-host report runs/first\n  dynacu-host report runs/first --json\n  dynacu-host report runs/first --copy published --with reference/standard/A-E1\n\ndocs/report.md says how every figure is computed."
    )]
    Report(report::ReportArguments),
    /// Asks the tasks' scorers again, over the records alone, and shows old and new score side by side
    #[command(
        after_help = "Examples:\n  dynacu-host rescore runs/first\n  dynacu-host rescore runs/first --scorer my-scorer.wasm --task A-E1"
    )]
    Rescore(rescore::RescoreArguments),
    /// Owns a lane's processes and ends them when the host is gone; started by the host itself
    #[command(hide = true, disable_help_flag = true)]
    Supervise { folder: std::path::PathBuf },
}

/// What a command came to.
pub enum Done {
    Well,
    /// It ran, but something could not be run or checked.
    WithFailures,
}

/// Parses, runs, prints. See the module for the exit codes.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing is left to do where not even the message can be printed.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if let Some(Command::Supervise { folder }) = &arguments.command {
        return crate::desktop::supervisor::run(folder);
    }
    let done = crate::program::runtime()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(dispatch(arguments)));
    match done {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::WithFailures) => ExitCode::from(1),
        Err(error) => {
            eprintln!("dynacu-host: {error:#}");
            ExitCode::from(if error.is::<run::CouldNotRun>() { 1 } else { 2 })
        }
    }
}

async fn dispatch(arguments: Arguments) -> anyhow::Result<Done> {
    match arguments.command {
        None => run::run(arguments.run).await,
        Some(Command::Tasks(command)) => {
            let studio = || Ok(Arc::new(Studio::new(None, None)) as Arc<dyn Renderer>);
            tasks::run(command, &home()?, studio).await
        }
        Some(Command::Models(command)) => models::run(&command),
        Some(Command::Plugin(command)) => plugin::run(command).await,
        Some(Command::Doctor {
            json,
            plugin,
            settings,
            model,
        }) => Ok(if doctor::run(json, plugin, settings, model).await? {
            Done::Well
        } else {
            Done::WithFailures
        }),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Rescore(arguments)) => rescore::run(&arguments).await,
        Some(Command::Supervise { .. }) => Ok(Done::Well),
    }
}
