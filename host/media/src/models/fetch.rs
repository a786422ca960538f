//! Fetching: an official file by curl, a package through its own language's client.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use super::lock::{Part, Registry};
use crate::subprocess::{self, SubprocessError};

/// Tries of each source.
const TRIES: u32 = 3;
/// A hub that does not answer within this is not there.
const CONNECT_SECONDS: &str = "5";
/// One try of one file or package; some have 70 MB.
const LIMIT: Duration = Duration::from_secs(1800);

/// Why the official file was not had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HubError {
    /// This host is not asked again in this run.
    #[error("{0} cannot be reached")]
    Unreachable(String),
    #[error("{0}")]
    Refused(String),
}

/// Sources of one run: packages are fetched once, hosts that do not answer are asked once.
pub(crate) struct Fetcher {
    /// Downloads lie here until the run ends.
    folder: PathBuf,
    packages: HashMap<(Registry, String, String), Result<PathBuf, String>>,
    unreachable: HashSet<String>,
}

impl Fetcher {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            packages: HashMap::new(),
            unreachable: HashSet::new(),
        }
    }

    /// Whether the host of an address may still answer in this run.
    pub(crate) fn may_answer(&self, url: &str) -> bool {
        !self.unreachable.contains(host(url))
    }

    /// Whether a package was asked for already in this run.
    pub(crate) fn knows(&self, part: &Part) -> bool {
        self.packages.contains_key(&key(part))
    }

    /// The bytes at an address, resumed when the connection breaks.
    pub(crate) fn hub(&mut self, url: &str) -> Result<Vec<u8>, HubError> {
        let host = host(url).to_owned();
        if self.unreachable.contains(&host) {
            return Err(HubError::Unreachable(host));
        }
        let refused = |error: &dyn std::fmt::Display| HubError::Refused(error.to_string());
        let target = self.folder.join("hub.part");
        let _ = fs::remove_file(&target);
        let mut last = String::new();
        for _ in 0..TRIES {
            let mut curl = Command::new("curl");
            curl.args([
                "--fail",
                "--silent",
                "--show-error",
                "--location",
                "--proto",
                "=https",
            ])
            .args([
                "--connect-timeout",
                CONNECT_SECONDS,
                "--speed-limit",
                "1000",
                "--speed-time",
                "20",
            ])
            .args([
                "--continue-at",
                "-",
                "--write-out",
                "%{http_code}",
                "--output",
            ])
            .arg(&target)
            .arg(url);
            let ended = subprocess::run(&mut curl, b"", LIMIT).map_err(|error| {
                if matches!(error, SubprocessError::NotInstalled(_)) {
                    HubError::Unreachable(format!("{host} (curl is not installed)"))
                } else {
                    refused(&error)
                }
            })?;
            if ended.success {
                return fs::read(&target).map_err(|error| refused(&error));
            }
            last = ended
                .stderr
                .lines()
                .last()
                .unwrap_or("no answer")
                .to_owned();
            // Nothing answered: no name, no route, no handshake, a proxy that says no.
            if ended.stdout == b"000" && !target.exists() {
                self.unreachable.insert(host.clone());
                return Err(HubError::Unreachable(format!("{host} ({last})")));
            }
            // The server has answered and will not answer differently.
            if ended.stdout.starts_with(b"4") {
                break;
            }
        }
        Err(HubError::Refused(format!("{url}: {last}")))
    }

    /// The bytes of one file inside a package.
    pub(crate) fn member(&mut self, part: &Part) -> Result<Vec<u8>> {
        let key = key(part);
        if !self.packages.contains_key(&key) {
            let fetched = self.package(part).map_err(|error| format!("{error:#}"));
            self.packages.insert(key.clone(), fetched);
        }
        let place = match self.packages.get(&key) {
            Some(Ok(place)) => place,
            Some(Err(error)) => bail!("{error}"),
            None => bail!("{} was not fetched", part.package),
        };
        let missing = || {
            format!(
                "{} {} has no file {}",
                part.package, part.version, part.member
            )
        };
        match part.from {
            Registry::Pip => {
                let file = fs::File::open(place).with_context(missing)?;
                let mut wheel = zip::ZipArchive::new(file).with_context(missing)?;
                let mut bytes = Vec::new();
                wheel
                    .by_name(&part.member)
                    .with_context(missing)?
                    .read_to_end(&mut bytes)
                    .with_context(missing)?;
                Ok(bytes)
            }
            Registry::Npm => fs::read(place.join(&part.member)).with_context(missing),
        }
    }

    /// Downloads a package: the wheel for pip, the unpacked folder for npm.
    fn package(&self, part: &Part) -> Result<PathBuf> {
        let Part {
            package, version, ..
        } = part;
        let folder = self.folder.join(format!("{package}-{version}"));
        let mut last = anyhow!("not tried");
        for attempt in 1..=TRIES {
            let fetched = match part.from {
                Registry::Pip => pip(package, version, &folder),
                Registry::Npm => npm(package, version, &folder),
            };
            match fetched {
                Ok(place) => return Ok(place),
                // A client that is missing stays missing.
                Err(error) if error.downcast_ref::<MissingClient>().is_some() => return Err(error),
                Err(error) => last = error,
            }
            if attempt < TRIES {
                std::thread::sleep(Duration::from_secs(u64::from(attempt)));
            }
        }
        Err(last).with_context(|| format!("the package {package} {version} could not be fetched"))
    }
}

fn host(url: &str) -> &str {
    url.trim_start_matches("https://")
        .split('/')
        .next()
        .unwrap_or(url)
}

fn key(part: &Part) -> (Registry, String, String) {
    (part.from, part.package.clone(), part.version.clone())
}

/// The client of a language's registry is not on this machine.
#[derive(Debug, thiserror::Error)]
#[error("{client} is not installed (Debian package {package})")]
struct MissingClient {
    client: &'static str,
    package: &'static str,
}

fn pip(package: &str, version: &str, folder: &Path) -> Result<PathBuf> {
    let missing = MissingClient {
        client: "pip",
        package: "python3-pip",
    };
    fs::create_dir_all(folder)?;
    let mut pip = Command::new("python3");
    // The wheel that holds the shared library is built for one Python; which Python is installed here does not matter,
    // since nothing of it is run.
    pip.args([
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--platform",
        "manylinux_2_28_x86_64",
    ])
    .args([
        "--python-version",
        "311",
        "--implementation",
        "cp",
        "--no-input",
        "--disable-pip-version-check",
    ])
    .args(["--quiet", "--dest"])
    .arg(folder)
    .arg(format!("{package}=={version}"));
    let ended = match subprocess::run(&mut pip, b"", LIMIT) {
        Err(SubprocessError::NotInstalled(_)) => return Err(missing.into()),
        ended => ended?,
    };
    if ended.stderr.contains("No module named pip") {
        return Err(missing.into());
    }
    if !ended.success {
        bail!("pip: {}", said(&ended.stderr));
    }
    only_file(folder, "whl")
}

fn npm(package: &str, version: &str, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(folder)
        .arg(format!("{package}@{version}"));
    // npm reads the configuration of the folder it runs in.
    npm.current_dir(folder);
    let ended = match subprocess::run(&mut npm, b"", LIMIT) {
        Err(SubprocessError::NotInstalled(_)) => {
            return Err(MissingClient {
                client: "npm",
                package: "npm",
            }
            .into());
        }
        ended => ended?,
    };
    if !ended.success {
        bail!("npm: {}", said(&ended.stderr));
    }
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--gzip", "--no-same-owner", "--directory"])
        .arg(folder)
        .arg("--file")
        .arg(only_file(folder, "tgz")?);
    let ended = subprocess::run(&mut tar, b"", LIMIT)?;
    if !ended.success {
        bail!("tar: {}", said(&ended.stderr));
    }
    Ok(folder.to_owned())
}

/// What a client said last: the lines before are its own history of tries.
fn said(stderr: &str) -> String {
    let line = stderr
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("failed without a word");
    line.trim().trim_start_matches("ERROR: ").to_owned()
}

fn only_file(folder: &Path, extension: &str) -> Result<PathBuf> {
    let found = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|found| found == extension));
    found.with_context(|| format!("no .{extension} file arrived"))
}
