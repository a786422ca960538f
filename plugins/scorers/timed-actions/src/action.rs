//! One action against what was done on the page.

use answers::{Heard, Written};
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::{Submission, Use, Utterance, submissions, uses, utterances};

use crate::settings::Action;

/// Something that was done, which serves one action at most.
pub(crate) struct Deed {
    pub(crate) at: u64,
    pub(crate) what: What,
    pub(crate) served: bool,
}

pub(crate) enum What {
    Use(Use),
    Submission(Submission),
    Utterance(Utterance),
}

/// What a deed is to an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Other,
    Right,
    Wrong,
}

/// All that was done until `end`, in order.
pub(crate) fn deeds(events: &[PageEvent], end: Option<u64>) -> Result<Vec<Deed>, ScoreError> {
    let deed = |at: u64, what: What| Deed {
        at,
        what,
        served: false,
    };
    let mut deeds: Vec<Deed> = Vec::new();
    deeds.extend(
        uses(events)?
            .into_iter()
            .map(|used| deed(used.at, What::Use(used))),
    );
    for submission in submissions(events, None)? {
        deeds.push(deed(submission.at, What::Submission(submission)));
    }
    for utterance in utterances(events)? {
        deeds.push(deed(utterance.at, What::Utterance(utterance)));
    }
    deeds.retain(|deed| end.is_none_or(|end| deed.at <= end));
    deeds.sort_by_key(|deed| deed.at);
    Ok(deeds)
}

impl Action {
    pub(crate) fn fit(&self, what: &What) -> Result<Fit, ScoreError> {
        match what {
            What::Use(used) if self.click.contain(&used.control) => Ok(Fit::Right),
            What::Submission(submission) if self.submit.as_ref() == Some(&submission.form) => {
                self.submitted(submission)
            }
            What::Utterance(utterance) if self.spoken => self.heard(&utterance.text),
            _ => Ok(Fit::Other),
        }
    }

    fn submitted(&self, submission: &Submission) -> Result<Fit, ScoreError> {
        let (Some(field), Some(Written(value)), Some(kind)) = (&self.field, &self.value, self.kind)
        else {
            return Ok(Fit::Right);
        };
        let right = kind
            .accepts(value, submission.value(field))
            .map_err(|error| ScoreError::Unscorable(error.to_string()))?;
        Ok(if right { Fit::Right } else { Fit::Wrong })
    }

    fn heard(&self, text: &str) -> Result<Fit, ScoreError> {
        let (Some(Written(value)), Some(kind)) = (&self.value, self.kind) else {
            return Ok(Fit::Other);
        };
        let others: Vec<String> = self
            .others
            .iter()
            .map(|Written(text)| text.clone())
            .collect();
        let heard = kind
            .hears(value, &others, text)
            .map_err(|error| ScoreError::Unscorable(error.to_string()))?;
        Ok(match heard {
            Heard::Nothing => Fit::Other,
            Heard::Right => Fit::Right,
            Heard::Wrong => Fit::Wrong,
        })
    }

    /// What a deed was, for the explanation.
    pub(crate) fn told(&self, what: &What) -> String {
        match what {
            What::Use(used) => format!("{:?} was used", used.control),
            What::Submission(submission) => match &self.field {
                Some(field) => format!("{field} was {:?}", submission.value(field)),
                None => format!("{:?} was submitted", submission.form),
            },
            What::Utterance(utterance) => format!("the microphone heard {:?}", utterance.text),
        }
    }
}
