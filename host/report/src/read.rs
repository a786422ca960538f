//! Reading a run's folder: every episode once, several at a time, nothing of its events kept but what a report needs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use dynacu_record::{EpisodeResult, Line, ReadError, RunInfo, SCHEMA};

use crate::trace::Trace;

/// Why a run cannot be reported.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each message says it")]
pub enum Error {
    #[error("{} is not a run folder: name one that has a run.json, as created by `--out`", .0.display())]
    NoRun(PathBuf),
    #[error(transparent)]
    Record(#[from] ReadError),
    #[error("{} has schema {found}, this program reads {SCHEMA}: use a newer one", .path.display())]
    Schema { path: PathBuf, found: u32 },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} has no complete episode yet: there is nothing to report", .0.display())]
    Empty(PathBuf),
    #[error("{} is not empty: name a new folder for the copy", .0.display())]
    NotEmpty(PathBuf),
    #[error(
        "no episode has `{0}` in its path: give a part of a path in the run folder, for example reference/standard/A-E1"
    )]
    NoEpisode(String),
    #[error("no thread could be started: {0}")]
    Thread(io::Error),
}

/// One whole episode.
#[derive(Debug, Clone)]
pub struct Episode {
    /// Relative to the run's folder, with `/`.
    pub path: String,
    /// The keyframe gate, where the folder's name or the events say it.
    pub gate: Option<String>,
    /// Its `episode.json`.
    pub result: EpisodeResult,
    /// The error's text where the events cannot be read or believed.
    pub trace: Result<Trace, String>,
}

/// A run as it was read.
#[derive(Debug, Clone)]
pub struct Run {
    /// Where it lies.
    pub folder: PathBuf,
    /// Its `run.json`.
    pub info: RunInfo,
    /// In the order of their paths.
    pub episodes: Vec<Episode>,
    /// Folders with events and without a result: begun, never whole.
    pub unfinished: Vec<String>,
    /// Folder and reason.
    pub unreadable: Vec<(String, String)>,
}

/// What is done with each episode while its events are at hand.
pub(crate) type Visit<'a> = &'a (dyn Fn(&Path, &Episode, &[Line]) -> Result<(), Error> + Sync);

enum Found {
    Whole(Box<Episode>),
    Unfinished(String),
    Unreadable(String, String),
}

/// Reads a run, and lets `visit` see each whole episode whose events could be read.
///
/// # Errors
/// The folder is no run or holds no whole episode; what `visit` fails with. A single episode that cannot be read is no error: it is told in the result.
pub fn read_run(folder: &Path, visit: Visit) -> Result<Run, Error> {
    if !folder.join("run.json").is_file() {
        return Err(Error::NoRun(folder.to_owned()));
    }
    let info = dynacu_record::read_run(folder)?;
    if info.schema > SCHEMA {
        return Err(Error::Schema {
            path: folder.join("run.json"),
            found: info.schema,
        });
    }
    let folders = episode_folders(folder)?;
    let mut run = Run {
        folder: folder.to_owned(),
        info,
        episodes: Vec::with_capacity(folders.len()),
        unfinished: Vec::new(),
        unreadable: Vec::new(),
    };
    for found in in_parallel(&folders, &|relative| read(folder, relative, visit))? {
        match found {
            Found::Whole(episode) => run.episodes.push(*episode),
            Found::Unfinished(path) => run.unfinished.push(path),
            Found::Unreadable(path, why) => run.unreadable.push((path, why)),
        }
    }
    if run.episodes.is_empty() {
        return Err(Error::Empty(folder.to_owned()));
    }
    Ok(run)
}

/// `episodes/<agent>/<mode>/<task>/<trial>`, sorted.
fn episode_folders(run: &Path) -> Result<Vec<String>, Error> {
    let mut level = vec!["episodes".to_owned()];
    for _ in 0..4 {
        let mut next = Vec::new();
        for folder in level {
            let path = run.join(&folder);
            let failed = |source| Error::Read {
                path: path.clone(),
                source,
            };
            if !path.is_dir() {
                continue;
            }
            for inside in fs::read_dir(&path).map_err(failed)? {
                let inside = inside.map_err(failed)?;
                if inside.file_type().map_err(failed)?.is_dir()
                    && let Some(name) = inside.file_name().to_str()
                {
                    next.push(format!("{folder}/{name}"));
                }
            }
        }
        level = next;
    }
    level.sort_by_cached_key(|path| {
        let (task, trial) = path.rsplit_once('/').unwrap_or((path, ""));
        (task.to_owned(), trial.parse().unwrap_or(u32::MAX))
    });
    Ok(level)
}

fn read(run: &Path, relative: &str, visit: Visit) -> Result<Found, Error> {
    let folder = run.join(relative);
    let relative = relative.to_owned();
    if !folder.join("episode.json").exists() {
        return Ok(Found::Unfinished(relative));
    }
    let result = match dynacu_record::read_episode(&folder) {
        Ok(result) if result.schema > SCHEMA => {
            let why = format!("schema {}, this program reads {SCHEMA}", result.schema);
            return Ok(Found::Unreadable(relative, why));
        }
        Ok(result) => result,
        Err(error) => return Ok(Found::Unreadable(relative, error.to_string())),
    };
    let (entries, trace) = match dynacu_record::read_events(&folder) {
        Ok(entries) => {
            let trace = Trace::of(&result, &entries);
            (entries, Ok(trace))
        }
        Err(error) => (Vec::new(), Err(error.to_string())),
    };
    let gate = gate_in(&relative).or_else(|| {
        trace
            .as_ref()
            .ok()
            .and_then(|trace: &Trace| trace.gate.clone())
    });
    let episode = Episode {
        path: relative,
        gate,
        result,
        trace,
    };
    if episode.trace.is_ok() {
        visit(&folder, &episode, &entries)?;
    }
    Ok(Found::Whole(Box::new(episode)))
}

/// The gate in a folder named `<mode>@<gate>`.
fn gate_in(path: &str) -> Option<String> {
    let (_, gate) = path.split('/').nth(2)?.split_once('@')?;
    Some(gate.to_owned())
}

/// All results in the order of their inputs; the first error ends it.
fn in_parallel<T: Sync, R: Send>(
    inputs: &[T],
    work: &(dyn Fn(&T) -> Result<R, Error> + Sync),
) -> Result<Vec<R>, Error> {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(8);
    let mut results = std::thread::scope(|scope| {
        let work_off = || {
            let mut mine = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(input) = inputs.get(index) else {
                    return Ok(mine);
                };
                match work(input) {
                    Ok(result) => mine.push((index, result)),
                    Err(error) => {
                        next.store(inputs.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
        };
        let threads: Vec<_> = (0..workers)
            .map(|number| {
                std::thread::Builder::new()
                    .name(format!("read-{number}"))
                    .spawn_scoped(scope, work_off)
                    .map_err(Error::Thread)
            })
            .collect::<Result<_, _>>()?;
        let mut all = Vec::with_capacity(inputs.len());
        for thread in threads {
            match thread.join() {
                Ok(mine) => all.extend(mine?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok::<_, Error>(all)
    })?;
    results.sort_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
