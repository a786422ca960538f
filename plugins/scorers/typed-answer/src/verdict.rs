//! The judgement on the first submission.

use dynacu_sdk::Instant;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::submissions;

use crate::settings::Settings;

pub(crate) struct Verdict {
    pub(crate) right: bool,
    pub(crate) fields_right: usize,
    /// When it was submitted.
    pub(crate) at: Instant,
    pub(crate) explanation: String,
}

/// None while nothing was submitted.
pub(crate) fn verdict(
    settings: &Settings,
    page_events: &[PageEvent],
) -> Result<Option<Verdict>, ScoreError> {
    let expected = settings.expected()?;
    let submissions = submissions(page_events, settings.form.as_deref())?;
    let Some(submission) = submissions.first() else {
        return Ok(None);
    };

    let mut fields_right = 0;
    let mut parts = Vec::new();
    for field in &expected {
        let typed = submission.value(&field.field);
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
        at: submission.at,
        explanation: format!("{}.", parts.join("; ")),
    }))
}
