//! `dynacu-host plugin …`

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use dynacu_runtime::{Engine, Inspection, Plugin};

use super::Done;
use crate::bundled;
use crate::task::home::home;

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Shows what a component is, what it imports and what it asks for
    #[command(
        after_help = "Examples:\n  dynacu-host plugin inspect reference\n  dynacu-host plugin inspect my-policy.wasm --json"
    )]
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
    // A file can be looked at anywhere; only a bundled name needs the place where those lie.
    let file = PathBuf::from(&plugin);
    let path = if file.is_file() {
        file
    } else {
        bundled::find(&home()?, &plugin)?
    };
    let inspection = Plugin::load(&Engine::new()?, &path)?.inspect();
    if json {
        println!("{}", serde_json::to_string(&inspection)?);
    } else {
        print!("{}", text(&inspection));
    }
    Ok(Done::Well)
}

fn text(inspection: &Inspection) -> String {
    let mut lines = vec![
        format!("name       {}", inspection.name),
        format!(
            "kind       {:?}, interface {}",
            inspection.kind, inspection.interface_version
        ),
        format!(
            "file       {}, {} bytes",
            inspection.path.display(),
            inspection.size
        ),
        format!("sha256     {}", inspection.sha256),
    ];
    let manifest = match &inspection.manifest_file {
        Some(file) => file.display().to_string(),
        None => "inside the component, or the defaults".to_owned(),
    };
    lines.push(format!("manifest   {manifest}"));
    for (title, entries) in [
        ("asks for", &inspection.asks),
        ("imports", &inspection.imports),
        ("exports", &inspection.exports),
    ] {
        for (index, entry) in entries.iter().enumerate() {
            lines.push(format!(
                "{:<10} {entry}",
                if index == 0 { title } else { "" }
            ));
        }
    }
    lines.join("\n") + "\n"
}
