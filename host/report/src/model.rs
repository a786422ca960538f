//! A report as data. `report.json` holds exactly this, and the pages are drawn from it. `docs/report.md` describes each field.
//!
//! Where something was not measured the field is null or absent, never 0. Shares are 0 to 1, times milliseconds or seconds by
//! the field's ending, money US dollars.

use std::collections::BTreeMap;

use dynacu_figures::Spread;
use dynacu_record::{ActionCounts, RunInfo};
use serde::Serialize;

use crate::statistics::{Paired, Share};
use crate::trace::FailureStage;

/// The version of `report.json`'s shape.
pub const REPORT_SCHEMA: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub schema: u32,
    pub run: RunInfo,
    pub counts: Counts,
    /// What a reader must know before the figures.
    pub notes: Vec<Note>,
    pub agents: Vec<Agent>,
    pub conditions: Vec<Condition>,
    /// `standard` against `aoi_full`, for each agent that ran both.
    pub headline: Vec<Comparison>,
    /// The other comparisons that the specification names, between gates, and between agents.
    pub comparisons: Vec<Comparison>,
    pub tiers: Vec<GroupShare>,
    pub categories: Vec<GroupShare>,
    pub repeats: Vec<Repeats>,
    pub tasks: Vec<TaskRow>,
}

/// How many episodes there are, and which do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Finished ones.
    pub episodes: u64,
    pub counted: u64,
    pub passed: u64,
    pub infrastructure_errors: u64,
    pub unscored: u64,
    /// Started but not finished; not among `episodes`.
    pub unfinished: u64,
    /// Finished, but not readable; not among `episodes`.
    pub unreadable: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// The figures must be read with care.
    Warning,
    Information,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub weight: Weight,
    pub text: String,
}

/// Who acted: one policy, or the policy of each mode, with its model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Agent {
    pub name: String,
    /// None where each mode's own policy acted.
    pub policy: Option<String>,
    pub model: Option<String>,
    pub adapter: Option<String>,
}

/// One agent in one mode with one gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condition {
    /// `<agent>/<mode>`, and `@<gate>` where the run has several.
    pub id: String,
    /// Index into `agents`.
    pub agent: usize,
    pub mode: String,
    pub gate: Option<String>,
    pub counts: Counts,
    /// None where no episode counts.
    pub success: Option<Share>,
    pub outcomes: BTreeMap<String, u64>,
    pub causes: BTreeMap<String, u64>,
    /// Of the episodes that count and were not passed; empty where no events could be read.
    pub stages: BTreeMap<FailureStage, u64>,
    pub steps: Option<Spread>,
    /// Of passed episodes.
    pub completion_s: Option<Spread>,
    pub wall_s: Option<Spread>,
    pub time: Time,
    pub perception: Perception,
    /// None if no counted episode spoke.
    pub speech: Option<Speech>,
    pub actions: ActionCounts,
    /// None where no model was asked.
    pub usage: Option<Usage>,
}

/// Time spent on perception, beside the model's. Spreads are over single measurements; `_s_per_episode` are means over counted
/// episodes, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Time {
    pub observe_ms: Option<Spread>,
    pub asr_ms: Option<Spread>,
    pub keyframe_ms: Option<Spread>,
    pub encode_ms: Option<Spread>,
    pub model_ms: Option<Spread>,
    pub observe_s_per_episode: f64,
    /// None where no model was asked.
    pub model_s_per_episode: Option<f64>,
    /// The rest of the wall time: the page, the pace, the policy, setting up.
    pub rest_s_per_episode: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Perception {
    pub frames: u64,
    pub late_frames: u64,
    pub keyframes: u64,
    pub sentences: u64,
    pub heard_s: f64,
    pub sound_gaps_ms: u64,
    pub recognition_failures: u64,
    /// Moments that pages reported, and how many of them were perceived. None if no event could be read or the mode grants
    /// no channel for them.
    pub moments: Option<MomentShare>,
    pub delay_ms: Option<Spread>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct MomentShare {
    pub shown: u64,
    pub perceived: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speech {
    pub utterances: u64,
    /// Utterances that the page's microphone received and the host recognised.
    pub received: u64,
    /// Each episode's 95th percentile of the time from `speak` to the first sample, over episodes.
    pub latency_p95_ms: Option<Spread>,
    /// Share of passed episodes among the counted ones that spoke.
    pub accepted: Option<Share>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Usage {
    pub calls: u64,
    pub answers: u64,
    pub retries: u64,
    pub input_tokens: u64,
    pub cached_input_tokens: u64,
    pub output_tokens: u64,
    pub reasoning_tokens: u64,
    /// Sum over the episodes that have a price.
    pub cost_usd: Option<f64>,
    /// Episodes that asked a model and have no cost.
    pub unpriced: u64,
    /// None if any episode has no price, or none passed.
    pub cost_usd_per_pass: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Mode,
    Gate,
    Agent,
}

/// Two conditions on the same tasks, trials and seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    pub kind: Kind,
    /// What it measures, in words.
    pub question: String,
    /// Indices into `conditions`.
    pub first: usize,
    pub second: usize,
    /// None where they share no task.
    pub paired: Option<Paired>,
    /// Counted episodes of either side that have no counterpart.
    pub unpaired: u64,
    /// The test's p after Holm's adjustment over all comparisons of this report.
    pub p_adjusted: Option<f64>,
}

/// A tier's or a category's share in one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupShare {
    /// `easy`, `medium`, `hard`; or A to J.
    pub group: String,
    pub condition: usize,
    pub share: Share,
    /// What the specification expects of this tier in this mode, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<(f64, f64)>,
}

/// pass@k and pass^k of a condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeats {
    pub condition: usize,
    pub k: u64,
    /// Tasks with at least k counted trials; the means are over them.
    pub tasks: u64,
    pub pass_any: f64,
    pub pass_all: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskRow {
    pub task: String,
    pub category: String,
    pub tier: String,
    pub cells: Vec<TaskCell>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskCell {
    pub condition: usize,
    pub passed: u64,
    pub counted: u64,
    pub episodes: Vec<EpisodeLine>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EpisodeLine {
    pub trial: u32,
    pub seed: String,
    pub outcome: String,
    pub cause: String,
    pub stage: Option<FailureStage>,
    pub detail: String,
    pub page_result: String,
    pub score: Option<f64>,
    pub steps: u32,
    pub completion_s: Option<f64>,
    pub wall_s: f64,
    /// Infrastructure failures before this attempt.
    pub earlier_infrastructure_errors: u32,
    /// The episode's folder, relative to the run's; its page is `view.html` there.
    pub path: String,
    pub time_line: TimeLine,
}

/// Whether an episode's page is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeLine {
    There,
    /// Its events cannot be read, or were changed.
    Unreadable,
    /// The report is a copy, and the page was not copied.
    NotCopied,
}
