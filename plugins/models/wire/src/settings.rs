//! The adapter's table of the run configuration.

use dynacu_sdk::model::ModelError;
use serde::Deserialize;
use serde::de::DeserializeOwned;

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

/// Reads the settings; none at all are the defaults.
///
/// # Errors
/// [`ModelError::InvalidRequest`] that names the key.
pub fn read<T: DeserializeOwned + Default>(adapter: &str, settings: &str) -> Result<T, ModelError> {
    if matches!(settings.trim(), "" | "null") {
        return Ok(T::default());
    }
    serde_json::from_str(settings).map_err(|error| {
        // They were written as TOML, so a place in the JSON says nothing.
        let told = error.to_string();
        let told = told.split(" at line ").next().unwrap_or(&told);
        ModelError::InvalidRequest(format!("settings of {adapter}: {told}"))
    })
}
