//! `dynacu-host setup`: installs what this machine lacks to run episodes. First Debian packages, then the model files.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use super::{Done, models};
use crate::weights::{cache, directory};

/// One package a line, for this command and for `.ci/setup`.
const PACKAGES: &str = include_str!("setup/packages.txt");

#[derive(Debug, Args)]
pub struct SetupArguments {
    /// Print what is missing and install nothing
    #[arg(long)]
    dry_run: bool,
}

/// Prints what is missing, then installs it.
///
/// # Errors
/// A package cannot be installed, or standard output fails. A model file that cannot be
/// fetched is a failure of the command, not an error.
#[allow(
    clippy::print_stdout,
    reason = "what is missing is this command's output"
)]
pub async fn run(arguments: &SetupArguments) -> Result<Done> {
    let packages = missing(on_path, installed)?;
    let files: Vec<_> = cache::list()?
        .into_iter()
        .filter(|file| !file.present && !file.optional)
        .collect();
    if packages.is_empty() && files.is_empty() {
        println!("Everything that an episode needs is here.");
        return Ok(Done::Well);
    }
    let install = install_command(&packages);
    if let Some(install) = &install {
        println!(
            "Debian packages that are missing:\n  {}",
            packages.join(" ")
        );
        println!("They are installed by:\n  {}", install.join(" "));
    }
    if !files.is_empty() {
        let bytes: u64 = files.iter().filter_map(|file| file.size).sum();
        println!(
            "Model files that are missing: {} ({:.0} MB), fetched into {}",
            files.len(),
            bytes as f64 / 1e6,
            directory().display()
        );
    }
    if arguments.dry_run {
        return Ok(Done::Well);
    }
    if let Some(install) = install {
        apt(&install)?;
    }
    if files.is_empty() {
        return Ok(Done::Well);
    }
    models::run(&models::ModelsCommand::Pull { names: Vec::new() }).await
}

/// The list: a package, and the program that is as good wherever it came from.
fn packages() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let lines = PACKAGES.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.next()))
    })
}

/// The packages of the list that are not there.
fn missing(
    on_path: impl Fn(&str) -> bool,
    installed: impl Fn(&str) -> Result<bool>,
) -> Result<Vec<&'static str>> {
    let mut missing = Vec::new();
    for (package, program) in packages() {
        let there = match program {
            Some(program) if on_path(program) => true,
            _ => installed(package)?,
        };
        if !there {
            missing.push(package);
        }
    }
    Ok(missing)
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn installed(package: &str) -> Result<bool> {
    let asked = Command::new("dpkg-query")
        .args(["-W", "-f", "${Status}", package])
        .output()
        .with_context(|| {
            format!(
                "`setup` knows only Debian and its relatives, and there is no dpkg-query here; install by hand what these packages hold: {}",
                packages().map(|(package, _)| package).collect::<Vec<_>>().join(" ")
            )
        })?;
    Ok(asked.stdout == b"install ok installed")
}

/// What installs the packages, or nothing where none is missing.
fn install_command(packages: &[&str]) -> Option<Vec<String>> {
    if packages.is_empty() {
        return None;
    }
    let root = rustix::process::geteuid().is_root();
    let prefix: &[&str] = if root { &[] } else { &["sudo"] };
    let install = ["apt-get", "install", "-y", "--no-install-recommends"];
    Some(
        [prefix, &install, packages]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect(),
    )
}

fn apt(install: &[String]) -> Result<()> {
    ensure!(
        install[0] != "sudo" || on_path("sudo"),
        "packages are missing, and there is neither root nor sudo: ask an administrator for `{}`",
        install.join(" ")
    );
    let update: Vec<String> = install
        .iter()
        .take_while(|word| *word != "install")
        .cloned()
        .chain(["update".to_owned()])
        .collect();
    for command in [update.as_slice(), install] {
        let ended = Command::new(&command[0])
            .args(&command[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            // Its progress is not this command's output.
            .stdout(std::io::stderr())
            .status()
            .with_context(|| format!("cannot run {}", command[0]))?;
        if !ended.success() {
            bail!("`{}` failed; its messages are above", command.join(" "));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_missing_unless_it_or_its_program_is_there() {
        let everything = missing(|_| false, |_| Ok(false)).unwrap();
        assert!(everything.contains(&"chromium") && everything.contains(&"npm"));
        assert!(everything.iter().all(|package| !package.contains('#')));
        // npm that did not come from Debian is as good; a library has no program to be told by.
        let some = missing(
            |program| program == "npm",
            |package| Ok(package != "libpulse0"),
        );
        assert_eq!(some.unwrap(), ["libpulse0"]);
        assert!(missing(|_| true, |_| bail!("no dpkg-query")).is_err());
    }

    #[test]
    fn the_command_names_every_package() {
        assert_eq!(install_command(&[]), None);
        let command = install_command(&["xvfb", "flac"]).unwrap().join(" ");
        assert!(command.ends_with("apt-get install -y --no-install-recommends xvfb flac"));
    }
}
