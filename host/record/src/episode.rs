//! `episode.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How an episode counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    Failed,
    /// The task's time or step limit came with nothing decided; counts as not passed.
    Timeout,
    /// The policy, the adapter or the model failed; counts as not passed.
    AgentError,
    /// The host, the browser, the sound or a provider failed; not counted, run again.
    InfrastructureError,
    /// The scorer could not say; not counted, shown.
    Unscored,
}

/// Why an episode ended: one name of one closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EndCause {
    Done,
    TaskEnded,
    TimeLimit,
    StepLimit,
    Budget,
    LeftPage,
    Operator,
    PolicyReturned,
    GuestTimeout,
    GuestOutOfMemory,
    GuestTrap,
    GuestOutputTooLarge,
    GuestError,
    ModelRefused,
    ModelMalformed,
    ModelAuthentication,
    ModelQuota,
    ProviderOutage,
    BrowserLost,
    SoundLost,
    ScreenLost,
    CaptureLate,
    LaneCheckFailed,
    RecordLost,
    HostError,
}

impl EndCause {
    /// The name as it stands in files.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyIdentity {
    pub name: String,
    pub version: String,
    pub sha256: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelIdentity {
    pub adapter: String,
    pub sha256: String,
    pub model: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreResult {
    /// 0 to 1.
    pub value: f64,
    pub passed: bool,
    pub explanation: String,
    /// Name to value; a unit, where there is one, follows the name in brackets.
    pub metrics: BTreeMap<String, f64>,
}

/// Time added by perceiving, in milliseconds; deliberate waits are never in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overhead {
    /// Each observation, after the pace's wait.
    pub observe: Vec<u64>,
    /// The tail recognised inside each observation.
    pub asr: Vec<u64>,
    /// From capture to decision, each kept frame.
    pub keyframe: Vec<u64>,
    /// Encoding of images for the policy.
    pub encode: Vec<u64>,
}

/// What model calls used up, as the provider counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// All input, what came from the provider's cache included.
    pub input_tokens: u64,
    /// The part of the input that came from the cache.
    pub cached_input_tokens: u64,
    /// All output, reasoning included.
    pub output_tokens: u64,
    pub reasoning_tokens: u64,
    /// US dollars by the run's price table; none where the model has no price there.
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Perception {
    /// Frames captured.
    pub frames: u64,
    /// Capture intervals longer than one and a quarter times the nominal one.
    pub late_frames: u64,
    /// Intervals between captures, milliseconds; none where there were fewer than two captures, and in records of before it was
    /// written.
    pub interval_ms: Option<Intervals>,
    pub keyframes: u64,
    pub sentences: u64,
    /// Seconds of sound that the recognizer got.
    pub heard_s: f64,
    /// Times that speech could not be recognised; the episode is then an infrastructure error.
    pub recognition_failures: u32,
    /// Sound lost before the recognizer, milliseconds.
    pub sound_gaps_ms: u64,
    /// Page-truth moments of the task that the page reported.
    pub moments: u32,
    /// 95th percentile of the time from capture to the decision to keep.
    pub delay_ms_p95: Option<u64>,
}

/// Of the intervals between captures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Intervals {
    pub median: f32,
    pub p95: f32,
    pub max: f32,
}

/// The voice's way to the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Speech {
    /// `speak` actions that were played.
    pub utterances: u32,
    /// Utterances that the page's microphone received and the host recognised.
    pub received: u32,
    /// From `speak` to its first sample, 95th percentile, milliseconds.
    pub latency_ms_p95: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionCounts {
    pub done: u32,
    pub off_screen: u32,
    pub forbidden: u32,
    pub unknown_key: u32,
    pub not_granted: u32,
    pub cancelled: u32,
    pub invalid: u32,
    pub failed: u32,
}

/// The result of one episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeResult {
    pub schema: u32,
    pub task: String,
    pub category: String,
    pub tier: String,
    pub mode: String,
    /// The keyframe gate; empty in records of before it was written.
    pub gate: String,
    pub trial: u32,
    pub seed: String,
    pub policy: PolicyIdentity,
    pub model: Option<ModelIdentity>,
    pub outcome: Outcome,
    pub cause: EndCause,
    /// What stands behind the cause, in a sentence.
    pub detail: String,
    /// What `window.getTaskResult()` returned last.
    pub page_result: String,
    pub score: Option<ScoreResult>,
    /// Observations taken.
    pub steps: u32,
    /// From t = 0 to the event that ended the task; none unless the task was decided.
    pub time_to_completion_s: Option<f64>,
    pub wall_s: f64,
    pub overhead_ms: Overhead,
    /// Model calls that the policy made.
    pub model_calls: u64,
    /// Milliseconds that the model took for each answer; waits for a provider in trouble are not in it.
    pub model_ms: Vec<u64>,
    pub usage: Usage,
    pub perception: Perception,
    pub speech: Speech,
    pub actions: ActionCounts,
    /// Infrastructure failures of this episode before this attempt.
    pub earlier_infrastructure_errors: u32,
}
