//! The task's `[scorer.settings]`.

use answers::{Kind, Written};
use dynacu_sdk::scoring::ScoreError;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) form: String,
    pub(crate) controls: Vec<Control>,
    #[serde(default)]
    pub(crate) kept: Vec<Control>,
    pub(crate) success: String,
    pub(crate) partial: Option<String>,
    pub(crate) failure: String,
}

/// One control of the form and what it is to hold at the end.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    pub(crate) control: String,
    pub(crate) value: Written,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ScoreError> {
        if self.controls.is_empty() {
            return Err(ScoreError::Unscorable(
                "[scorer.settings] controls needs at least one control that was to be set"
                    .to_owned(),
            ));
        }
        let all: Vec<&str> = self.all().map(|control| control.control.as_str()).collect();
        match all
            .iter()
            .enumerate()
            .find(|(place, name)| all[..*place].contains(name))
        {
            Some((_, name)) => Err(ScoreError::Unscorable(format!(
                "[scorer.settings] names the control {name:?} twice"
            ))),
            None => Ok(()),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Control> {
        self.controls.iter().chain(&self.kept)
    }

    pub(crate) fn labels(&self) -> Vec<&str> {
        let mut labels = vec![self.success.as_str(), self.failure.as_str()];
        labels.extend(self.partial.as_deref());
        labels
    }
}
