//! `dynacu-host plugin …`

use anyhow::Result;
use clap::Subcommand;

use super::Done;

mod built;
mod check;
mod embedded;
mod inspect;
mod new;
mod pack;

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Creates a project that builds with one command
    #[command(
        after_help = "Examples:\n  dynacu-host plugin new my-agent --kind policy --language rust\n  dynacu-host plugin new my-provider --kind model-adapter --language python"
    )]
    New(new::Arguments),
    /// Checks manifest, world and limits, and does a scripted dry run without a desktop
    #[command(
        after_help = "Examples:\n  dynacu-host plugin check my-agent\n  dynacu-host plugin check my-agent.wasm --json"
    )]
    Check(check::Arguments),
    /// Puts plugin.toml into the .wasm, so that one file is the complete plugin
    #[command(
        after_help = "Examples:\n  dynacu-host plugin pack my-agent\n  dynacu-host plugin pack my-agent --out my-agent-0.1.0.wasm"
    )]
    Pack(pack::Arguments),
    /// Shows what a component is, what it imports and what it asks for
    #[command(
        after_help = "Examples:\n  dynacu-host plugin inspect reference\n  dynacu-host plugin inspect my-agent.wasm --json"
    )]
    Inspect(inspect::Arguments),
}

pub async fn run(command: PluginCommand) -> Result<Done> {
    match command {
        PluginCommand::New(arguments) => new::run(&arguments),
        PluginCommand::Check(arguments) => check::run(&arguments).await,
        PluginCommand::Pack(arguments) => pack::run(&arguments),
        PluginCommand::Inspect(arguments) => inspect::run(&arguments).await,
    }
}
