//! `dynacu-host plugin …`

use anyhow::Result;
use clap::Subcommand;
use dynacu_runtime::{Engine, Plugin};

use super::Done;
use crate::task::home::home;

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Shows what a component is, what it imports and what it asks for
    #[command(after_help = "Example:\n  dynacu-host plugin inspect reference")]
    Inspect {
        /// A .wasm file, or the name of a bundled plugin
        plugin: String,
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[allow(clippy::print_stdout, reason = "the report is this command's output")]
pub fn run(command: PluginCommand) -> Result<Done> {
    let PluginCommand::Inspect { plugin, json } = command;
    let path = home()?.plugin_or_file(&plugin)?;
    let plugin = Plugin::load(&Engine::new()?, &path)?;
    let inspection = plugin.inspect();
    if json {
        println!("{}", serde_json::to_string(&inspection)?);
    } else {
        print!("{inspection}");
    }
    Ok(Done::Well)
}
