//! The record of a run: typed events on one clock, the bytes that they name, and the result of each episode.
//!
//! A run folder is made of `run.json` and one folder an episode:
//!
//! ```text
//! run.json
//! episodes/<agent>/<mode>/<task>/<trial>/
//!   events.jsonl   one JSON object a line, each carrying the SHA-256 of the line before it
//!   blobs/         screenshots, keyframes and other bytes, named by their SHA-256
//!   episode.json   the result; written last and atomically, so it exists exactly when the episode is whole
//! ```

#![deny(missing_docs)]

mod calls;
mod episode;
mod event;
mod file;
#[cfg(test)]
mod kill;
mod reader;
mod run;
mod started;
mod writer;

pub use calls::{BlobOutcome, Delivered, ModelFailure, ReadOutcome};
pub use dynacu_vocabulary as vocabulary;
pub use episode::{
    ActionCounts, EndCause, EpisodeResult, Intervals, ModelIdentity, Outcome, Overhead, Perception,
    PolicyIdentity, ScoreResult, Speech, Usage,
};
pub use event::{Event, Line, Observation, ObservedKeyframe, PageEvent};
pub use file::{hash, write_atomically, write_json};
pub use reader::{ReadError, read_episode, read_events, read_run, record_digest};
pub use run::{AskedModel, InferenceInfo, Machine, ModelFile, PluginFile, RunInfo};
pub use started::{
    AskedAs, DeclaredMoment, EpisodeStarted, Inputs, MomentChannel, PerceptionSettings,
};
pub use writer::{BlobIndex, RecordError, Recorder, Tap, Writer};

/// The version of every file's shape in a run folder.
pub const SCHEMA: u32 = 2;
