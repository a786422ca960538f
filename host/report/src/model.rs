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

/// The whole report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// [`REPORT_SCHEMA`].
    pub schema: u32,
    /// `run.json`, as it is.
    pub run: RunInfo,
    /// Over all episodes.
    pub counts: Counts,
    /// What a reader must know before the figures.
    pub notes: Vec<Note>,
    /// Sorted by their names.
    pub agents: Vec<Agent>,
    /// Every agent in every mode with every gate that ran.
    pub conditions: Vec<Condition>,
    /// `standard` against `aoi_full`, for each agent that ran both.
    pub headline: Vec<Comparison>,
    /// The other comparisons that the specification names, between gates, and between agents.
    pub comparisons: Vec<Comparison>,
    /// Success by tier.
    pub tiers: Vec<GroupShare>,
    /// Success by category.
    pub categories: Vec<GroupShare>,
    /// Of conditions with several trials of a task.
    pub repeats: Vec<Repeats>,
    /// By category, tier and id.
    pub tasks: Vec<TaskRow>,
}

/// How many episodes there are, and which do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Finished ones.
    pub episodes: u64,
    /// Those that say something about an agent: scored, or failed by the agent.
    pub counted: u64,
    /// Of the counted ones.
    pub passed: u64,
    /// Spoiled by the machine or a provider.
    pub infrastructure_errors: u64,
    /// Ended without a verdict.
    pub unscored: u64,
    /// Started but not finished; not among `episodes`.
    pub unfinished: u64,
    /// Finished, but not readable; not among `episodes`.
    pub unreadable: u64,
}

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// The figures must be read with care.
    Warning,
    /// Good to know.
    Information,
}

/// A sentence for the reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// How much it matters.
    pub weight: Weight,
    /// The sentence.
    pub text: String,
}

/// Who acted: one policy, or the policy of each mode, with its model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Agent {
    /// As tables show it.
    pub name: String,
    /// None where each mode's own policy acted.
    pub policy: Option<String>,
    /// None where no model is asked.
    pub model: Option<String>,
    /// The plugin that speaks to the model.
    pub adapter: Option<String>,
}

/// What the episodes that do not count could change: means over tasks of each task's share, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Decided {
    /// All of them failed: the worst case.
    pub failed: f64,
    /// All of them passed: the best case.
    pub passed: f64,
}

/// One agent in one mode with one gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condition {
    /// `<agent>/<mode>`, and `@<gate>` where the run has several.
    pub id: String,
    /// Index into `agents`.
    pub agent: usize,
    /// Its name.
    pub mode: String,
    /// The keyframe gate. None where neither the episodes nor the run say one.
    pub gate: Option<String>,
    /// Over its episodes.
    pub counts: Counts,
    /// None where no episode counts.
    pub success: Option<Share>,
    /// Success if the episodes that do not count had been decided. None where there are no episodes.
    pub decided: Option<Decided>,
    /// Episodes by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Episodes by the cause of their end.
    pub causes: BTreeMap<String, u64>,
    /// Of the episodes that count and were not passed; empty where no events could be read.
    pub stages: BTreeMap<FailureStage, u64>,
    /// Observations of an episode.
    pub steps: Option<Spread>,
    /// Of passed episodes.
    pub completion_s: Option<Spread>,
    /// Of counted episodes.
    pub wall_s: Option<Spread>,
    /// Where the time went.
    pub time: Time,
    /// What was perceived.
    pub perception: Perception,
    /// None if no counted episode spoke.
    pub speech: Option<Speech>,
    /// Sum over counted episodes.
    pub actions: ActionCounts,
    /// None where no model was asked.
    pub usage: Option<Usage>,
}

/// Time spent on perception, beside the model's. Spreads are over single measurements; `_s_per_episode` are means over counted
/// episodes, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Time {
    /// An observation, after the pace's wait.
    pub observe_ms: Option<Spread>,
    /// The part of an observation that waited for speech to be recognised.
    pub asr_ms: Option<Spread>,
    /// From a capture to the decision to keep it.
    pub keyframe_ms: Option<Spread>,
    /// Encoding a picture for the policy.
    pub encode_ms: Option<Spread>,
    /// A model's answer.
    pub model_ms: Option<Spread>,
    /// All observations.
    pub observe_s_per_episode: f64,
    /// None where no model was asked.
    pub model_s_per_episode: Option<f64>,
    /// The rest of the wall time: the page, the pace, the policy, setting up.
    pub rest_s_per_episode: f64,
}

/// What the host perceived, summed over counted episodes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Perception {
    /// Captured.
    pub frames: u64,
    /// Capture intervals longer than one and a quarter times the nominal one.
    pub late_frames: u64,
    /// Kept.
    pub keyframes: u64,
    /// Recognised and final.
    pub sentences: u64,
    /// Seconds of sound that the recogniser got.
    pub heard_s: f64,
    /// Sound lost before the recogniser.
    pub sound_gaps_ms: u64,
    /// Times that speech could not be recognised.
    pub recognition_failures: u64,
    /// Moments that pages reported, and how many of them were perceived. None if no event could be read or the mode grants
    /// no channel for them.
    pub moments: Option<MomentShare>,
    /// From a moment to the host's knowing it.
    pub delay_ms: Option<Spread>,
}

/// Moments of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct MomentShare {
    /// Reported by the page.
    pub shown: u64,
    /// Of these, those that a keyframe, a screenshot or a sentence has.
    pub perceived: u64,
}

/// What agents said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speech {
    /// Spoken by the agent.
    pub utterances: u64,
    /// Utterances that the page's microphone received and the host recognised.
    pub received: u64,
    /// Each episode's 95th percentile of the time from `speak` to the first sample, over episodes.
    pub latency_p95_ms: Option<Spread>,
    /// Share of passed episodes among the counted ones that spoke.
    pub accepted: Option<Share>,
}

/// What models cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Usage {
    /// Made by policies.
    pub calls: u64,
    /// Calls that got one.
    pub answers: u64,
    /// Attempts that were repeated.
    pub retries: u64,
    /// Cached ones included.
    pub input_tokens: u64,
    /// Of the input.
    pub cached_input_tokens: u64,
    /// Reasoning included.
    pub output_tokens: u64,
    /// Of the output.
    pub reasoning_tokens: u64,
    /// Sum over the episodes that have a price.
    pub cost_usd: Option<f64>,
    /// Episodes that asked a model and have no cost.
    pub unpriced: u64,
    /// None if any episode has no price, or none passed.
    pub cost_usd_per_pass: Option<f64>,
}

/// What two conditions differ by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The same agent and gate in two modes.
    Mode,
    /// The same agent and mode with two gates.
    Gate,
    /// Two agents in the same mode with the same gate.
    Agent,
}

/// Two conditions on the same tasks, trials and seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What they differ by.
    pub kind: Kind,
    /// What it measures, in words.
    pub question: String,
    /// Indices into `conditions`.
    pub first: usize,
    /// Index into `conditions`.
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
    /// Index into `conditions`.
    pub condition: usize,
    /// Of its counted episodes.
    pub share: Share,
    /// What the specification expects of this tier in this mode, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<(f64, f64)>,
}

/// pass@k and pass^k of a condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeats {
    /// Index into `conditions`.
    pub condition: usize,
    /// How many trials are drawn.
    pub k: u64,
    /// Tasks with at least k counted trials; the means are over them.
    pub tasks: u64,
    /// pass@k: at least one of k trials passes.
    pub pass_any: f64,
    /// pass^k: all of k trials pass.
    pub pass_all: f64,
}

/// One task in all conditions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskRow {
    /// Its id.
    pub task: String,
    /// A to J.
    pub category: String,
    /// `easy`, `medium` or `hard`.
    pub tier: String,
    /// In the order of `conditions`; those that did not run the task have none.
    pub cells: Vec<TaskCell>,
}

/// One task in one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskCell {
    /// Index into `conditions`.
    pub condition: usize,
    /// Trials.
    pub passed: u64,
    /// Trials.
    pub counted: u64,
    /// In the order of their trials.
    pub episodes: Vec<EpisodeLine>,
}

/// One episode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EpisodeLine {
    /// Counts from 1.
    pub trial: u32,
    /// The variant's.
    pub seed: String,
    /// Its name in the record.
    pub outcome: String,
    /// Its name in the record.
    pub cause: String,
    /// How far the fact came; None where it passed or does not count.
    pub stage: Option<FailureStage>,
    /// What the host says about the end.
    pub detail: String,
    /// What the page says of itself.
    pub page_result: String,
    /// The scorer's value.
    pub score: Option<f64>,
    /// Observations.
    pub steps: u32,
    /// None where it did not pass.
    pub completion_s: Option<f64>,
    /// From the start of its lane to the last part stopped.
    pub wall_s: f64,
    /// Infrastructure failures before this attempt.
    pub earlier_infrastructure_errors: u32,
    /// The episode's folder, relative to the run's; its page is `view.html` there.
    pub path: String,
    /// Whether `view.html` is there.
    pub time_line: TimeLine,
}

/// Whether an episode's page is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeLine {
    /// It is.
    There,
    /// Its events cannot be read, or were changed.
    Unreadable,
    /// The report is a copy, and the page was not copied.
    NotCopied,
}
