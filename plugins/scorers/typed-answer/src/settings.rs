//! The task's `[scorer.settings]`.

use answers::{Kind, Written};
use dynacu_sdk::scoring::ScoreError;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) form: Option<String>,
    field: Option<String>,
    value: Option<Written>,
    #[serde(rename = "type")]
    kind: Option<Kind>,
    fields: Option<Vec<Field>>,
    pub(crate) success: String,
    pub(crate) failure: String,
}

/// One field of the form and what belongs in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    pub(crate) field: String,
    pub(crate) value: Written,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
}

impl Settings {
    pub(crate) fn label(&self, right: bool) -> &str {
        if right { &self.success } else { &self.failure }
    }

    /// The expected fields, from either way of writing them.
    pub(crate) fn expected(&self) -> Result<Vec<Field>, ScoreError> {
        match (&self.fields, &self.field, &self.value, self.kind) {
            (Some(fields), None, None, None) if !fields.is_empty() => Ok(fields.clone()),
            (None, Some(field), Some(value), Some(kind)) => Ok(vec![Field {
                field: field.clone(),
                value: value.clone(),
                kind,
            }]),
            _ => Err(ScoreError::Unscorable(
                "[scorer.settings] needs either field, value and type, or a list of fields"
                    .to_owned(),
            )),
        }
    }
}
