//! The task's `[scorer.settings]`.

use dynacu_sdk::scoring::ScoreError;
use page_events::{Controls, End};
use serde::Deserialize;

use crate::verdict::Outcome;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    expected: Option<Controls>,
    rounds: Option<Vec<Controls>>,
    #[serde(default)]
    prefix: String,
    controls: Option<Controls>,
    #[serde(default)]
    restarts: usize,
    restart: Option<String>,
    ends: End,
    success: String,
    failure: String,
    incomplete: Option<String>,
}

/// The settings as they are applied.
pub(crate) struct Rules {
    /// The controls of each round, in order.
    pub(crate) rounds: Vec<Vec<String>>,
    /// The controls that count.
    pub(crate) controls: Controls,
    pub(crate) restarts: usize,
    pub(crate) restart: Option<String>,
    pub(crate) ends: End,
}

impl Settings {
    pub(crate) fn rules(&self) -> Result<Rules, ScoreError> {
        let rounds: Vec<Vec<String>> = match (&self.expected, &self.rounds) {
            (Some(expected), None) => vec![self.names(expected)],
            (None, Some(rounds)) => rounds.iter().map(|round| self.names(round)).collect(),
            _ => return Err(unfit("needs either expected or rounds")),
        };
        if rounds.is_empty() || rounds.iter().any(Vec::is_empty) {
            return Err(unfit("has a sequence without any control"));
        }
        let controls = match &self.controls {
            Some(controls) => controls.clone(),
            None => Controls::Many(rounds.concat()),
        };
        if let Some(name) = rounds.iter().flatten().find(|name| !controls.contain(name)) {
            return Err(unfit(&format!(
                "expects {name:?}, which is none of its controls"
            )));
        }
        if self
            .restart
            .as_ref()
            .is_some_and(|restart| controls.contain(restart))
        {
            return Err(unfit("has a restart that is one of its controls"));
        }
        Ok(Rules {
            rounds,
            controls,
            restarts: self.restarts,
            restart: self.restart.clone(),
            ends: self.ends.clone(),
        })
    }

    /// A text is cut at spaces and commas: a variant's list inside a text is written so.
    fn names(&self, controls: &Controls) -> Vec<String> {
        let names: Vec<&str> = match controls {
            Controls::One(text) => text
                .split(|letter: char| letter == ',' || letter.is_whitespace())
                .filter(|name| !name.is_empty())
                .collect(),
            several => several.names().iter().map(String::as_str).collect(),
        };
        names
            .iter()
            .map(|name| format!("{}{name}", self.prefix))
            .collect()
    }

    pub(crate) fn label(&self, outcome: Outcome) -> &str {
        match (outcome, &self.incomplete) {
            (Outcome::Whole, _) => &self.success,
            (Outcome::Unfinished, Some(incomplete)) => incomplete,
            (Outcome::Unfinished, None) | (Outcome::Wrong, _) => &self.failure,
        }
    }

    pub(crate) fn labels(&self) -> Vec<&str> {
        let mut labels = vec![self.success.as_str(), self.failure.as_str()];
        labels.extend(self.incomplete.as_deref());
        labels
    }
}

fn unfit(why: &str) -> ScoreError {
    ScoreError::Unscorable(format!("[scorer.settings] {why}"))
}
