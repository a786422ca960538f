//! `run.json`: what was run, with what, and where.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PluginFile {
    pub name: String,
    pub kind: String,
    pub version: String,
    pub sha256: String,
    /// What its manifest asks for and the command line granted.
    pub grants: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFile {
    pub name: String,
    pub sha256: String,
}

/// A model that policies of the run ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedModel {
    pub adapter: String,
    pub model: String,
    /// US dollars per million tokens of input, cached input and output; none where no price is known.
    pub usd_per_million: Option<[f64; 3]>,
}

/// How the run asks models, and what that came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceInfo {
    pub models: Vec<AskedModel>,
    /// Hosts that were sent elsewhere, with the URL.
    pub endpoints: BTreeMap<String, String>,
    /// Of one call, its retries included.
    pub timeout_s: f64,
    pub prices_date: String,
    pub prices_sha256: String,
    pub max_cost_usd: Option<f64>,
    pub max_tokens: Option<u64>,
    /// Key of the adapters' random numbers, hex.
    pub adapter_random: String,
    /// Input and output of all answers, the preflight's included.
    pub tokens: u64,
    pub cost_usd: f64,
    /// Answers without usage or without a price: they are not in the cost.
    pub uncounted: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    pub kernel: String,
    pub cpu: String,
    pub cores: usize,
    pub memory_mib: u64,
    pub chromium: String,
    pub pulseaudio: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunInfo {
    pub schema: u32,
    /// The command line as it was typed.
    pub command: Vec<String>,
    pub host_version: String,
    pub host_commit: Option<String>,
    pub plugins: Vec<PluginFile>,
    pub models: Vec<ModelFile>,
    /// SHA-256 over the files of the chosen tasks and the page library.
    pub task_set: String,
    pub machine: Machine,
    pub tasks: Vec<String>,
    pub modes: Vec<String>,
    pub seed: String,
    pub trials: u32,
    pub pace_ms: u64,
    pub fps: f32,
    pub gate: String,
    /// All gates of the run, where it has several: `gate` is the first of them. Each episode's first event names its own.
    pub gates: Vec<String>,
    /// Share of pixels that had to change, of the frame or of a tile; none where the gate does not look at it.
    pub pixel_threshold: Option<f32>,
    /// Cosine distance that embeddings had to have; none where the gate does not look at it.
    pub semantic_threshold: Option<f32>,
    /// Whether the screen was captured also when something was drawn.
    pub burst: bool,
    pub encoder: String,
    /// What recognised speech for the policy: a model file, or a server and its model.
    pub recognizer: String,
    /// Seconds since 1970.
    pub started: u64,
    /// When it was taken up again, each time.
    pub resumed: Vec<u64>,
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
