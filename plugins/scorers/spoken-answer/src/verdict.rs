//! The judgement on the utterances of the answer window.

use answers::{Heard, Written};
use dynacu_sdk::scoring::{PageEvent, ScoreError};
use serde::Deserialize;

use crate::Settings;

pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) opened: bool,
    /// Utterances begun while the window was open.
    pub(crate) utterances: usize,
    /// Whether any of them was the right answer, the committed one or a later one.
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

#[derive(Deserialize)]
struct Window {
    window: String,
}

#[derive(Deserialize)]
struct Utterance {
    text: String,
    confidence: Option<f64>,
}

pub(crate) fn verdict(
    settings: &Settings,
    page_events: &[PageEvent],
) -> Result<Verdict, ScoreError> {
    let time_of = |name: &str, from: u64| {
        page_events
            .iter()
            .filter(|event| event.name == name && event.at >= from)
            .filter(|event| {
                event
                    .data_as::<Window>()
                    .is_some_and(|data| data.window == settings.window)
            })
            .map(|event| event.at)
            .min()
    };
    let opened = time_of("window-opened", 0);
    let closed = opened.and_then(|opened| time_of("window-closed", opened));

    let mut heard: Vec<(u64, Utterance)> = Vec::new();
    for event in page_events.iter().filter(|event| event.name == "utterance") {
        let inside = opened.is_some_and(|opened| event.at >= opened)
            && closed.is_none_or(|closed| event.at <= closed);
        if inside {
            let utterance = event.data_as().ok_or_else(|| {
                ScoreError::Unscorable(format!("an utterance has no text: {}", event.data))
            })?;
            heard.push((event.at, utterance));
        }
    }
    // In the order in which they were said, which need not be that of their recognition.
    heard.sort_by_key(|(at, _)| *at);

    let others: Vec<String> = settings
        .others
        .iter()
        .map(|Written(text)| text.clone())
        .collect();
    let utterances = heard.len();
    let mut received = false;
    let mut committed = None;
    for (at, utterance) in heard {
        let said = settings
            .kind
            .hears(&settings.value.0, &others, &utterance.text)
            .map_err(|error| ScoreError::Unscorable(error.to_string()))?;
        received |= said == Heard::Right;
        if said != Heard::Nothing && committed.is_none() {
            committed = Some(Outcome::Committed {
                right: said == Heard::Right,
                text: utterance.text,
                after: at.saturating_sub(opened.unwrap_or(at)),
                confidence: utterance.confidence,
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
        utterances,
        received,
    })
}
