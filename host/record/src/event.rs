//! What is written to `events.jsonl`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::episode::Usage;

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts from 0.
    pub seq: u64,
    /// Milliseconds since the page's start signal; 0 for what came before it.
    pub t: u64,
    #[serde(flatten)]
    pub event: Event,
    /// SHA-256 of the line before, without its line break; empty on the first line.
    pub previous: String,
}

/// A sentence as the recognizer gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeardSentence {
    pub started_at: u64,
    pub ended_at: u64,
    pub text: String,
    pub confidence: f32,
}

/// A moment of page truth that the task's page reports, as the task declares it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeclaredMoment {
    pub name: String,
    /// `audio` or `screen`.
    pub channel: String,
    /// How long it is up; none where it is heard.
    pub seconds: Option<f64>,
    /// Whether the task cannot be solved without it.
    pub needed: bool,
}

/// The typed events of an episode. Times are milliseconds on the episode's clock, boxes are `[x, y, width, height]` in
/// screen pixels, blobs are named by their SHA-256.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "event",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case"
)]
pub enum Event {
    /// The first line: what is about to run, everything that its replay needs.
    EpisodeStarted {
        task: String,
        mode: String,
        trial: u32,
        seed: String,
        sub_seed: u32,
        instruction: String,
        variant: Value,
        policy: String,
        /// None where it asks none.
        #[serde(default)]
        model: Option<String>,
        granted: Vec<String>,
        assists: Vec<String>,
        pace_ms: u64,
        /// Key of the guest's random numbers, hex.
        guest_random: String,
        perception: Value,
        /// Empty in records of before they were written.
        #[serde(default)]
        moments: Vec<DeclaredMoment>,
    },
    /// The page got its start signal: t = 0.
    PageStarted { url: String },
    /// The policy took an observation. It asked at `asked-at`; the pace made it wait for `paced-ms`.
    Observation {
        step: u32,
        asked_at: u64,
        paced_ms: u64,
        took_ms: u64,
        screenshot: String,
        keyframes: Vec<String>,
        keyframes_dropped: u32,
        recent_audio: Option<String>,
        audio_context: Option<Vec<HeardSentence>>,
    },
    /// A frame was kept.
    Keyframe {
        blob: String,
        captured_at: u64,
        changed: [i32; 4],
        changed_fraction: f32,
        semantic_distance: Option<f32>,
        settled: bool,
        decided_after_ms: u32,
    },
    /// A sentence became final.
    Sentence { sentence: HeardSentence },
    /// A batch was queued.
    ActionsQueued { first: u64, actions: Vec<Value> },
    ActionDone {
        action: u64,
        what: Value,
        started_at: u64,
        ended_at: u64,
    },
    ActionFailed {
        action: u64,
        what: Value,
        error: String,
    },
    /// The policy asked for a channel or an assist that its mode or the operator does not grant.
    NotGranted { what: String },
    /// What the page did, as its server saw it.
    Page { at: u64, name: String, data: Value },
    /// The scorer gave the page its result.
    Verdict { label: String },
    /// A line of a guest's log, or of its standard output or error.
    GuestLog {
        plugin: String,
        level: String,
        message: String,
    },
    /// Text read out of a frame for a policy that has the `reading` assist.
    Read {
        captured_at: u64,
        area: [i32; 4],
        lines: Vec<String>,
        took_ms: u64,
    },
    /// The policy asked its model, during `step`. `request` is the blob of the neutral request.
    ModelCall {
        call: u64,
        step: u32,
        model: String,
        request: String,
    },
    /// One HTTP exchange of a model call, whole except for secrets, which are cut out, and media, which are named by
    /// their blobs. Without `status` no answer came, and `error` says why.
    ModelExchange {
        call: u64,
        attempt: u32,
        method: String,
        url: String,
        request_headers: Vec<(String, String)>,
        /// Blob.
        request: String,
        status: Option<u16>,
        response_headers: Vec<(String, String)>,
        /// Blob.
        response: Option<String>,
        error: Option<String>,
        took_ms: u64,
    },
    /// An attempt failed; the host asks again after `after-ms`. `trouble` says that the host itself saw the provider fail or
    /// ask to wait.
    ModelRetry {
        call: u64,
        attempt: u32,
        reason: String,
        after_ms: u64,
        trouble: bool,
    },
    /// The end of a model call: `took-ms` is the answering attempt alone, `waited-ms` failed attempts and waits before it.
    ModelAnswer {
        call: u64,
        step: u32,
        /// `ok`, or the error's name and text.
        outcome: String,
        attempts: u32,
        took_ms: u64,
        waited_ms: u64,
        /// The exact model that answered, as the provider names it.
        model: Option<String>,
        /// Blob of the neutral response.
        response: Option<String>,
        usage: Option<Usage>,
    },
    /// Something the host wants a reader to know.
    Note { text: String },
    /// Why the episode ended.
    Ended { cause: String, detail: String },
    /// The last line.
    Scored { score: Value },
}
