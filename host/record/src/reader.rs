//! Reading a record back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::SCHEMA;
use crate::episode::EpisodeResult;
use crate::event::Line;
use crate::file::hash;
use crate::run::RunInfo;

/// A record that cannot be read or cannot be believed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ReadError {
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} does not parse at line {line}: {source}", path.display())]
    Parse {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },
    #[error("{} has schema {found} and this host reads schema {SCHEMA}: read it with the version that wrote it", path.display())]
    Schema { path: PathBuf, found: u64 },
    #[error("{} was changed or cut: line {line} does not follow from the line before it", path.display())]
    Chain { path: PathBuf, line: usize },
}

/// All events of an episode's folder, in order, their chain checked.
pub fn read_events(folder: &Path) -> Result<Vec<Line>, ReadError> {
    let path = folder.join("events.jsonl");
    let text = fs::read_to_string(&path).map_err(|source| ReadError::File {
        path: path.clone(),
        source,
    })?;
    let mut previous = String::new();
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if index == 0 {
            check_schema(line, &path)?;
        }
        let entry: Line = serde_json::from_str(line).map_err(|source| ReadError::Parse {
            path: path.clone(),
            line: line_number,
            source,
        })?;
        if entry.previous != previous || entry.seq != index as u64 {
            return Err(ReadError::Chain {
                path,
                line: line_number,
            });
        }
        previous = hash(line.as_bytes());
        entries.push(entry);
    }
    Ok(entries)
}

/// What stands for the whole record of an episode: SHA-256 over the last event's line, which carries the chain of all before it,
/// and the result. [`read_events`] checks the chain.
pub fn record_digest(folder: &Path) -> Result<String, ReadError> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|source| ReadError::File { path, source })
    };
    let (events, result) = (read("events.jsonl")?, read("episode.json")?);
    let last = events.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    let parts = format!("{} {}", hash(last.unwrap_or_default()), hash(&result));
    Ok(hash(parts.as_bytes()))
}

/// The result of an episode's folder.
pub fn read_episode(folder: &Path) -> Result<EpisodeResult, ReadError> {
    read_json(folder.join("episode.json"))
}

/// What `run.json` of a run's folder says.
pub fn read_run(folder: &Path) -> Result<RunInfo, ReadError> {
    read_json(folder.join("run.json"))
}

fn read_json<T: DeserializeOwned>(path: PathBuf) -> Result<T, ReadError> {
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(ReadError::File { path, source }),
    };
    check_schema(&text, &path)?;
    serde_json::from_str(&text).map_err(|source| ReadError::Parse {
        line: source.line(),
        path,
        source,
    })
}

/// Another schema is told as that, and not by the first field that does not fit. What is no JSON is told by its reader.
fn check_schema(json: &str, path: &Path) -> Result<(), ReadError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        /// Of the files that are one object.
        schema: Option<u64>,
        /// Of lines: only the first event of an episode carries the schema.
        event: Option<String>,
    }
    match serde_json::from_str::<Versioned>(json) {
        Ok(Versioned {
            event: Some(event), ..
        }) if event != "episode-started" => Ok(()),
        // The first schema had no number in `events.jsonl`.
        Ok(Versioned { schema, .. }) if schema != Some(u64::from(SCHEMA)) => {
            Err(ReadError::Schema {
                path: path.to_owned(),
                found: schema.unwrap_or(1),
            })
        }
        Ok(_) | Err(_) => Ok(()),
    }
}
