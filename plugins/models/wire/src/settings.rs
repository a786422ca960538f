//! What several adapters have in their table of the run configuration.

use serde::Deserialize;

/// Which tools the model is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolSet {
    /// The request's own tools, as functions: the common path.
    #[default]
    Host,
    /// The provider's computer-use tool, and as functions what that lacks. Results are not comparable with the other.
    Native,
}

/// What to do with a native call that the provider wants a person to confirm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SafetyChecks {
    /// Note it and go on.
    #[default]
    Continue,
    /// Count the answer as refused.
    Stop,
}
