//! The script: a TOML file of rules, tried in order. The first that holds for a request and is not used up answers it.

mod changes;
mod expand;
mod rule;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use thiserror::Error;

pub(crate) use rule::{Answer, Cut, FaultKind, Part, Reaction, Rule, Stop};

use crate::neutral::NeutralRequest;

/// Why a script cannot be used.
#[derive(Debug, Error)]
pub enum ScriptError {
    #[error("cannot read the script {path}")]
    Read {
        path: String,
        source: std::io::Error,
    },
    #[error("the script is not what was expected")]
    Toml(#[from] toml::de::Error),
    #[error("the script has schema {0}, this server reads schema 1")]
    Schema(u32),
    #[error("the script has no rule")]
    Empty,
    #[error("rule `{rule}`: {what}")]
    Rule { rule: String, what: String },
}

/// Tables by name; keys are compared without regard to case.
pub(crate) type Tables = BTreeMap<String, BTreeMap<String, String>>;

/// A script that was read and checked.
#[derive(Debug, Clone)]
pub struct Script {
    /// Width and height that the coordinates of its answers are meant for, in pixels.
    pub screen: (u32, u32),
    rules: Vec<Rule>,
    tables: Tables,
}

/// How far a script has come: how often each rule fired, by position, and how many requests it was shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    fired: Vec<u32>,
    requests: u32,
}

/// What the script says to a request.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub rule: String,
    /// Before anything is sent, in seconds.
    pub delay: f64,
    pub reaction: Reaction,
}

impl Script {
    /// Reads a script's text.
    ///
    /// # Errors
    /// Anything that the script's description in the README does not allow.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        table::read(text)
    }

    /// Reads a script file.
    ///
    /// # Errors
    /// As [`Script::parse`], and when the file cannot be read.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScriptError::Read {
            path: path.display().to_string(),
            source,
        })?;
        Self::parse(&text)
    }

    /// The first rule that holds. `can` says whether a tool of that name can be called in answer to this request: a
    /// rule that calls one that was not offered does not hold. `space` is the width and height in which the model answers.
    pub(crate) fn choose(
        &self,
        seen: &NeutralRequest,
        space: (u32, u32),
        progress: &mut Progress,
        can: impl Fn(&str) -> bool,
    ) -> Option<Choice> {
        progress.requests += 1;
        progress.fired.resize(self.rules.len(), 0);
        let text = seen.text();
        let scale = |screen: u32, space: u32| f64::from(screen) / f64::from(space.max(1));
        let scale = (scale(self.screen.0, space.0), scale(self.screen.1, space.1));
        let fired = |name: &str| {
            let mut rules = self.rules.iter().zip(&progress.fired);
            rules.any(|(rule, times)| rule.name == name && *times > 0)
        };
        let (position, captures) = self.rules.iter().enumerate().find_map(|(position, rule)| {
            let used_up = rule
                .times
                .is_some_and(|times| progress.fired[position] >= times);
            if used_up || !rule.tools().all(&can) {
                return None;
            }
            let captures = rule.holds(seen, &text, progress.requests, scale, fired)?;
            Some((position, captures))
        })?;
        progress.fired[position] += 1;
        let rule = &self.rules[position];
        Some(Choice {
            rule: rule.name.clone(),
            delay: rule.delay,
            reaction: expand::reaction(&rule.reaction, &captures, &self.tables),
        })
    }
}

#[cfg(test)]
mod tests;
