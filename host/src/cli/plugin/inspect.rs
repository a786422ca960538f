//! `plugin inspect`: what a file is, before it is trusted with anything.

use anyhow::Result;
use clap::Args;
use dynacu_figures::table;
use dynacu_runtime::{Inspection, Limits, ManifestSource, Plugin, PluginKind};
use serde_json::json;

use super::built;
use crate::cli::Done;
use crate::config::grants::Grant;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A .wasm file, a project's folder, or the name of a bundled plugin
    plugin: String,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

#[allow(clippy::print_stdout, reason = "the report is this command's output")]
pub(super) async fn run(arguments: &Arguments) -> Result<Done> {
    let path = built::find(&arguments.plugin)?;
    let plugin = Plugin::load(&crate::program::engine()?, &path)?;
    let says = describe(&plugin).await;
    let inspection = plugin.inspect();
    if arguments.json {
        let mut whole = serde_json::to_value(&inspection)?;
        whole["says"] = json!(says);
        whole["grants"] = json!(grants(&inspection));
        println!("{whole}");
    } else {
        print!("{}", text(&inspection, says.as_deref()));
    }
    Ok(Done::Well)
}

/// What an adapter says of itself, or how it failed to: it runs for this, with nothing to reach. The others say nothing.
async fn describe(plugin: &Plugin) -> Option<String> {
    match plugin.kind {
        PluginKind::Policy | PluginKind::Scorer => return None,
        PluginKind::ModelAdapter => {}
    }
    let said = match plugin.adapter(Limits::adapter([0; 32])) {
        Ok(adapter) => adapter.describe().await,
        Err(failure) => Err(failure),
    };
    Some(match said {
        Ok(descriptor) if descriptor.models.is_empty() => {
            format!("{}; knows any model", descriptor.provider)
        }
        Ok(descriptor) => format!(
            "{}; knows {}",
            descriptor.provider,
            descriptor.models.join(", ")
        ),
        Err(failure) => format!("failed to describe itself: {failure}"),
    })
}

/// What naming it on the command line does not allow yet.
fn grants(inspection: &Inspection) -> Vec<String> {
    let manifest = &inspection.manifest;
    let resources = [
        (manifest.memory_needs_grant(), Grant::Memory),
        (manifest.scratch, Grant::Scratch),
    ];
    let resources = resources.into_iter().filter(|(needed, _)| *needed);
    let assists = manifest.assists.iter().map(|assist| Grant::from(*assist));
    let hosts = manifest.hosts.iter().map(|host| Grant::host(host));
    let secrets = manifest.credentials.iter();
    assists
        .chain(resources.map(|(_, grant)| grant))
        .chain(hosts)
        .chain(secrets.map(|secret| Grant::secret(&secret.secret, &secret.host)))
        .map(|grant| grant.to_string())
        .collect()
}

fn text(inspection: &Inspection, says: Option<&str>) -> String {
    let manifest = match &inspection.manifest_source {
        ManifestSource::Packed => "inside the component".to_owned(),
        ManifestSource::Named(file) | ManifestSource::Folder(file) => {
            format!("{}, beside the component", file.display())
        }
        ManifestSource::Nowhere => "none: it asks for nothing".to_owned(),
    };
    let manifest = match &inspection.passed_over {
        Some(other) => format!("{manifest}; {other} differs and does not count"),
        None => manifest,
    };
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let version = match inspection.version.as_str() {
        "" => "none",
        version => version,
    };
    let mut rows = vec![
        row("name", inspection.name.clone()),
        row("version", version.to_owned()),
        row(
            "kind",
            format!(
                "{}, interface {}",
                inspection.kind.name(),
                inspection.interface_version
            ),
        ),
        row(
            "file",
            format!("{}, {} bytes", inspection.path.display(), inspection.size),
        ),
        row("sha256", inspection.sha256.clone()),
        row("manifest", manifest),
    ];
    if let Some(says) = says {
        rows.push(row("says", says.to_owned()));
    }
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
