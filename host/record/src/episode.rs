//! `episode.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How an episode counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The scorer said so.
    Passed,
    /// The scorer said so, or the page was left.
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

impl Outcome {
    /// The name as it stands in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::AgentError => "agent-error",
            Self::InfrastructureError => "infrastructure-error",
            Self::Unscored => "unscored",
        }
    }
}

/// Why an episode ended: one name of one closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EndCause {
    /// The policy said that it is done.
    Done,
    /// The page's result was decided.
    TaskEnded,
    /// The task's time.
    TimeLimit,
    /// The task's number of observations.
    StepLimit,
    /// The run's money or tokens; not counted.
    Budget,
    /// The browser was on another page, or the page broke its connection.
    LeftPage,
    /// A person, or a signal; not counted.
    Operator,
    /// The policy returned or gave up.
    PolicyReturned,
    /// The policy or the adapter computed, or kept the host working, too long.
    GuestTimeout,
    /// The policy or the adapter wanted more memory than it may have.
    GuestOutOfMemory,
    /// The policy or the adapter trapped.
    GuestTrap,
    /// The policy or the adapter handed over or had recorded too much.
    GuestOutputTooLarge,
    /// The policy or the adapter failed in another way.
    GuestError,
    /// The model declined twice.
    ModelRefused,
    /// The model's answers could not be used.
    ModelMalformed,
    /// The provider refused the key, as the host itself saw.
    ModelAuthentication,
    /// The provider said that the quota is used up, as the host itself saw.
    ModelQuota,
    /// The provider failed or asked to wait for too long, as the host itself saw.
    ProviderOutage,
    /// The page had an error of its own.
    PageFailed,
    /// The page's script did not come to an end, so that the page answered nobody; not counted.
    PageHung,
    /// The browser ended or hung.
    BrowserLost,
    /// Capturing or playing sound failed.
    SoundLost,
    /// Capturing the screen failed.
    ScreenLost,
    /// The machine was too slow for what was to be captured.
    CaptureLate,
    /// The desktop was not in order.
    LaneCheckFailed,
    /// The record cannot be whole: an event or a picture could not be written.
    RecordLost,
    /// The host, or a scorer, failed.
    HostError,
}

impl EndCause {
    /// Whether an agent can bring it about: by input that hangs the browser, by a text that a scorer cannot judge, by
    /// requests that are too many, by an adapter's own server that fails. An episode that ends so is run again once;
    /// where it ends so again, it counts as failed, so that nobody gets out of an episode that goes badly.
    #[must_use]
    pub fn agent_can_cause(self) -> bool {
        match self {
            Self::PageFailed
            | Self::PageHung
            | Self::BrowserLost
            | Self::HostError
            | Self::ModelAuthentication
            | Self::ModelQuota
            | Self::ProviderOutage => true,
            Self::Done
            | Self::TaskEnded
            | Self::TimeLimit
            | Self::StepLimit
            | Self::Budget
            | Self::LeftPage
            | Self::Operator
            | Self::PolicyReturned
            | Self::GuestTimeout
            | Self::GuestOutOfMemory
            | Self::GuestTrap
            | Self::GuestOutputTooLarge
            | Self::GuestError
            | Self::ModelRefused
            | Self::ModelMalformed
            | Self::SoundLost
            | Self::ScreenLost
            | Self::CaptureLate
            | Self::LaneCheckFailed
            | Self::RecordLost => false,
        }
    }

    /// The name as it stands in files.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// Which policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyIdentity {
    /// As its manifest calls it.
    pub name: String,
    /// As its manifest says.
    pub version: String,
    /// Of the component's file.
    pub sha256: String,
}

/// Which model a policy asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelIdentity {
    /// The adapter's name.
    pub adapter: String,
    /// Of the adapter's file.
    pub sha256: String,
    /// As the run names it.
    pub model: String,
}

/// What the task's scorer said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreResult {
    /// 0 to 1.
    pub value: f64,
    /// Whether the task counts as solved.
    pub passed: bool,
    /// A sentence that says why.
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
    /// The part of the output that was reasoning.
    pub reasoning_tokens: u64,
    /// US dollars by the run's price table; none where the model has no price there.
    pub cost_usd: Option<f64>,
}

/// What capture and recognition came to.
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
    /// Frames kept.
    pub keyframes: u64,
    /// Sentences that became final.
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
    /// ms.
    pub median: f32,
    /// 95th percentile, ms.
    pub p95: f32,
    /// ms.
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

/// What became of the policy's actions, by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionCounts {
    /// Done.
    pub done: u32,
    /// The point was outside the screen.
    pub off_screen: u32,
    /// The chord would have left the page.
    pub forbidden: u32,
    /// No key has the name.
    pub unknown_key: u32,
    /// The mode or the operator does not grant it; calls that are not actions are counted too.
    pub not_granted: u32,
    /// Cancelled.
    pub cancelled: u32,
    /// A value was out of range.
    pub invalid: u32,
    /// The host could not do it.
    pub failed: u32,
}

impl std::ops::AddAssign<&ActionCounts> for ActionCounts {
    fn add_assign(&mut self, more: &ActionCounts) {
        let ActionCounts {
            done,
            off_screen,
            forbidden,
            unknown_key,
            not_granted,
            cancelled,
            invalid,
            failed,
        } = more;
        self.done += done;
        self.off_screen += off_screen;
        self.forbidden += forbidden;
        self.unknown_key += unknown_key;
        self.not_granted += not_granted;
        self.cancelled += cancelled;
        self.invalid += invalid;
        self.failed += failed;
    }
}

/// The result of one episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeResult {
    /// Of this file: [`crate::SCHEMA`].
    pub schema: u32,
    /// The task's id.
    pub task: String,
    /// A letter.
    pub category: String,
    /// `easy`, `medium` or `hard`.
    pub tier: String,
    /// The mode's name.
    pub mode: String,
    /// The keyframe gate; empty in records of before it was written.
    pub gate: String,
    /// Counts from 1.
    pub trial: u32,
    /// What the variant was drawn from.
    pub seed: String,
    /// Who acted.
    pub policy: PolicyIdentity,
    /// Which model it asked; none where it asks none.
    pub model: Option<ModelIdentity>,
    /// How it counts.
    pub outcome: Outcome,
    /// Why it ended.
    pub cause: EndCause,
    /// What stands behind the cause, in a sentence.
    pub detail: String,
    /// What `window.getTaskResult()` returned last.
    pub page_result: String,
    /// None where there is nothing to score, or the scorer could not say.
    pub score: Option<ScoreResult>,
    /// Observations taken.
    pub steps: u32,
    /// From t = 0 to the event that ended the task; none unless the task was decided.
    pub time_to_completion_s: Option<f64>,
    /// From the start of its lane to the last part stopped, seconds.
    pub wall_s: f64,
    /// Time added by perceiving.
    pub overhead_ms: Overhead,
    /// Model calls that the policy made.
    pub model_calls: u64,
    /// Milliseconds that the model took for each answer; waits for a provider in trouble are not in it.
    pub model_ms: Vec<u64>,
    /// Of all answers together.
    pub usage: Usage,
    /// What capture and recognition came to.
    pub perception: Perception,
    /// The voice's way to the page.
    pub speech: Speech,
    /// What became of its actions.
    pub actions: ActionCounts,
    /// Infrastructure failures of this episode before this attempt.
    pub earlier_infrastructure_errors: u32,
    /// Of these, the attempts whose cause an agent can bring about ([`EndCause::agent_can_cause`]).
    #[serde(default)]
    pub earlier_losses_by_agent: u32,
}
