//! Reading a record back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::episode::EpisodeResult;
use crate::event::Entry;
use crate::file::hash;

/// A record that cannot be read or cannot be believed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} does not parse at line {line}: {source}", path.display())]
    Parse {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },
    #[error("{} was changed or cut: line {line} does not follow from the line before it", path.display())]
    Chain { path: PathBuf, line: usize },
}

/// All events of an episode's folder, in order, their chain checked.
pub fn read_events(folder: &Path) -> Result<Vec<Entry>, ReadError> {
    let path = folder.join("events.jsonl");
    let text = fs::read_to_string(&path).map_err(|source| ReadError::File {
        path: path.clone(),
        source,
    })?;
    let mut previous = String::new();
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let entry: Entry = serde_json::from_str(line).map_err(|source| ReadError::Parse {
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

/// The result of an episode's folder.
pub fn read_episode(folder: &Path) -> Result<EpisodeResult, ReadError> {
    let path = folder.join("episode.json");
    let text = fs::read_to_string(&path).map_err(|source| ReadError::File {
        path: path.clone(),
        source,
    })?;
    serde_json::from_str(&text).map_err(|source| ReadError::Parse {
        path,
        line: source.line(),
        source,
    })
}
