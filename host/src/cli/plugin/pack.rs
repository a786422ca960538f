//! `plugin pack`: the manifest goes into the file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use dynacu_runtime::{Manifest, Plugin, pack};

use super::built;
use crate::cli::Done;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A project's folder, or its .wasm with plugin.toml beside it
    plugin: PathBuf,
    /// The packed file [default: the .wasm itself]
    #[arg(long)]
    out: Option<PathBuf>,
    /// The manifest [default: plugin.toml of the folder]
    #[arg(long)]
    manifest: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Done> {
    let path = &arguments.plugin;
    let component = match path {
        folder if folder.is_dir() => built::in_project(folder)?,
        file if file.is_file() => file.clone(),
        missing => bail!(
            "{}: no such file: check the path, or build the plugin first",
            missing.display()
        ),
    };
    let manifest = match &arguments.manifest {
        Some(named) => named.clone(),
        None => beside(path)?,
    };
    let text = std::fs::read_to_string(&manifest)
        .with_context(|| format!("{} cannot be read", manifest.display()))?;
    let asks = Manifest::parse(&text, &manifest.display().to_string())?.asks();
    let bytes = std::fs::read(&component)
        .with_context(|| format!("{} cannot be read", component.display()))?;
    let packed =
        pack::with_manifest(&bytes, &text).with_context(|| component.display().to_string())?;
    let out = arguments.out.as_ref().unwrap_or(&component);
    dynacu_record::write_atomically(out, &packed)
        .with_context(|| format!("{} cannot be written", out.display()))?;
    // What was written is what others will load.
    let plugin = Plugin::load(&crate::program::engine()?, out)?;
    eprintln!(
        "{}: a {} with {} inside; it asks for {}",
        out.display(),
        plugin.kind.name(),
        manifest.display(),
        if asks.is_empty() {
            "nothing".to_owned()
        } else {
            asks.join("; ")
        }
    );
    Ok(Done::Well)
}

/// The manifest of a project, or the one beside a file.
fn beside(path: &Path) -> Result<PathBuf> {
    let folder = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(Path::new(""))
    };
    let own = path.file_stem().map(|stem| {
        let mut name = stem.to_os_string();
        name.push(".plugin.toml");
        folder.join(name)
    });
    let shared = folder.join("plugin.toml");
    match own.filter(|own| own.is_file()) {
        Some(own) => Ok(own),
        None if shared.is_file() => Ok(shared),
        None => bail!(
            "there is no {}: write one (`schema = 2` alone asks for nothing), or name it with --manifest",
            shared.display()
        ),
    }
}
