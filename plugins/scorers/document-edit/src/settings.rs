//! The task's `[scorer.settings]`.

use std::collections::BTreeMap;

use answers::{Kind, Written};
use dynacu_sdk::scoring::ScoreError;
use serde::Deserialize;

use crate::verdict::Outcome;
use crate::words::words;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) form: String,
    pub(crate) sections: Vec<Section>,
    #[serde(default)]
    pub(crate) unchanged: BTreeMap<String, Written>,
    success: String,
    failure: String,
    entity: Option<String>,
    disturbed: Option<String>,
}

/// One section and what it is to say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    pub(crate) section: String,
    pub(crate) text: String,
    /// The share of the expected words that must be there, from 0 to 1.
    #[serde(default = "most")]
    pub(crate) words: f64,
    #[serde(default)]
    pub(crate) entities: Vec<Entity>,
    #[serde(default)]
    pub(crate) gone: Vec<Entity>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entity {
    pub(crate) value: Written,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
}

fn most() -> f64 {
    0.9
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ScoreError> {
        let unfit = |why: String| Err(ScoreError::Unscorable(format!("[scorer.settings] {why}")));
        if self.sections.is_empty() {
            return unfit("sections needs at least one section".to_owned());
        }
        for (place, section) in self.sections.iter().enumerate() {
            let name = &section.section;
            let again = self.sections[..place]
                .iter()
                .any(|other| other.section == *name);
            if again || self.unchanged.contains_key(name) {
                return unfit(format!("names the section {name:?} twice"));
            }
            if !(section.words > 0.0 && section.words <= 1.0) {
                return unfit(format!("{name}: words is a share above 0, up to 1"));
            }
            if words(&section.text).is_empty() {
                return unfit(format!("{name}: the expected text has no words"));
            }
            for entity in &section.entities {
                let there = entity.mentioned(&section.text)?;
                if !there {
                    return unfit(format!(
                        "{name}: the expected text does not mention {:?} ({}) itself",
                        entity.value.0,
                        entity.kind.as_str()
                    ));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn label(&self, outcome: Outcome) -> &str {
        let own = match outcome {
            Outcome::Right => Some(&self.success),
            Outcome::Words => None,
            Outcome::Entity => self.entity.as_ref(),
            Outcome::Disturbed => self.disturbed.as_ref(),
        };
        own.unwrap_or(&self.failure)
    }

    pub(crate) fn labels(&self) -> Vec<&str> {
        let mut labels = vec![self.success.as_str(), self.failure.as_str()];
        labels.extend(self.entity.as_deref());
        labels.extend(self.disturbed.as_deref());
        labels
    }
}

impl Entity {
    pub(crate) fn mentioned(&self, text: &str) -> Result<bool, ScoreError> {
        self.kind
            .mentions(&self.value.0, text)
            .map_err(|error| ScoreError::Unscorable(error.to_string()))
    }
}
