//! What utterances say about an answer, where those that belong together are taken together.

use answers::{Heard, Kind, Written};
use dynacu_sdk::Duration;
use dynacu_sdk::scoring::ScoreError;

use crate::Utterance;

/// Utterances with no longer silence between them are one statement: a pause between the groups of a
/// number is shorter, one between two answers longer.
const GAP: Duration = Duration::from_secs(2);

/// One or more utterances and what they say.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What they say about the answer.
    pub heard: Heard,
    /// Their text, up to where it says the answer.
    pub text: String,
    /// How many utterances they are.
    pub length: usize,
}

/// The statement that begins the utterances. Types that are said in groups (a phone number, a code, a list) may be said
/// in several utterances; it is right as soon as its beginning is, as it was judged when no more had been said.
///
/// # Errors
///
/// [`ScoreError::Unscorable`] where the expected value is not of its type.
pub fn statement(
    kind: Kind,
    expected: &Written,
    others: &[Written],
    utterances: &[Utterance],
) -> Result<Statement, ScoreError> {
    let others: Vec<String> = others.iter().map(|Written(text)| text.clone()).collect();
    let joined = utterances
        .windows(2)
        .take_while(|pair| kind.said_in_groups() && pair[1].at - pair[0].ended_at <= GAP)
        .count();
    let length = (joined + 1).min(utterances.len());
    let mut text = String::new();
    let mut heard = Heard::Nothing;
    for utterance in &utterances[..length] {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&utterance.text);
        heard = kind
            .hears(&expected.0, &others, &text)
            .map_err(|error| ScoreError::Unscorable(error.to_string()))?;
        if heard == Heard::Right {
            break;
        }
    }
    Ok(Statement {
        heard,
        text,
        length,
    })
}
