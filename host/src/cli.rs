//! The command line: one file per command.
//!
//! Exit codes: 0 every episode ran, whatever its score; 1 some could not be run, or a check failed; 2 the command was wrong.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use dynacu_figures::plain;

use crate::config::grants::Grant;
use crate::config::inference::ModelSettings;
use crate::config::settings::{GroupSettings, RunSettings, plugin_tables};
use crate::studio::Studio;
use crate::task::home::home;
use crate::task::prepare::Renderer;

pub mod doctor;
pub mod models;
pub mod plugin;
pub mod report;
pub mod rescore;
pub mod run;
pub mod setup;
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

/// Runs computer-use agents on browser tasks with motion and sound, and scores them.
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
    /// Tasks: list, show, check, play, render speech
    #[command(
        subcommand,
        after_help = "Examples:\n  dynacu-host tasks list\n  dynacu-host tasks play A-E1\n\ndocs/tasks.md says how to write one."
    )]
    Tasks(tasks::TasksCommand),
    /// Model files: list, pull, verify
    #[command(
        subcommand,
        after_help = "Examples:\n  dynacu-host models list\n  dynacu-host models pull"
    )]
    Models(models::ModelsCommand),
    /// Plugins: create, check, pack, inspect
    #[command(
        subcommand,
        after_help = "Examples:\n  dynacu-host plugin new my-agent --kind policy --language javascript\n  dynacu-host plugin check my-agent\n\ndocs/plugins.md says how to write one."
    )]
    Plugin(plugin::PluginCommand),
    /// Installs what this machine lacks to run episodes: Debian packages and model files
    #[command(after_help = "Examples:\n  dynacu-host setup --dry-run\n  dynacu-host setup")]
    Setup(setup::SetupArguments),
    /// Checks every part of this machine that an episode needs, by using it
    #[command(
        after_help = "Examples:\n  dynacu-host doctor --json\n  dynacu-host doctor --plugin claude --model claude-opus-5-5"
    )]
    Doctor {
        /// Prints one JSON array
        #[arg(long)]
        json: bool,
        /// A model adapter whose models get a short test request; may be repeated
        #[arg(long)]
        plugin: Vec<String>,
        /// A model of these adapters, by its provider's name or as ADAPTER/NAME; may be repeated [default: the adapter's first]
        #[arg(long, value_delimiter = ',')]
        model: Vec<String>,
        /// A TOML file with one table of settings for each plugin
        #[arg(long, value_name = "FILE", value_parser = plugin_tables())]
        settings: Option<toml::Table>,
        /// Allows what an adapter asks for: host=HOST, secret=VARIABLE@HOST, memory
        #[arg(long, value_delimiter = ',')]
        grant: Vec<Grant>,
        #[command(flatten)]
        models: ModelSettings,
    },
    /// Writes report.html, report.json and report.md into a run folder, and view.html into each episode's
    #[command(
        after_help = "Examples:\n  dynacu-host report runs/first\n  dynacu-host report runs/first --json\n  dynacu-host report runs/first --copy published --with reference/standard/A-E1\n\ndocs/report.md says how every figure is computed."
    )]
    Report(report::ReportArguments),
    /// Runs the tasks' scorers again on the records alone, and shows old and new scores side by side
    #[command(
        after_help = "Examples:\n  dynacu-host rescore runs/first\n  dynacu-host rescore runs/first --scorer my-scorer.wasm --task A-E1"
    )]
    Rescore(rescore::RescoreArguments),
    /// Owns a lane's processes and ends them when the host is gone; started by the host itself
    #[command(hide = true, disable_help_flag = true)]
    Supervise { folder: std::path::PathBuf },
    /// Compiles one plugin within limits; started by the host itself
    #[command(hide = true, disable_help_flag = true)]
    Compile {
        tuning: String,
        memory_mib: u64,
        cpu_s: u64,
    },
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
            tell(&error);
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match &arguments.command {
        Some(Command::Supervise { folder }) => return crate::desktop::supervisor::run(folder),
        Some(Command::Compile {
            tuning,
            memory_mib,
            cpu_s,
        }) => return dynacu_runtime::compile_as_asked(tuning, *memory_mib, *cpu_s),
        _ => {}
    }
    let done = crate::program::baseline()
        .and_then(|()| Ok(crate::program::runtime()?))
        .and_then(|runtime| runtime.block_on(dispatch(arguments)));
    match done {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::WithFailures) => ExitCode::from(1),
        Err(error) => {
            eprintln!("dynacu-host: {}", plain(&format!("{error:#}")));
            ExitCode::from(if error.is::<run::CouldNotRun>() { 1 } else { 2 })
        }
    }
}

/// Prints help as it is, and what is wrong with a command as every other error of this program.
fn tell(error: &clap::Error) {
    match wrong(&error.render().to_string()) {
        Some(wrong) => eprint!("{wrong}"),
        // Nothing is left to do where not even this can be printed.
        None => drop(error.print()),
    }
}

/// What the parser says is wrong with a command: the first line says it all, with what the value could have been.
fn wrong(text: &str) -> Option<String> {
    let wrong = text.strip_prefix("error: ")?;
    let wrong = wrong.replacen("\n  [possible values: ", " [possible values: ", 1);
    Some(format!("dynacu-host: {wrong}"))
}

async fn dispatch(arguments: Arguments) -> anyhow::Result<Done> {
    match arguments.command {
        None => run::run(arguments.run).await,
        Some(Command::Tasks(command)) => {
            let studio = || Ok(Arc::new(Studio::new(None, None)) as Arc<dyn Renderer>);
            tasks::run(command, &home()?, studio).await
        }
        Some(Command::Setup(arguments)) => setup::run(&arguments).await,
        Some(Command::Models(command)) => models::run(&command).await,
        Some(Command::Plugin(command)) => plugin::run(command).await,
        Some(Command::Doctor {
            json,
            plugin,
            model,
            settings,
            grant,
            models,
        }) => {
            let asked = RunSettings {
                typed: GroupSettings {
                    plugin,
                    model,
                    ..GroupSettings::default()
                },
                settings,
                grant,
                models,
                ..RunSettings::default()
            };
            Ok(if doctor::run(json, asked).await? {
                Done::Well
            } else {
                Done::WithFailures
            })
        }
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Rescore(arguments)) => rescore::run(&arguments).await,
        Some(Command::Supervise { .. } | Command::Compile { .. }) => Ok(Done::Well),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn a_wrong_value_is_told_in_one_line_with_the_right_ones() {
        let told = |arguments: &[&str]| {
            let arguments = ["dynacu-host"].iter().chain(arguments);
            let error = Arguments::try_parse_from(arguments).unwrap_err();
            wrong(&error.render().to_string())
        };
        let mode = told(&["--plugin", "idle", "--mode", "fast"]).unwrap();
        assert_eq!(
            mode.lines().next(),
            Some(
                "dynacu-host: invalid value 'fast' for '--mode <MODE>' [possible values: standard, aoi_visual, aoi_audio, aoi_full, aoi_interactive, needs]"
            )
        );
        let pace = told(&["--pace", "61"]).unwrap();
        assert_eq!(
            pace.lines().next(),
            Some(
                "dynacu-host: invalid value '61' for '--pace <PACE>': must be from 0 to 60 seconds"
            )
        );
        assert_eq!(told(&["--help"]), None);
    }

    #[test]
    fn flags_of_all_tables_go_together_and_help_lists_their_values() {
        let mut command = Arguments::command();
        command.clone().debug_assert();
        let help = command.render_help().to_string();
        assert!(help.starts_with("Runs computer-use agents"), "{help}");
        for values in [
            "standard, aoi_visual, aoi_audio, aoi_full, aoi_interactive, needs",
            "spec, local, pixel, uniform-1, uniform-3, random, none",
            "A, B, C, D, E, F, G, H, I, J",
            "easy, medium, hard",
            "base, tiny, remote",
        ] {
            let flat: Vec<&str> = help.split_whitespace().collect();
            let listed = format!("[possible values: {values}]");
            assert!(flat.join(" ").contains(&listed), "{values}: {help}");
        }
        // What only a file has is no flag.
        assert!(!help.contains("--remote-recognizer") && !help.contains("--group"));
    }
}
