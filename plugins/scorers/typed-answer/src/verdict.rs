//! The judgement on the first submission.

use std::collections::BTreeMap;

use answers::Written;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use serde::Deserialize;

use crate::settings::Settings;

pub(crate) struct Verdict {
    pub(crate) right: bool,
    pub(crate) fields_right: usize,
    /// The page's time of the submission, in milliseconds.
    pub(crate) at: u64,
    pub(crate) explanation: String,
}

#[derive(Deserialize)]
struct Submission {
    form: String,
    values: BTreeMap<String, Option<Written>>,
}

/// None while nothing was submitted.
pub(crate) fn verdict(
    settings: &Settings,
    page_events: &[PageEvent],
) -> Result<Option<Verdict>, ScoreError> {
    let expected = settings.expected()?;
    let mut submissions = Vec::new();
    for event in page_events.iter().filter(|event| event.name == "submit") {
        let submission: Submission = event.data_as().ok_or_else(|| {
            ScoreError::Unscorable(format!(
                "the page's submit event has no form: {}",
                event.data
            ))
        })?;
        let wanted = settings.form.as_deref();
        if wanted.is_none_or(|wanted| wanted == submission.form) {
            submissions.push((event.at, submission));
        }
    }
    let Some((at, submission)) = submissions.into_iter().min_by_key(|(at, _)| *at) else {
        return Ok(None);
    };

    let mut fields_right = 0;
    let mut parts = Vec::new();
    for field in &expected {
        let typed = match submission.values.get(&field.field) {
            Some(Some(Written(typed))) => typed.as_str(),
            _ => "",
        };
        let right = field
            .kind
            .accepts(&field.value.0, typed)
            .map_err(|error| ScoreError::Unscorable(error.to_string()))?;
        fields_right += usize::from(right);
        parts.push(format!(
            "{} was {typed:?}, expected {:?} ({}): {}",
            field.field,
            field.value.0,
            field.kind.as_str(),
            if right { "right" } else { "wrong" }
        ));
    }
    Ok(Some(Verdict {
        right: fields_right == expected.len(),
        fields_right,
        at,
        explanation: format!("{}.", parts.join("; ")),
    }))
}
