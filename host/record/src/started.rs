//! The first line of an episode: what is about to run.

use dynacu_vocabulary::{Assist, Brief};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that an episode's replay needs beside the lines that follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EpisodeStarted {
    /// Of this file: [`crate::SCHEMA`].
    pub schema: u32,
    /// The task's id.
    pub task: String,
    /// The mode's name.
    pub mode: String,
    /// Counts from 1.
    pub trial: u32,
    /// What the variant was drawn from.
    pub seed: String,
    /// Which of the draws was taken, counted from 0.
    pub sub_seed: u32,
    /// The variant's values and the scorer's settings: the truth that never enters the page.
    pub variant: Value,
    /// The policy's name.
    pub policy: String,
    /// The policy's table of the run configuration, as JSON.
    pub settings: String,
    /// The model that it asks; none where it asks none.
    pub model: Option<AskedAs>,
    /// The assists that the operator granted.
    pub assists: Vec<Assist>,
    /// What the policy was told at its start.
    pub brief: Brief,
    /// Key of the guest's random numbers, 32 bytes in hex: SHA-256 of key, purpose and counter gives its streams.
    pub guest_random: String,
    /// How screen and sound were turned into keyframes and sentences.
    pub perception: PerceptionSettings,
    /// What decided about it; none where the page is none of ours, and where a file was missing, so that it did not begin.
    pub inputs: Option<Inputs>,
    /// The moments of page truth that the task declares.
    pub moments: Vec<DeclaredMoment>,
}

/// What decides about an episode beside chance and the machine: the built components, the task as it is served, and what
/// perception does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inputs {
    /// SHA-256 of the policy's component.
    pub policy: String,
    /// SHA-256 of the scorer's component.
    pub scorer: String,
    /// SHA-256 over the task: manifest, solution, page and clips.
    pub task: String,
    /// SHA-256 over the page library.
    pub page_library: String,
    /// Version of what perception does with the same screen and sound.
    pub perception: u32,
}

/// A model as a policy finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedAs {
    /// As the run names it.
    pub name: String,
    /// Whether it takes pictures.
    pub images: bool,
    /// Pictures in one request; none where that is not known.
    pub max_images: Option<u32>,
    /// Whether it takes sound.
    pub audio: bool,
    /// Whether it takes tools.
    pub tools: bool,
    /// The grid of its coordinates; none where they are pixels of the sent picture.
    pub coordinate_grid: Option<u32>,
}

/// How screen and sound were perceived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PerceptionSettings {
    /// Captures a second.
    pub fps: f32,
    /// The keyframe gate's name.
    pub gate: String,
    /// Decides the moments of the gate `random`, hex.
    pub gate_key: String,
    /// Share of pixels that has to change; none where the gate does not look at it.
    pub pixel_threshold: Option<f32>,
    /// Cosine distance that embeddings must have; none where the gate does not look at it.
    pub semantic_threshold: Option<f32>,
    /// Whether the screen is captured also when something was drawn.
    pub burst: bool,
    /// The image encoder.
    pub encoder: String,
}

/// A moment of page truth that the task's page reports, as the task declares it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeclaredMoment {
    /// The page reports it under this name.
    pub name: String,
    /// `audio` or `screen`.
    pub channel: MomentChannel,
    /// How long it is up; none where it is heard.
    pub seconds: Option<f64>,
    /// Whether the task cannot be solved without it.
    pub needed: bool,
}

/// By what a moment can be perceived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MomentChannel {
    /// It is heard.
    Audio,
    /// It is seen.
    Screen,
}
