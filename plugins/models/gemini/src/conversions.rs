//! Between neutral requests and generateContent; pure.

mod answer;
mod computer;
mod fault;
mod request;
mod schema;

use model_wire::settings::{SafetyChecks, ToolSet};
use serde::Deserialize;

pub use answer::answer;
pub use request::request;

/// The adapter's settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Own tools, or the computer-use tool.
    pub tools: ToolSet,
    /// The protocol's version in the path: `v1beta` or `v1`.
    pub version: String,
    /// `ANY` for a call in every answer, `AUTO` or `VALIDATED`.
    pub mode: String,
    /// `LOW`, `MEDIUM` or `HIGH`; the model's own default where it is left out.
    pub thinking_level: Option<String>,
    /// For example `MEDIA_RESOLUTION_HIGH`; the model's own default where it is left out.
    pub media_resolution: Option<String>,
    /// What to do with a call that a person should confirm.
    pub safety_checks: SafetyChecks,
    /// Where the request sets no limit. Hidden reasoning counts.
    pub max_output_tokens: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tools: ToolSet::Host,
            version: "v1beta".to_owned(),
            mode: "ANY".to_owned(),
            thinking_level: None,
            media_resolution: None,
            safety_checks: SafetyChecks::Continue,
            max_output_tokens: 8192,
        }
    }
}
