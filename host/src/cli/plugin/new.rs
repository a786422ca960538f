//! `plugin new`: a project that builds with one command, passes `plugin check`, and runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use dynacu_runtime::PluginKind;

use super::embedded::{self, File};
use crate::cli::Done;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The project's folder, which must not exist yet; its last part is the plugin's name
    folder: PathBuf,
    /// What it will be: policy, model-adapter or scorer
    #[arg(long, value_parser = kind)]
    kind: PluginKind,
    /// What it is written in
    #[arg(long, value_enum, default_value = "rust")]
    language: Language,
}

/// Names with which a project would not build: a crate of its dependencies, or of every toolchain.
const TAKEN: [&str; 8] = [
    "alloc",
    "core",
    "dynacu-sdk",
    "dynacu-vocabulary",
    "serde",
    "serde-json",
    "std",
    "test",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    Rust,
    /// Built by componentize-py; needs pip
    Python,
    /// Built by componentize-qjs; needs npm
    Javascript,
}

fn kind(name: &str) -> Result<PluginKind, String> {
    let known = PluginKind::ALL;
    let found = known.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| format!("use one of {}", known.map(PluginKind::name).join(", ")))
}

impl Language {
    /// The command that builds a project, in its folder.
    fn build(self) -> &'static str {
        match self {
            Self::Rust => "cargo build --release --target wasm32-wasip2",
            Self::Python => "sh build.sh",
            Self::Javascript => "npm run build",
        }
    }

    /// What the build makes.
    fn built(self, name: &str) -> String {
        match self {
            Self::Rust => format!(
                "target/wasm32-wasip2/release/{}.wasm",
                name.replace('-', "_")
            ),
            Self::Python | Self::Javascript => format!("{name}.wasm"),
        }
    }

    fn files(self, kind: PluginKind) -> [&'static [File]; 2] {
        use embedded::*;
        match (self, kind) {
            (Self::Rust, PluginKind::Policy) => [RUST, RUST_POLICY],
            (Self::Rust, PluginKind::ModelAdapter) => [RUST, RUST_ADAPTER],
            (Self::Rust, PluginKind::Scorer) => [RUST, RUST_SCORER],
            (Self::Python, PluginKind::Policy) => [PYTHON, PYTHON_POLICY],
            (Self::Python, PluginKind::ModelAdapter) => [PYTHON, PYTHON_ADAPTER],
            (Self::Python, PluginKind::Scorer) => [PYTHON, PYTHON_SCORER],
            (Self::Javascript, PluginKind::Policy) => [JAVASCRIPT, JAVASCRIPT_POLICY],
            (Self::Javascript, PluginKind::ModelAdapter) => [JAVASCRIPT, JAVASCRIPT_ADAPTER],
            (Self::Javascript, PluginKind::Scorer) => [JAVASCRIPT, JAVASCRIPT_SCORER],
        }
    }
}

#[allow(
    clippy::print_stdout,
    reason = "the next commands are this one's output"
)]
pub(super) fn run(arguments: &Arguments) -> Result<Done> {
    let Arguments {
        folder,
        kind,
        language,
    } = arguments;
    let name = name_of(folder)?;
    if folder.exists() {
        bail!("{} exists already: name a new folder", folder.display());
    }
    let built = language.built(name);
    let run = how_to_run(*kind, name, &built);
    let fill = |text: &str| {
        text.replace("{{name}}", name)
            .replace("{{NAME}}", &name.replace('-', "_").to_uppercase())
            .replace("{{kind}}", kind.name())
            .replace("{{build}}", language.build())
            .replace("{{built}}", &built)
            .replace("{{run}}", &run)
    };
    write(folder, "README.md", &fill(embedded::README))?;
    for (path, text) in language.files(*kind).into_iter().flatten() {
        write(folder, path, &fill(text))?;
    }
    for (path, text) in embedded::WIT {
        write(&folder.join("vendor/wit"), path, text)?;
    }
    if *language == Language::Rust {
        let sdk = folder.join("vendor/sdk");
        write(&sdk, "rust/Cargo.toml", embedded::SDK_PACKAGE)?;
        for (path, text) in embedded::SDK {
            write(&sdk.join("rust"), path, text)?;
        }
        for (path, text) in embedded::VOCABULARY {
            let text = text.replace(embedded::MEMBERSHIP, "");
            write(&sdk.join("vocabulary"), path, &text)?;
        }
    }
    println!(
        "A {} in {}. Next:\n\n  cd {}\n  {}\n  dynacu-host plugin check .\n  {run}\n\nREADME.md says what is where.",
        kind.name(),
        folder.display(),
        folder.display(),
        language.build()
    );
    Ok(Done::Well)
}

/// The plugin's name: what crates, Python and npm all take.
fn name_of(folder: &Path) -> Result<&str> {
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .context("the folder has no name")?;
    let small = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let good = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.ends_with(small)
        && !name.contains("--")
        && name.chars().all(|letter| small(letter) || letter == '-');
    if !good {
        bail!(
            "`{name}` cannot be a plugin's name: use lower-case letters, digits and single hyphens, as in my-agent"
        );
    }
    if TAKEN.contains(&name) {
        bail!("`{name}` is the name of a library that plugins are built with: choose another name");
    }
    Ok(name)
}

/// A command that shows it at work.
fn how_to_run(kind: PluginKind, name: &str, built: &str) -> String {
    match kind {
        PluginKind::Policy => format!(
            "dynacu-host --plugin {built} --plugin claude --model claude-opus-5-5 --task A-E1 --mode aoi_audio"
        ),
        PluginKind::ModelAdapter => format!(
            "dynacu-host --plugin {built} --model MODEL --endpoint {name}.invalid=http://127.0.0.1:8000 --task A-E1 --mode aoi_audio"
        ),
        PluginKind::Scorer => format!("dynacu-host plugin inspect {built}"),
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    let inside = path.parent().unwrap_or(folder);
    std::fs::create_dir_all(inside)
        .and_then(|()| std::fs::write(&path, text))
        .with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_every_language_takes() {
        for good in ["my-agent", "a2", "x/y/one"] {
            assert!(name_of(Path::new(good)).is_ok(), "{good}");
        }
        for bad in [
            "My-agent", "2nd", "a_b", "a--b", "a-", "test", "serde", "ü", "..",
        ] {
            assert!(name_of(Path::new(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn nothing_is_left_to_be_filled_in() {
        for language in Language::value_variants() {
            for kind in PluginKind::ALL {
                let place = tempfile::tempdir().unwrap();
                let folder = place.path().join("my-plugin");
                let arguments = Arguments {
                    folder: folder.clone(),
                    kind,
                    language: *language,
                };
                run(&arguments).unwrap();
                assert!(run(&arguments).is_err(), "it exists now");
                let manifest = std::fs::read_to_string(folder.join("plugin.toml")).unwrap();
                dynacu_runtime::Manifest::parse(&manifest, "plugin.toml").unwrap();
                for (path, _) in language.files(kind).into_iter().flatten() {
                    let text = std::fs::read_to_string(folder.join(path)).unwrap();
                    assert!(!text.contains("{{"), "{language:?} {kind:?} {path}");
                }
            }
        }
    }
}
