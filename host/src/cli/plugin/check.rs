//! `plugin check`: would it load, and come through a scripted episode? No desktop, no network, no model.

use anyhow::Result;
use clap::Args;
use dynacu_figures::table;
use dynacu_runtime::{FailureKind, GuestFailure, ManifestSource, Plugin, PluginKind};
use serde::Serialize;

use super::built;
use crate::cli::Done;

mod adapter;
mod policy;
mod scorer;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A .wasm file, a project's folder, or the name of a bundled plugin
    plugin: String,
    /// The plugin's settings for the dry run, a TOML file with one table of its name
    #[arg(long)]
    settings: Option<std::path::PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Ok,
    /// Worth knowing, and no reason not to run it.
    Note,
    Fault,
}

/// One line of the report.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    verdict: Verdict,
    part: &'static str,
    text: String,
}

/// All lines, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, verdict: Verdict, part: &'static str, text: impl Into<String>) {
        let text = text.into();
        self.0.push(Finding {
            verdict,
            part,
            text,
        });
    }

    pub(super) fn ok(&mut self, part: &'static str, text: impl Into<String>) {
        self.add(Verdict::Ok, part, text);
    }

    pub(super) fn note(&mut self, part: &'static str, text: impl Into<String>) {
        self.add(Verdict::Note, part, text);
    }

    pub(super) fn fault(&mut self, part: &'static str, text: impl Into<String>) {
        self.add(Verdict::Fault, part, text);
    }

    /// A guest that failed, with what to change.
    pub(super) fn failed(&mut self, part: &'static str, failure: &GuestFailure) {
        let change = match failure.kind {
            FailureKind::Timeout => "return sooner; a policy waits with `next`",
            FailureKind::OutOfMemory => {
                "use less memory, or ask for more with `memory_mib` in plugin.toml"
            }
            FailureKind::OutputTooLarge => "pass less data in one call",
            FailureKind::InputTooLarge => "its input was larger than a guest of its kind may get",
            FailureKind::Trap | FailureKind::Error => {
                "return an error of the interface instead; lines on standard error are shown here"
            }
        };
        self.fault(part, format!("{failure}: {change}"));
    }
}

#[allow(clippy::print_stdout, reason = "the report is this command's output")]
pub(super) async fn run(arguments: &Arguments) -> Result<Done> {
    let path = built::find(&arguments.plugin)?;
    // What does not load is told in the same one line as by a run.
    let plugin = Plugin::load(&crate::program::engine()?, &path)?;
    let mut findings = Findings::default();
    findings.ok(
        "loads",
        format!(
            "{}: a {}, interface {}, {} KiB",
            called(&plugin),
            plugin.kind.name(),
            plugin.interface_version,
            plugin.size.div_ceil(1024)
        ),
    );
    manifest(&plugin, &mut findings);
    let settings = settings(arguments, &plugin)?;
    match plugin.kind {
        PluginKind::Policy => policy::check(&plugin, &settings, &mut findings).await,
        PluginKind::ModelAdapter => adapter::check(&plugin, &settings, &mut findings).await,
        PluginKind::Scorer => scorer::check(&plugin, &mut findings).await,
    }
    let faults = findings
        .0
        .iter()
        .filter(|finding| finding.verdict == Verdict::Fault)
        .count();
    if arguments.json {
        let report =
            serde_json::json!({"plugin": path, "good": faults == 0, "findings": findings.0});
        println!("{report}");
    } else {
        println!("{}", path.display());
        let rows: Vec<Vec<String>> = findings
            .0
            .iter()
            .map(|finding| {
                let verdict = match finding.verdict {
                    Verdict::Ok => "ok",
                    Verdict::Note => "note",
                    Verdict::Fault => "FAULT",
                };
                vec![
                    verdict.to_owned(),
                    finding.part.to_string(),
                    finding.text.clone(),
                ]
            })
            .collect();
        print!("{}", table::list(&rows));
    }
    Ok(if faults == 0 {
        Done::Well
    } else {
        Done::WithFailures
    })
}

/// Its name, with its version where it has one.
fn called(plugin: &Plugin) -> String {
    match plugin.version.as_str() {
        "" => plugin.name.clone(),
        version => format!("{} {version}", plugin.name),
    }
}

fn manifest(plugin: &Plugin, findings: &mut Findings) {
    let asks = plugin.manifest.asks();
    let asks = if asks.is_empty() {
        "asks for nothing".to_owned()
    } else {
        format!("asks for {}", asks.join("; "))
    };
    match &plugin.manifest_source {
        ManifestSource::Packed => findings.ok("manifest", asks),
        ManifestSource::Named(file) | ManifestSource::Folder(file) => findings.note(
            "manifest",
            format!(
                "{asks}, by {}: `dynacu-host plugin pack` puts it into the .wasm, so that one file can be sent",
                file.display()
            ),
        ),
        ManifestSource::Nowhere => findings.note(
            "manifest",
            "none, so it asks for nothing: write plugin.toml, then `dynacu-host plugin pack`",
        ),
    }
    match &plugin.passed_over {
        None => {}
        Some(ManifestSource::Folder(file)) => findings.note(
            "manifest",
            format!(
                "{} differs from {} and does not count: pack it with `dynacu-host plugin pack`, or name it NAME.plugin.toml for NAME.wasm",
                file.display(),
                plugin.manifest_source
            ),
        ),
        Some(other) => findings.note(
            "manifest",
            format!(
                "{other} differs and counts when it is sent alone; here {} counts: run `dynacu-host plugin pack` again",
                plugin.manifest_source
            ),
        ),
    }
    named(plugin, findings);
    if plugin.manifest.memory_needs_grant() {
        findings.note("manifest", "its memory needs --grant memory in every run");
    }
    if plugin.manifest.scratch {
        findings.note(
            "manifest",
            "its scratch folder needs --grant scratch in every run",
        );
    }
    for assist in &plugin.manifest.assists {
        let text = format!("its assist needs --grant {assist} in every run");
        findings.note("manifest", text);
    }
}

/// Results are told apart by name and version. A task's scorer is told apart by its task.
fn named(plugin: &Plugin, findings: &mut Findings) {
    let manifest = &plugin.manifest;
    let missing = match (&manifest.name, &manifest.version) {
        (Some(_), Some(_)) => return,
        (None, Some(_)) => "`name`",
        (Some(_), None) => "`version`",
        (None, None) => "`name` and `version`",
    };
    match plugin.kind {
        PluginKind::Policy | PluginKind::ModelAdapter => findings.note(
            "manifest",
            format!("there is no {missing} to identify its results: write it into plugin.toml"),
        ),
        PluginKind::Scorer => {}
    }
}

/// The plugin's table, as JSON.
fn settings(arguments: &Arguments, plugin: &Plugin) -> Result<String> {
    let Some(file) = &arguments.settings else {
        return Ok("{}".to_owned());
    };
    let tables: toml::Table = crate::config::read_toml(file)?;
    // Whatever it is called: a lone table is its own.
    let only = tables.values().next().filter(|_| tables.len() == 1);
    match tables.get(&plugin.name).or(only) {
        Some(table) => Ok(serde_json::to_string(table)?),
        None => anyhow::bail!("{} has no table [{}]", file.display(), plugin.name),
    }
}
