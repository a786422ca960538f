//! `run.json`: what was run, with what, and where.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A plugin of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PluginFile {
    /// As its manifest calls it.
    pub name: String,
    /// `policy` or `model-adapter`.
    pub kind: String,
    /// As its manifest says.
    pub version: String,
    /// Of the component's file.
    pub sha256: String,
    /// What its manifest asks for and the command line granted.
    pub grants: Vec<String>,
}

/// A weights file that the run used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFile {
    /// As the lock file calls it.
    pub name: String,
    /// Of its bytes.
    pub sha256: String,
}

/// A model that policies of the run ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedModel {
    /// The adapter's name.
    pub adapter: String,
    /// As the run names it.
    pub model: String,
    /// US dollars per million tokens of input, cached input and output; none where no price is known.
    pub usd_per_million: Option<[f64; 3]>,
}

/// How the run asks models, and what that came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceInfo {
    /// Each one that a policy asks.
    pub models: Vec<AskedModel>,
    /// Hosts that were sent elsewhere, with the URL.
    pub endpoints: BTreeMap<String, String>,
    /// Of one call, its retries included.
    pub timeout_s: f64,
    /// The price table's date.
    pub prices_date: String,
    /// The price table's hash.
    pub prices_sha256: String,
    /// The run's limit, US dollars; none without one.
    pub max_cost_usd: Option<f64>,
    /// The run's limit; none without one.
    pub max_tokens: Option<u64>,
    /// Key of the adapters' random numbers, hex.
    pub adapter_random: String,
    /// Input and output of all requests, the preflight's included; where an adapter reports less than the host saw, that.
    pub tokens: u64,
    /// Of the same, US dollars.
    pub cost_usd: f64,
    /// Answers without usage, which count by what the host saw, or without a price, which are not in the cost.
    pub uncounted: u64,
}

/// Where it ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// As `uname` says.
    pub kernel: String,
    /// The processor's name.
    pub cpu: String,
    /// That the host may use.
    pub cores: usize,
    /// MiB.
    pub memory_mib: u64,
    /// Its version.
    pub chromium: String,
    /// Its version.
    pub pulseaudio: String,
}

/// `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunInfo {
    /// Of this file: [`crate::SCHEMA`].
    pub schema: u32,
    /// The command line as it was typed.
    pub command: Vec<String>,
    /// The host's version.
    pub host_version: String,
    /// The commit it was built from, where that is known.
    pub host_commit: Option<String>,
    /// Policies and adapters.
    pub plugins: Vec<PluginFile>,
    /// Weights files.
    pub models: Vec<ModelFile>,
    /// SHA-256 over the files of the chosen tasks and the page library.
    pub task_set: String,
    /// Where it ran.
    pub machine: Machine,
    /// Ids.
    pub tasks: Vec<String>,
    /// Names.
    pub modes: Vec<String>,
    /// What the variants are drawn from.
    pub seed: String,
    /// Of each task, where its group says nothing else.
    pub trials: u32,
    /// Least time between two observations, ms.
    pub pace_ms: u64,
    /// Captures a second.
    pub fps: f32,
    /// The keyframe gate.
    pub gate: String,
    /// All gates of the run, where it has several: `gate` is the first of them. Each episode's first event names its own.
    pub gates: Vec<String>,
    /// Share of pixels that had to change, of the frame or of a tile; none where the gate does not look at it.
    pub pixel_threshold: Option<f32>,
    /// Cosine distance that embeddings had to have; none where the gate does not look at it.
    pub semantic_threshold: Option<f32>,
    /// Whether the screen was captured also when something was drawn.
    pub burst: bool,
    /// The image encoder.
    pub encoder: String,
    /// What recognised speech for the policy: a model file, or a server and its model.
    pub recognizer: String,
    /// Seconds since 1970.
    pub started: u64,
    /// When it was taken up again, each time.
    pub resumed: Vec<u64>,
    /// Seconds since 1970; none while it is not over.
    pub ended: Option<u64>,
    /// Isolated desktops that ran episodes at once, the last time.
    pub lanes: usize,
    /// Episodes of the plan.
    pub planned: usize,
    /// All of the configuration, in the shape of a file for `--config`: what a resumed run starts from. Null in records of
    /// before it was written.
    pub config: serde_json::Value,
    /// None where nobody asks a model.
    pub inference: Option<InferenceInfo>,
}
