//! Rules in memory: when they hold and what they say.

use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::changes::Changes;
use crate::neutral::NeutralRequest;

/// What the regular expressions captured, by name.
pub(super) type Captures = BTreeMap<String, String>;

/// One part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Text(String),
    /// Thinking that is signed, and has to come back unchanged where the provider wants it back.
    Thinking(String),
    Call {
        tool: String,
        arguments: Map<String, Value>,
    },
}

/// Why the model stopped, other than by ending its turn or calling a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stop {
    MaxTokens,
    Refusal,
    /// A filter of the provider's stopped the answer; with Gemini, the prompt.
    ContentFilter,
    /// With Anthropic: the context window is full.
    ContextWindow,
}

/// Token counts that replace the server's estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Usage {
    pub input: Option<u64>,
    pub output: Option<u64>,
    #[serde(default)]
    pub cached: u64,
    #[serde(default)]
    pub reasoning: u64,
}

/// Where the connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cut {
    BeforeReply,
    InBody,
}

/// An answer of the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    pub parts: Vec<Part>,
    pub stop: Option<Stop>,
    pub usage: Usage,
    /// The name of the model that answered, if not the one that was asked.
    pub model: Option<String>,
}

/// What can go wrong at the provider, in the provider's own form.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FaultKind {
    RateLimited,
    Overloaded,
    /// The account's money or its day's quota is used up.
    Quota,
    Authentication,
    Permission,
    NoModel,
    TooLarge,
    ContextLength,
    BadRequest,
    ServerError,
    Timeout,
}

/// An exact reply.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Raw {
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reaction {
    Answer(Answer, Option<Cut>),
    Fault {
        kind: FaultKind,
        /// Seconds.
        retry_after: Option<f64>,
    },
    Raw(Raw, Option<Cut>),
    /// The connection is closed and nothing was sent.
    Cut,
}

/// One way for a rule to hold: all that is given has to be so.
#[derive(Debug, Clone, Default)]
pub(crate) struct Condition {
    /// Each is found in the text; the last find's captures count.
    pub text: Vec<Regex>,
    /// None of these is found.
    pub without: Vec<Regex>,
    /// Pictures, at least.
    pub images: usize,
    /// Sounds, at least.
    pub audio: usize,
    pub tools: Vec<String>,
    pub no_tools: bool,
    /// The number of the request, from 1.
    pub request: Option<u32>,
    /// A rule that has fired before.
    pub after: Option<String>,
    pub model: Option<Regex>,
    pub changes: Option<Changes>,
}

impl Condition {
    fn holds(
        &self,
        seen: &NeutralRequest,
        text: &str,
        request: u32,
        scale: (f64, f64),
        fired: &impl Fn(&str) -> bool,
    ) -> Option<Captures> {
        let offered = |tool: &String| seen.tools.contains(tool);
        let plain = seen.images >= self.images
            && seen.audio >= self.audio
            && self.tools.iter().all(offered)
            && !(self.no_tools && (!seen.tools.is_empty() || seen.native.is_some()))
            && self.request.is_none_or(|number| number == request)
            && self.after.as_deref().is_none_or(fired)
            && self
                .model
                .as_ref()
                .is_none_or(|model| model.is_match(&seen.model))
            && self
                .changes
                .as_ref()
                .is_none_or(|changes| changes.holds(text, scale))
            && !self.without.iter().any(|pattern| pattern.is_match(text));
        if !plain {
            return None;
        }
        let mut captures = Captures::new();
        for pattern in &self.text {
            let found = pattern.captures_iter(text).last()?;
            for name in pattern.capture_names().flatten() {
                if let Some(part) = found.name(name) {
                    captures.insert(name.to_owned(), part.as_str().trim().to_owned());
                }
            }
        }
        Some(captures)
    }
}

/// A rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub name: String,
    /// No limit if none.
    pub times: Option<u32>,
    pub delay: f64,
    /// Any of these; no condition at all holds always.
    pub when: Vec<Condition>,
    pub reaction: Reaction,
}

impl Rule {
    /// The tools that its answer calls.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &str> {
        let parts = match &self.reaction {
            Reaction::Answer(answer, _) => answer.parts.as_slice(),
            _ => &[],
        };
        parts.iter().filter_map(|part| match part {
            Part::Call { tool, .. } => Some(tool.as_str()),
            _ => None,
        })
    }

    pub(crate) fn holds(
        &self,
        seen: &NeutralRequest,
        text: &str,
        request: u32,
        scale: (f64, f64),
        fired: impl Fn(&str) -> bool,
    ) -> Option<Captures> {
        if self.when.is_empty() {
            return Some(Captures::new());
        }
        let mut conditions = self.when.iter();
        conditions.find_map(|condition| condition.holds(seen, text, request, scale, &fired))
    }
}
