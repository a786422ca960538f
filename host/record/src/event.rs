//! What is written to `events.jsonl`.

use dynacu_vocabulary::{
    Action, ActionError, AudioContext, Encoding, PerformError, Point, RecentAudio, Rect, Sentence,
    StopCause,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::calls::{BlobOutcome, Delivered, ModelFailure, ReadOutcome};
use crate::episode::{EndCause, ScoreResult, Usage};
use crate::started::EpisodeStarted;

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// Counts from 0.
    pub seq: u64,
    /// When it was written down, ms since the page's start signal; 0 for what came before it.
    pub t: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
    /// SHA-256 of the line before, without its line break; empty on the first line.
    pub previous: String,
}

/// A keyframe as an observation handed it over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObservedKeyframe {
    /// Blob of the whole frame, PNG.
    pub frame: String,
    /// ms on the episode's clock.
    pub captured_at: u64,
    /// The box around what changed since the last kept frame, `[x, y, width, height]` in pixels.
    pub changed: Rect,
    /// Share of all pixels that changed, 0 to 1.
    pub changed_fraction: f32,
    /// Cosine distance that decided, 0 to 2; none where the second stage did not look.
    pub semantic_distance: Option<f32>,
}

/// An observation exactly as the policy had it, so that it can be handed over again from here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observation {
    /// Counts from 1.
    pub step: u32,
    /// When the screenshot was captured, ms on the episode's clock.
    pub taken_at: u64,
    /// Blob of the screenshot, PNG.
    pub screenshot: String,
    /// Where the pointer was, pixels.
    pub pointer: Point,
    /// Empty where the channel is not granted; oldest first, at most 64.
    pub keyframes: Vec<ObservedKeyframe>,
    /// Keyframes left out because there were more.
    pub keyframes_dropped: u32,
    /// Layer 1; none where the channel is not granted.
    pub recent_audio: Option<RecentAudio>,
    /// Layer 2; none where the channel is not granted.
    pub audio_context: Option<AudioContext>,
    /// Time left before the task's limit, ms.
    pub remaining_ms: u64,
}

/// The typed events of an episode. Instants (`…_at`) are milliseconds on the episode's clock, durations (`…_ms`) are
/// milliseconds, blobs are named by their SHA-256.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first line: what is about to run, everything that its replay needs.
    EpisodeStarted(Box<EpisodeStarted>),
    /// The page got its start signal: t = 0.
    PageStarted {
        /// Where the page's own server has it.
        url: String,
    },
    /// The policy took an observation.
    Observation {
        /// When it asked.
        asked_at: u64,
        /// How long the pace made it wait.
        paced_ms: u64,
        /// How long the host worked on it.
        took_ms: u64,
        /// What it was handed.
        #[serde(flatten)]
        observation: Box<Observation>,
    },
    /// The policy asked for an observation and got the episode's end.
    ObservationStopped {
        /// When it asked.
        asked_at: u64,
        /// What it was told.
        cause: StopCause,
    },
    /// A frame was kept, whether or not the policy may have it.
    Keyframe {
        /// Blob of the whole frame, PNG.
        frame: String,
        /// When it was captured.
        captured_at: u64,
        /// The box around what changed, `[x, y, width, height]` in pixels.
        changed: Rect,
        /// Share of all pixels that changed, 0 to 1.
        changed_fraction: f32,
        /// Cosine distance that decided, 0 to 2; none where the second stage did not look.
        semantic_distance: Option<f32>,
        /// Whether it shows what a change came to, and not the change itself.
        settled: bool,
        /// From capture to decision.
        decided_after_ms: u32,
    },
    /// A sentence became final, whether or not the policy may have it.
    Sentence {
        /// The sentence.
        sentence: Sentence,
    },
    /// The policy queued a batch of actions; they are numbered from `first` on.
    ActionsQueued {
        /// The id of the first.
        first: u64,
        /// In their order.
        actions: Vec<Action>,
    },
    /// A batch was refused as a whole.
    ActionsRefused {
        /// Why.
        error: PerformError,
    },
    /// An action was done.
    ActionDone {
        /// Its id.
        id: u64,
        /// What was done.
        action: Action,
        /// When it began.
        started_at: u64,
        /// When it ended.
        ended_at: u64,
    },
    /// An action was not done, or not to its end.
    ActionFailed {
        /// Its id.
        id: u64,
        /// What was to be done.
        action: Action,
        /// Why not.
        error: ActionError,
    },
    /// The policy cancelled every action that had not started.
    ActionsAborted {},
    /// The policy asked for a channel or an assist that its mode or the operator does not grant.
    NotGranted {
        /// What it asked for.
        what: String,
    },
    /// The policy asked for keyframe and sentence events, or no longer.
    Subscribed {
        /// Whether it wants them.
        on: bool,
    },
    /// The policy took the next event from its mailbox: the order in which it learnt of things.
    Next {
        /// When it asked.
        asked_at: u64,
        /// How long it was ready to wait; none is without end.
        wait_ms: Option<u64>,
        /// What it got.
        delivered: Delivered,
    },
    /// The policy read a clock: runs of readings, each `[reading in ms, how many times in a row]`. They were taken before
    /// the next line of the policy's.
    Clock {
        /// In their order.
        readings: Vec<(u64, u32)>,
    },
    /// The policy had a frame encoded. The same encoding of the same frame is made once, and recorded each time.
    Encoded {
        /// Blob of the whole frame, PNG.
        frame: String,
        /// How.
        encoding: Encoding,
        /// What it got.
        outcome: BlobOutcome,
    },
    /// The policy asked for the sound itself.
    Clip {
        /// Where it begins.
        start_at: u64,
        /// Where it ends.
        end_at: u64,
        /// What it got: a WAV.
        outcome: BlobOutcome,
    },
    /// Text read out of a frame for a policy that has the `reading` assist.
    Read {
        /// Blob of the whole frame, PNG; empty where the policy no longer held it.
        frame: String,
        /// When the frame was captured.
        captured_at: u64,
        /// Where, `[x, y, width, height]` in pixels.
        area: Rect,
        /// What was read.
        outcome: ReadOutcome,
        /// How long that took.
        took_ms: u64,
    },
    /// The policy asked for its task's solution and had the assist for it.
    Solution {
        /// The script, TOML; none where the task has none.
        script: Option<String>,
    },
    /// The policy read a blob of its episode.
    BlobRead {
        /// The blob that it named.
        blob: String,
        /// Its bytes; none where there is no such blob or the policy's quota was used up.
        size: Option<u64>,
    },
    /// What the page did, as its server saw it.
    Page(PageEvent),
    /// The scorer gave the page its result.
    Verdict {
        /// What `window.getTaskResult()` returns from now on.
        label: String,
    },
    /// A line of a guest's log, or of its standard output or error.
    GuestLog {
        /// Whose.
        plugin: String,
        /// `trace`, `debug`, `info`, `warn` or `error`.
        level: String,
        /// The line.
        message: String,
    },
    /// The policy asked its model.
    ModelCall {
        /// The call's id; counts from 1.
        call: u64,
        /// The step in which it was made.
        step: u32,
        /// The model as the run names it.
        model: String,
        /// Blob of the neutral request, JSON.
        request: String,
    },
    /// The policy gave a model call up.
    ModelCallCancelled {
        /// The call's id.
        call: u64,
    },
    /// One HTTP exchange of a model call, whole except for secrets, which are cut out, and media, which are named by
    /// their blobs. Without `status` no answer came, and `error` says why.
    ModelExchange {
        /// The call's id.
        call: u64,
        /// Counts from 1.
        attempt: u32,
        /// HTTP method.
        method: String,
        /// Where to, without secrets.
        url: String,
        /// Name and value, in order.
        request_headers: Vec<(String, String)>,
        /// Blob of the body as it left.
        request: String,
        /// HTTP status.
        status: Option<u16>,
        /// Name and value, in order.
        response_headers: Vec<(String, String)>,
        /// Blob of the body as it came.
        response: Option<String>,
        /// Why no answer came, or why the adapter did not get it.
        error: Option<String>,
        /// From the request to the last byte.
        took_ms: u64,
    },
    /// An attempt failed; the host asks again.
    ModelRetry {
        /// The call's id.
        call: u64,
        /// The attempt that failed; counts from 1.
        attempt: u32,
        /// Why.
        reason: String,
        /// How long the host waits first.
        after_ms: u64,
        /// Whether the host itself saw the provider fail or ask to wait.
        trouble: bool,
    },
    /// The end of a model call.
    ModelAnswer {
        /// The call's id.
        call: u64,
        /// The step in which it was made.
        step: u32,
        /// Why there is no answer; none where there is one.
        error: Option<ModelFailure>,
        /// How often the model was asked.
        attempts: u32,
        /// The answering attempt alone.
        took_ms: u64,
        /// Failed attempts and waits before it.
        waited_ms: u64,
        /// The exact model that answered, as the provider names it.
        model: Option<String>,
        /// Blob of the neutral response, JSON.
        response: Option<String>,
        /// What it used up.
        usage: Option<Usage>,
    },
    /// Something the host wants a reader to know.
    Note {
        /// In plain words.
        text: String,
    },
    /// Why the episode ended.
    Ended {
        /// The cause.
        cause: EndCause,
        /// What stands behind it.
        detail: String,
    },
    /// The last line.
    Scored {
        /// None where the episode's cause left nothing to score.
        score: Option<ScoreResult>,
    },
}

/// Something that reached the page's own server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageEvent {
    /// When it was made, by the page's clock, ms on the episode's clock: an answer counts then.
    pub at: u64,
    /// `submit`, `utterance`, `moment`, …: what the page or the host calls it.
    pub name: String,
    /// What belongs to it.
    pub data: Value,
}
