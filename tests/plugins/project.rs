//! A project as `plugin new` begins it, built with the command that it printed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use dynacu_tests::host;

pub(crate) struct Project {
    // Outside of the checkout, as somebody else's would be.
    place: tempfile::TempDir,
    name: String,
    /// The command that it printed for building.
    build: String,
}

impl Project {
    /// Runs `plugin new`.
    pub(crate) fn begin(name: &str, kind: &str, language: &str) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let output = Command::new(host()?)
            .args([
                "plugin",
                "new",
                name,
                "--kind",
                kind,
                "--language",
                language,
            ])
            .current_dir(place.path())
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr));
        }
        let mut commands = said.lines().filter_map(|line| line.strip_prefix("  "));
        let (into, build) = (commands.next(), commands.next());
        if into != Some(format!("cd {name}").as_str()) {
            bail!("it printed no commands: {said}");
        }
        let build = build
            .context("it printed no command to build with")?
            .to_owned();
        Ok(Self {
            place,
            name: name.to_owned(),
            build,
        })
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.place.path().join(&self.name)
    }

    /// Its component, beside its manifest. What was built of the same files before is taken again: a toolchain takes up to
    /// half a minute, and tests run often.
    pub(crate) fn built(&self) -> Result<PathBuf> {
        let guests = guests()?;
        let kept = guests
            .join("templates")
            .join(format!("{}.wasm", digest(&self.folder())?));
        let here = self.folder().join(format!("{}.wasm", self.name));
        if !kept.is_file() {
            let made = self.make(&guests)?;
            std::fs::create_dir_all(guests.join("templates"))?;
            // Renamed into place, so that a test beside this one never takes half a file.
            let half = tempfile::NamedTempFile::new_in(guests.join("templates"))?;
            std::fs::copy(made, half.path())?;
            half.persist(&kept)?;
        }
        std::fs::copy(kept, &here)?;
        Ok(here)
    }

    fn make(&self, guests: &Path) -> Result<PathBuf> {
        let cargo = guests.join("projects");
        let output = Command::new("sh")
            .args(["-c", &self.build])
            .current_dir(self.folder())
            // Shared, so that the SDK and the tools are not built and fetched for each project.
            .env("CARGO_TARGET_DIR", &cargo)
            .env("COMPONENTIZE_PY", guests.join("python"))
            .output()?;
        if !output.status.success() {
            bail!(
                "`{}` failed: {}{}",
                self.build,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let crate_file = format!("{}.wasm", self.name.replace('-', "_"));
        let by_cargo = cargo.join("wasm32-wasip2/release").join(crate_file);
        let by_itself = self.folder().join(format!("{}.wasm", self.name));
        Ok(if by_itself.is_file() {
            by_itself
        } else {
            by_cargo
        })
    }
}

/// The folder in which the Makefile builds guests.
fn guests() -> Result<PathBuf> {
    let host = host()?;
    let target = host.ancestors().nth(2).context("no target folder")?;
    Ok(target.join("guests"))
}

/// One hash over all files of a folder.
fn digest(folder: &Path) -> Result<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        all.extend(file.strip_prefix(folder)?.to_string_lossy().bytes());
        all.extend(std::fs::read(&file)?);
    }
    Ok(dynacu_record::hash(&all))
}
