//! Files inside packages, fetched by their language's own client.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::process::Command;

use crate::lock::{Part, Registry};

/// Tries of each package.
const TRIES: u32 = 3;
/// One try of one package; some have 70 MB.
const LIMIT: Duration = Duration::from_secs(1800);

/// Why a file of a package was not had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackageError {
    /// The client of a language's registry is not on this machine.
    #[error("{client} is not installed (Debian package {package})")]
    MissingClient {
        client: &'static str,
        package: &'static str,
    },
    #[error("{program}: {said}")]
    Failed { program: &'static str, said: String },
    #[error("cannot use the folder of downloads: {0}")]
    Folder(String),
    /// What was said when the package was first asked for.
    #[error("{0}")]
    NotFetched(String),
    #[error("{package} has no file {member} ({reason})")]
    NoMember {
        package: String,
        member: String,
        reason: String,
    },
}

impl From<io::Error> for PackageError {
    fn from(error: io::Error) -> Self {
        Self::Folder(error.to_string())
    }
}

/// Registry, name and version.
type Key = (Registry, String, String);

/// The packages of one run, each fetched once.
pub(crate) struct Packages {
    /// Downloads lie here until the run ends.
    folder: PathBuf,
    fetched: HashMap<Key, Result<PathBuf, String>>,
}

impl Packages {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            fetched: HashMap::new(),
        }
    }

    /// Whether a package was asked for already in this run.
    pub(crate) fn knows(&self, part: &Part) -> bool {
        self.fetched.contains_key(&key(part))
    }

    /// The bytes of one file inside a package.
    pub(crate) async fn member(&mut self, part: &Part) -> Result<Vec<u8>, PackageError> {
        let key = key(part);
        let fetched = match self.fetched.get(&key) {
            Some(fetched) => fetched.clone(),
            None => {
                let fetched = self.fetch(part).await.map_err(|error| error.to_string());
                self.fetched.insert(key, fetched.clone());
                fetched
            }
        };
        let place = fetched.map_err(PackageError::NotFetched)?;
        let read = match part.from {
            Registry::Pip => in_wheel(&place, &part.member),
            Registry::Npm => fs::read(place.join(&part.member)),
        };
        read.map_err(|error| PackageError::NoMember {
            package: format!("{} {}", part.package, part.version),
            member: part.member.clone(),
            reason: error.to_string(),
        })
    }

    /// Downloads a package: the wheel for pip, the unpacked folder for npm.
    async fn fetch(&self, part: &Part) -> Result<PathBuf, PackageError> {
        let Part {
            package, version, ..
        } = part;
        let folder = self.folder.join(format!("{package}-{version}"));
        let mut last = String::new();
        for attempt in 0..TRIES {
            tokio::time::sleep(Duration::from_secs(attempt.into())).await;
            let fetched = match part.from {
                Registry::Pip => pip(package, version, &folder).await,
                Registry::Npm => npm(package, version, &folder).await,
            };
            match fetched {
                Ok(place) => return Ok(place),
                // A client that is missing stays missing.
                Err(error @ PackageError::MissingClient { .. }) => return Err(error),
                Err(error) => last = error.to_string(),
            }
        }
        Err(PackageError::NotFetched(format!(
            "the package {package} {version} could not be fetched: {last}"
        )))
    }
}

fn key(part: &Part) -> Key {
    (part.from, part.package.clone(), part.version.clone())
}

fn in_wheel(wheel: &Path, member: &str) -> io::Result<Vec<u8>> {
    let mut wheel = zip::ZipArchive::new(fs::File::open(wheel)?)?;
    let mut bytes = Vec::new();
    wheel.by_name(member)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

async fn pip(package: &str, version: &str, folder: &Path) -> Result<PathBuf, PackageError> {
    let missing = PackageError::MissingClient {
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
    let Some(ended) = run("pip", &mut pip).await? else {
        return Err(missing);
    };
    if String::from_utf8_lossy(&ended.stderr).contains("No module named pip") {
        return Err(missing);
    }
    succeeded("pip", &ended)?;
    only_file("pip", folder, "whl")
}

async fn npm(package: &str, version: &str, folder: &Path) -> Result<PathBuf, PackageError> {
    fs::create_dir_all(folder)?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(folder)
        .arg(format!("{package}@{version}"));
    // npm reads the configuration of the folder it runs in.
    npm.current_dir(folder);
    let missing = |client, package| PackageError::MissingClient { client, package };
    let ended = run("npm", &mut npm).await?;
    succeeded("npm", &ended.ok_or(missing("npm", "npm"))?)?;
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--gzip", "--no-same-owner", "--directory"])
        .arg(folder)
        .arg("--file")
        .arg(only_file("npm", folder, "tgz")?);
    let ended = run("tar", &mut tar).await?;
    succeeded("tar", &ended.ok_or(missing("tar", "tar"))?)?;
    Ok(folder.to_owned())
}

/// Runs a program to its end; None when it is not installed.
async fn run(name: &'static str, command: &mut Command) -> Result<Option<Output>, PackageError> {
    let failed = |said: String| PackageError::Failed {
        program: name,
        said,
    };
    command.stdin(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(LIMIT, command.output()).await {
        Ok(Ok(output)) => Ok(Some(output)),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed(format!(
            "it did not end within {} s",
            LIMIT.as_secs()
        ))),
    }
}

/// An exit status other than 0 is an error, with what the client said last: the lines before are its own history of tries.
fn succeeded(program: &'static str, ended: &Output) -> Result<(), PackageError> {
    if ended.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let line = stderr
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("failed without a word");
    Err(PackageError::Failed {
        program,
        said: line.trim().trim_start_matches("ERROR: ").to_owned(),
    })
}

fn only_file(
    program: &'static str,
    folder: &Path,
    extension: &str,
) -> Result<PathBuf, PackageError> {
    let found = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|found| found == extension));
    found.ok_or_else(|| PackageError::Failed {
        program,
        said: format!("no .{extension} file arrived"),
    })
}
