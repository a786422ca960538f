//! Between neutral requests and the Messages API; pure.

mod answer;
mod computer;
mod request;

use model_wire::settings::ToolSet;
use serde::Deserialize;

pub use answer::answer;
pub use request::request;

/// The adapter's settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// Own tools, or the computer-use tool.
    pub tools: ToolSet,
    /// `low`, `medium`, `high`, `xhigh` or `max`; the model's own default where it is left out.
    pub effort: Option<String>,
    /// Whether the stable beginning of a request is marked for the provider's cache.
    pub cache: bool,
    /// Where the request sets no limit. Hidden reasoning counts.
    pub max_output_tokens: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tools: ToolSet::Host,
            effort: None,
            cache: true,
            max_output_tokens: 8192,
        }
    }
}
