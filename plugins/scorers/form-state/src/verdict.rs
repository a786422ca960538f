//! The judgement on the first submission of the form.

use dynacu_sdk::Instant;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::{Submission, submissions};

use crate::settings::{Control, Settings};

pub(crate) struct Verdict {
    /// How many of the controls that were to be set are right.
    pub(crate) set: usize,
    /// How many of those that were to stay are as they were.
    pub(crate) kept: usize,
    /// When it was submitted.
    pub(crate) at: Instant,
    pub(crate) explanation: String,
}

impl Verdict {
    pub(crate) fn right(&self, settings: &Settings) -> bool {
        self.set == settings.controls.len() && self.kept == settings.kept.len()
    }

    pub(crate) fn label<'s>(&self, settings: &'s Settings) -> &'s str {
        if self.right(settings) {
            return &settings.success;
        }
        match &settings.partial {
            Some(partial) if self.set > 0 => partial,
            _ => &settings.failure,
        }
    }
}

/// None while the form was not submitted.
pub(crate) fn verdict(
    settings: &Settings,
    page_events: &[PageEvent],
) -> Result<Option<Verdict>, ScoreError> {
    let submissions = submissions(page_events, Some(&settings.form))?;
    let Some(submission) = submissions.first() else {
        return Ok(None);
    };
    let mut wrong = Vec::new();
    let set = right(&settings.controls, submission, "expected", &mut wrong)?;
    let kept = right(&settings.kept, submission, "was to stay", &mut wrong)?;
    let explanation = if wrong.is_empty() {
        format!("All {} controls are right.", set + kept)
    } else {
        let count = settings.controls.len();
        format!("{set} of {count} controls set right. {}.", wrong.join("; "))
    };
    Ok(Some(Verdict {
        set,
        kept,
        at: submission.at,
        explanation,
    }))
}

/// How many controls are right; what is wrong with the others is added to `wrong`.
fn right(
    controls: &[Control],
    submission: &Submission,
    word: &str,
    wrong: &mut Vec<String>,
) -> Result<usize, ScoreError> {
    let mut count = 0;
    for Control {
        control,
        value,
        kind,
    } in controls
    {
        let held = submission.value(control);
        let right = kind
            .accepts(&value.0, held)
            .map_err(|error| ScoreError::Unscorable(error.to_string()))?;
        if right {
            count += 1;
        } else {
            let kind = kind.as_str();
            wrong.push(format!(
                "{control} was {held:?}, {word} {:?} ({kind})",
                value.0
            ));
        }
    }
    Ok(count)
}
