//! `plugin inspect`: what a file is, before it is trusted with anything.

use anyhow::Result;
use clap::Args;
use dynacu_figures::table;
use dynacu_runtime::manifest::Channel;
use dynacu_runtime::{Engine, Inspection, Limits, Plugin, PluginKind};
use serde_json::json;

use super::built;
use crate::cli::Done;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A .wasm file, a project's folder, or the name of a bundled plugin
    plugin: String,
    /// As one JSON object
    #[arg(long)]
    json: bool,
}

#[allow(clippy::print_stdout, reason = "the report is this command's output")]
pub async fn run(arguments: &Arguments) -> Result<Done> {
    let path = built::find(&arguments.plugin)?;
    let plugin = Plugin::load(&Engine::new()?, &path)?;
    let says = describe(&plugin).await;
    let inspection = plugin.inspect();
    if arguments.json {
        let mut whole = serde_json::to_value(&inspection)?;
        whole["says"] = json!(says);
        whole["grants"] = json!(grants(&inspection));
        println!("{whole}");
    } else {
        print!("{}", text(&inspection, &says));
    }
    Ok(Done::Well)
}

/// What it says of itself, or how it failed to. It runs for this, with nothing to reach.
async fn describe(plugin: &Plugin) -> String {
    let said = match plugin.kind {
        PluginKind::Policy => plugin.describe_policy().await.map(|descriptor| {
            let mut wants = Channel::names(descriptor.channels);
            if descriptor.needs_model {
                wants.push("a model");
            }
            let wants = if wants.is_empty() {
                "screenshots alone".to_owned()
            } else {
                wants.join(", ")
            };
            format!("{} {}; wants {wants}", descriptor.name, descriptor.version)
        }),
        PluginKind::ModelAdapter => match plugin.adapter(Limits::adapter([0; 32])) {
            Ok(adapter) => adapter.describe().await.map(|descriptor| {
                let models = if descriptor.models.is_empty() {
                    "any model".to_owned()
                } else {
                    descriptor.models.join(", ")
                };
                format!("{}; knows {models}", descriptor.provider)
            }),
            Err(failure) => Err(failure),
        },
        PluginKind::Scorer => return "a scorer describes nothing".to_owned(),
    };
    said.unwrap_or_else(|failure| format!("cannot say what it is: {failure}"))
}

/// What naming it on the command line does not allow yet.
fn grants(inspection: &Inspection) -> Vec<&'static str> {
    let manifest = &inspection.manifest;
    [
        (manifest.memory_needs_grant(), "memory"),
        (manifest.scratch, "scratch"),
    ]
    .into_iter()
    .filter(|(needed, _)| *needed)
    .map(|(_, name)| name)
    .collect()
}

fn text(inspection: &Inspection, says: &str) -> String {
    let manifest = match (&inspection.manifest_file, inspection.manifest_inside) {
        (Some(file), true) => format!("{}, over the one inside", file.display()),
        (Some(file), false) => format!("{}, beside the component", file.display()),
        (None, true) => "inside the component".to_owned(),
        (None, false) => "none: it asks for nothing".to_owned(),
    };
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut rows = vec![
        row("name", inspection.name.clone()),
        row(
            "kind",
            format!(
                "{}, interface {}",
                inspection.kind.name(),
                inspection.interface_version
            ),
        ),
        row("says", says.to_owned()),
        row(
            "file",
            format!("{}, {} bytes", inspection.path.display(), inspection.size),
        ),
        row("sha256", inspection.sha256.clone()),
        row("manifest", manifest),
    ];
    let grants: Vec<String> = grants(inspection)
        .into_iter()
        .map(|what| format!("--grant {what}"))
        .collect();
    for (title, entries) in [
        ("asks for", &inspection.asks),
        ("needs", &grants),
        ("imports", &inspection.imports),
        ("exports", &inspection.exports),
    ] {
        for (index, entry) in entries.iter().enumerate() {
            rows.push(row(if index == 0 { title } else { "" }, entry.clone()));
        }
    }
    table::list(&rows)
}
