//! Finding the built file of what a command names: a file, a project's folder, or a bundled plugin.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::bundled;
use crate::task::home::home;

/// The component that is meant. Only a bundled name needs the place where those lie.
pub(super) fn find(name: &str) -> Result<PathBuf> {
    let path = Path::new(name);
    if path.is_dir() {
        return in_project(path);
    }
    if path.is_file() || bundled::is_path(name) {
        return Ok(path.to_owned());
    }
    Ok(bundled::find(&home()?, name)?)
}

/// What a project's own build makes: cargo's file for a Rust project, else the one component in its folder.
pub(super) fn in_project(folder: &Path) -> Result<PathBuf> {
    if folder.join("Cargo.toml").is_file() {
        let built = cargo_builds(folder)?;
        if !built.is_file() {
            bail!(
                "{} is not built yet: run `cargo build --release --target wasm32-wasip2` in {}",
                built.display(),
                folder.display()
            );
        }
        return Ok(built);
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .collect();
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => bail!("{} holds several .wasm files: name one", folder.display()),
        (None, _) => bail!(
            "{} holds no .wasm: build it first, as its README says",
            folder.display()
        ),
    }
}

fn cargo_builds(folder: &Path) -> Result<PathBuf> {
    let file = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&file)?;
    let manifest: toml::Table =
        toml::from_str(&text).with_context(|| format!("{} is not TOML", file.display()))?;
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name")?.as_str())
        .with_context(|| format!("{} names no package", file.display()))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| folder.join("target"), PathBuf::from);
    Ok(target
        .join("wasm32-wasip2/release")
        .join(format!("{}.wasm", name.replace('-', "_"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_s_own_file_is_found_and_two_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let error = in_project(folder.path()).unwrap_err().to_string();
        assert!(error.contains("build it first"), "{error}");
        std::fs::write(path("one.wasm"), "").unwrap();
        assert_eq!(in_project(folder.path()).unwrap(), path("one.wasm"));
        std::fs::write(path("two.wasm"), "").unwrap();
        assert!(in_project(folder.path()).is_err());
        std::fs::write(path("Cargo.toml"), "[package]\nname = \"my-agent\"\n").unwrap();
        let error = in_project(folder.path()).unwrap_err().to_string();
        assert!(error.contains("my_agent.wasm is not built"), "{error}");
    }
}
