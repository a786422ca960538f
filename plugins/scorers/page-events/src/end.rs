//! What ends a task whose single acts decide nothing.

use dynacu_sdk::Instant;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use serde::Deserialize;

use crate::{submissions, window};

/// `{ window = "shift" }`: the window's closing; `{ form = "report" }`: the form's submission. The host asks for a
/// verdict at no other event of the page.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The name of an answer window.
    Window(String),
    /// The name of a form.
    Form(String),
}

impl End {
    /// When it came; none while the task goes on.
    ///
    /// # Errors
    ///
    /// [`ScoreError::Unscorable`] where the page sent a `submit` of another shape.
    pub fn at(&self, events: &[PageEvent]) -> Result<Option<Instant>, ScoreError> {
        match self {
            Self::Window(name) => Ok(window(events, name).1),
            Self::Form(name) => {
                let submissions = submissions(events, Some(name))?;
                Ok(submissions.first().map(|submission| submission.at))
            }
        }
    }
}
