//! One action against what was done on the page.

use answers::{Heard, Written};
use dynacu_sdk::Instant;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::{Submission, Use, Utterance, statement, submissions, uses, utterances};

use crate::settings::Action;

/// Something that was done, which serves one action at most.
pub(crate) struct Deed {
    pub(crate) at: Instant,
    pub(crate) what: What,
    pub(crate) served: bool,
}

pub(crate) enum What {
    Use(Use),
    Submission(Submission),
    /// The place of an utterance in [`Deeds::said`].
    Speech(usize),
}

/// What a deed is to an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Other,
    Right,
    Wrong,
}

/// All that was done, in order.
pub(crate) struct Deeds {
    pub(crate) all: Vec<Deed>,
    said: Vec<Utterance>,
}

impl Deeds {
    /// Until `end`, where there is one.
    pub(crate) fn of(events: &[PageEvent], end: Option<Instant>) -> Result<Self, ScoreError> {
        let in_time = |at: Instant| end.is_none_or(|end| at <= end);
        let mut said = utterances(events)?;
        said.retain(|utterance| in_time(utterance.at));
        let used = uses(events)?.into_iter();
        let submitted = submissions(events, None)?.into_iter();
        let mut all: Vec<Deed> = used
            .map(|used| (used.at, What::Use(used)))
            .chain(submitted.map(|form| (form.at, What::Submission(form))))
            .chain(
                said.iter()
                    .enumerate()
                    .map(|(place, said)| (said.at, What::Speech(place))),
            )
            .map(|(at, what)| Deed {
                at,
                what,
                served: false,
            })
            .filter(|deed| in_time(deed.at))
            .collect();
        all.sort_by_key(|deed| deed.at);
        Ok(Self { all, said })
    }

    /// What the deed at a place is to an action. One that serves it serves no other.
    pub(crate) fn try_for(&mut self, action: &Action, place: usize) -> Result<Fit, ScoreError> {
        let fit = match &self.all[place].what {
            What::Use(used) if action.click.contain(&used.control) => Fit::Right,
            What::Submission(form) if action.submit.as_ref() == Some(&form.form) => {
                action.submitted(form)?
            }
            What::Speech(first) if action.spoken => {
                let (fit, length) = action.heard(&self.said[*first..])?;
                if fit != Fit::Other {
                    let spoken = *first..*first + length;
                    for deed in &mut self.all {
                        deed.served |=
                            matches!(&deed.what, What::Speech(one) if spoken.contains(one));
                    }
                }
                fit
            }
            What::Use(_) | What::Submission(_) | What::Speech(_) => Fit::Other,
        };
        self.all[place].served |= fit != Fit::Other;
        Ok(fit)
    }

    /// What a deed was, for the explanation.
    pub(crate) fn told(&self, action: &Action, place: usize) -> String {
        match &self.all[place].what {
            What::Use(used) => format!("{:?} was used", used.control),
            What::Submission(form) => match &action.field {
                Some(field) => format!("{field} was {:?}", form.value(field)),
                None => format!("{:?} was submitted", form.form),
            },
            What::Speech(first) => format!("the microphone heard {:?}", self.said[*first].text),
        }
    }
}

impl Action {
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

    /// What an utterance says, with those that belong to it, and how many these are.
    fn heard(&self, said: &[Utterance]) -> Result<(Fit, usize), ScoreError> {
        let (Some(value), Some(kind)) = (&self.value, self.kind) else {
            return Ok((Fit::Other, 1));
        };
        let statement = statement(kind, value, &self.others, said)?;
        let fit = match statement.heard {
            Heard::Nothing => Fit::Other,
            Heard::Right => Fit::Right,
            Heard::Wrong => Fit::Wrong,
        };
        Ok((fit, statement.length))
    }
}
