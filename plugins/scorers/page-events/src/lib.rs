//! What reached a page's own server, read from the events that a scorer gets (`tasks/page-lib/README.md` has what a
//! page sends). Everything comes in the order of its making.

mod controls;
mod end;
mod statement;

use std::collections::BTreeMap;

use answers::Written;
use dynacu_sdk::Instant;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use controls::Controls;
pub use end::End;
pub use statement::{Statement, statement};

/// A form that was handed in.
#[derive(Clone, Debug)]
pub struct Submission {
    /// When.
    pub at: Instant,
    /// The form's name.
    pub form: String,
    values: BTreeMap<String, Option<Written>>,
}

impl Submission {
    /// What a field held; nothing where the form had no such field.
    pub fn value(&self, field: &str) -> &str {
        match self.values.get(field) {
            Some(Some(Written(text))) => text,
            _ => "",
        }
    }
}

#[derive(Deserialize)]
struct SubmitData {
    form: String,
    values: BTreeMap<String, Option<Written>>,
}

/// Every form that was handed in, or only those of one name.
///
/// # Errors
///
/// [`ScoreError::Unscorable`] where the page sent a `submit` of another shape.
pub fn submissions(
    events: &[PageEvent],
    form: Option<&str>,
) -> Result<Vec<Submission>, ScoreError> {
    let mut found = Vec::new();
    for event in named(events, "submit") {
        let SubmitData { form, values } = data(event, "a form and its values")?;
        found.push(Submission {
            at: event.at,
            form,
            values,
        });
    }
    found.retain(|submission| form.is_none_or(|form| form == submission.form));
    Ok(found)
}

/// A control of the page that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// When.
    pub at: Instant,
    /// The control's name.
    pub control: String,
}

/// Every use of a control.
///
/// # Errors
///
/// [`ScoreError::Unscorable`] where the page sent a `click` without a control.
pub fn uses(events: &[PageEvent]) -> Result<Vec<Use>, ScoreError> {
    #[derive(Deserialize)]
    struct Click {
        control: String,
    }
    named(events, "click")
        .map(|event| {
            let Click { control } = data(event, "a control")?;
            Ok(Use {
                at: event.at,
                control,
            })
        })
        .collect()
}

/// What the page's microphone heard in one go.
#[derive(Clone, Debug, PartialEq)]
pub struct Utterance {
    /// When it was begun.
    pub at: Instant,
    /// When it was ended.
    pub ended_at: Instant,
    /// As it was recognised.
    pub text: String,
    /// The recogniser's own, from 0 to 1.
    pub confidence: Option<f64>,
}

/// Every utterance.
///
/// # Errors
///
/// [`ScoreError::Unscorable`] where one has no text.
pub fn utterances(events: &[PageEvent]) -> Result<Vec<Utterance>, ScoreError> {
    #[derive(Deserialize)]
    struct Heard {
        text: String,
        /// In milliseconds.
        #[serde(default)]
        ended_at: u64,
        confidence: Option<f64>,
    }
    named(events, "utterance")
        .map(|event| {
            let heard: Heard = data(event, "a text")?;
            Ok(Utterance {
                at: event.at,
                ended_at: Instant::from_millis(heard.ended_at).max(event.at),
                text: heard.text,
                confidence: heard.confidence,
            })
        })
        .collect()
}

/// The times at which the page marked a moment.
pub fn marked(events: &[PageEvent], moment: &str) -> Vec<Instant> {
    #[derive(Deserialize)]
    struct Moment {
        name: String,
    }
    named(events, "moment")
        .filter(|event| {
            event
                .data_as::<Moment>()
                .is_some_and(|data| data.name == moment)
        })
        .map(|event| event.at)
        .collect()
}

/// When an answer window opened first, and when it closed after that.
pub fn window(events: &[PageEvent], window: &str) -> (Option<Instant>, Option<Instant>) {
    #[derive(Deserialize)]
    struct Window {
        window: String,
    }
    let first = |name: &'static str, from: Instant| {
        named(events, name)
            .filter(|event| event.at >= from)
            .find(|event| {
                event
                    .data_as::<Window>()
                    .is_some_and(|data| data.window == window)
            })
            .map(|event| event.at)
    };
    let opened = first("window-opened", Instant::START);
    let closed = opened.and_then(|opened| first("window-closed", opened));
    (opened, closed)
}

/// Events of one name in the order of their making, which need not be that of their arrival.
fn named<'a>(events: &'a [PageEvent], name: &'a str) -> impl Iterator<Item = &'a PageEvent> {
    let mut found: Vec<&PageEvent> = events.iter().filter(|event| event.name == name).collect();
    found.sort_by_key(|event| event.at);
    found.into_iter()
}

fn data<T: DeserializeOwned>(event: &PageEvent, what: &str) -> Result<T, ScoreError> {
    event.data_as().ok_or_else(|| {
        ScoreError::Unscorable(format!(
            "the page's event {} needs {what}, and has {}",
            event.name, event.data
        ))
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
