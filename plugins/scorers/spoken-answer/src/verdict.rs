//! The judgement on the utterances of the answer window.

use answers::{Heard, Written};
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::{Utterance, utterances, window};

use crate::Settings;

/// Utterances with no longer silence between them are one statement, where an answer is said in groups, in
/// milliseconds.
const STATEMENT_GAP: u64 = 2_000;

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
        /// Milliseconds from the opening of the window to the beginning of the utterance.
        after: u64,
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

    let statements = statements(&heard, settings.kind.said_in_groups());
    let mut received = false;
    let mut committed = None;
    for (place, statement) in statements.iter().enumerate() {
        let more_may_come =
            settings.kind.said_in_groups() && place + 1 == statements.len() && closed.is_none();
        let (said, text) = judged(settings, statement)?;
        received |= said == Heard::Right;
        let decided = said == Heard::Right || (said == Heard::Wrong && !more_may_come);
        if decided && committed.is_none() {
            committed = Some(Outcome::Committed {
                right: said == Heard::Right,
                text,
                after: statement[0].at.saturating_sub(opened.unwrap_or(0)),
                confidence: statement[0].confidence,
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

/// One statement an utterance; a code, a phone number or a list may be said with pauses.
fn statements(heard: &[Utterance], in_groups: bool) -> Vec<&[Utterance]> {
    heard
        .chunk_by(|one, next| in_groups && next.at.saturating_sub(one.ended_at) <= STATEMENT_GAP)
        .collect()
}

/// What a statement says, and its text up to where it says it: right as soon as its beginning is, as it was judged
/// when no more had been said.
fn judged(settings: &Settings, statement: &[Utterance]) -> Result<(Heard, String), ScoreError> {
    let others: Vec<String> = settings
        .others
        .iter()
        .map(|Written(text)| text.clone())
        .collect();
    let mut text = String::new();
    let mut said = Heard::Nothing;
    for utterance in statement {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&utterance.text);
        said = settings
            .kind
            .hears(&settings.value.0, &others, &text)
            .map_err(|error| ScoreError::Unscorable(error.to_string()))?;
        if said == Heard::Right {
            break;
        }
    }
    Ok((said, text))
}
