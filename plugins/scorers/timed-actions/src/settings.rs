//! The task's `[scorer.settings]`.

use answers::{Kind, Written};
use dynacu_sdk::scoring::ScoreError;
use page_events::{Controls, End};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    pub(crate) ends: End,
    pub(crate) actions: Vec<Action>,
    #[serde(default)]
    pub(crate) decoys: Controls,
    #[serde(default)]
    pub(crate) misses: usize,
    #[serde(default)]
    pub(crate) false_alarms: usize,
    pub(crate) success: String,
    pub(crate) failure: String,
    pub(crate) missed: Option<String>,
    pub(crate) false_alarm: Option<String>,
}

/// What is to be done at one moment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    pub(crate) moment: String,
    /// Seconds after the moment from which the action counts.
    #[serde(default)]
    pub(crate) after: f64,
    /// Seconds after the moment until which it counts.
    pub(crate) within: f64,
    /// How many times the page marks the moment; each asks for the action.
    #[serde(default = "once")]
    pub(crate) times: usize,
    #[serde(default)]
    pub(crate) click: Controls,
    pub(crate) submit: Option<String>,
    pub(crate) field: Option<String>,
    #[serde(default)]
    pub(crate) spoken: bool,
    pub(crate) value: Option<Written>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<Kind>,
    #[serde(default)]
    pub(crate) others: Vec<Written>,
}

fn once() -> usize {
    1
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ScoreError> {
        if self.actions.is_empty() {
            return Err(ScoreError::Unscorable(
                "[scorer.settings] actions needs at least one action".to_owned(),
            ));
        }
        match self
            .actions
            .iter()
            .find_map(|action| action.fault().map(|why| (action, why)))
        {
            Some((action, why)) => Err(ScoreError::Unscorable(format!(
                "[scorer.settings] the action for {:?} {why}",
                action.moment
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn labels(&self) -> Vec<&str> {
        let mut labels = vec![self.success.as_str(), self.failure.as_str()];
        labels.extend(self.missed.as_deref());
        labels.extend(self.false_alarm.as_deref());
        labels
    }
}

impl Action {
    fn fault(&self) -> Option<&'static str> {
        let valued = self.value.is_some() && self.kind.is_some();
        if !(self.after.is_finite() && self.within.is_finite() && self.after < self.within) {
            Some("needs after < within, in seconds")
        } else if self.times == 0 {
            Some("needs times of at least 1")
        } else if self.click.names().is_empty() && self.submit.is_none() && !self.spoken {
            Some("needs one of click, submit and spoken = true")
        } else if self.value.is_some() != self.kind.is_some() {
            Some("needs value and type together")
        } else if self.submit.is_none() && self.field.is_some() {
            Some("has a field without a form to submit")
        } else if (self.spoken || self.field.is_some()) && !valued {
            Some("needs the value and type that are to be said or entered")
        } else if self.value.is_some() && !self.spoken && self.field.is_none() {
            Some("has a value that is neither spoken nor in a field")
        } else {
            None
        }
    }
}
