//! The judgement on the utterances of the answer window.

use answers::Heard;
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use dynacu_sdk::{Duration, Instant};
use page_events::{statement, utterances, window};

use crate::Settings;

pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) opened: bool,
    /// Utterances begun while the window was open.
    pub(crate) utterances: usize,
    /// Whether any statement was the right answer, the committed one or a later one.
    pub(crate) received: bool,
}

pub(crate) enum Outcome {
    Pending,
    Missed,
    Committed {
        right: bool,
        text: String,
        /// From the opening of the window to the beginning of the utterance.
        after: Duration,
        confidence: Option<f64>,
    },
}

pub(crate) fn verdict(
    settings: &Settings,
    page_events: &[PageEvent],
) -> Result<Verdict, ScoreError> {
    let (opened, closed) = window(page_events, &settings.window);
    // In the order in which they were said, which need not be that of their recognition.
    let mut heard = utterances(page_events)?;
    heard.retain(|utterance| {
        opened.is_some_and(|opened| utterance.at >= opened)
            && closed.is_none_or(|closed| utterance.at <= closed)
    });

    let Settings {
        kind,
        value,
        others,
        ..
    } = settings;
    let mut received = false;
    let mut committed = None;
    let mut rest = heard.as_slice();
    while let Some(first) = rest.first() {
        let said = statement(*kind, value, others, rest)?;
        rest = &rest[said.length..];
        let right = said.heard == Heard::Right;
        received |= right;
        // What is said in groups may go on until the window closes.
        let open = kind.said_in_groups() && rest.is_empty() && closed.is_none();
        let decided = right || (said.heard == Heard::Wrong && !open);
        if decided && committed.is_none() {
            committed = Some(Outcome::Committed {
                right,
                text: said.text,
                after: first.at - opened.unwrap_or(Instant::START),
                confidence: first.confidence,
            });
        }
    }
    let outcome = committed.unwrap_or(if closed.is_some() {
        Outcome::Missed
    } else {
        Outcome::Pending
    });
    Ok(Verdict {
        outcome,
        opened: opened.is_some(),
        utterances: heard.len(),
        received,
    })
}
