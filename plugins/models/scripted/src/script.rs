//! The script language: rules that are tried in order, each a condition on the request and an answer.
//!
//! ```toml
//! [[scripted.rule]]
//! when = ['ended up paying (?<price>\d+)']   # regular expressions over the request's text; all have to match
//! unless = ['Step \d+: type']                # none may match
//! images = 2                                 # at least so many pictures
//! answer = [
//!   { call = "click", with = { x = 1103, y = 297 } },
//!   { call = "type", with = { text = "{price}" } },
//!   { text = "I typed {price}." },
//! ]
//!
//! [scripted.lookup.capital]                  # makes {capital} out of {country}, whatever its case
//! key = "country"
//! values = { France = "Paris" }
//! ```
//!
//! In the strings of an answer `{name}` stands for a named group of the rule's expressions; of several matches the
//! last counts, since what is newest comes last. In place of `answer` a rule may have `error`, the name of a case of
//! `model-error`, with `after-ms` where that takes one; `stop` gives the answer another stop reason. Without a rule
//! that holds, `otherwise` is the answer: a `wait` of one second, where tools are offered.

use std::collections::BTreeMap;

use dynacu_sdk::model::Capabilities;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The adapter's settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Script {
    /// Tried in order; the first that holds answers.
    pub rule: Vec<Rule>,
    /// General knowledge, by the name that it goes by in answers.
    pub lookup: BTreeMap<String, Lookup>,
    /// The answer where no rule holds.
    pub otherwise: Vec<Said>,
    /// What the model pretends to take.
    pub takes: Takes,
}

/// A condition and an answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Rule {
    /// All have to match.
    pub when: Vec<String>,
    /// None may match.
    pub unless: Vec<String>,
    /// Pictures at least.
    pub images: usize,
    /// Clips of sound at least.
    pub clips: usize,
    /// The answer, in order.
    pub answer: Vec<Said>,
    /// In place of an answer.
    pub error: Option<String>,
    /// The wait that `rate-limited` and `overloaded` ask for.
    pub after_ms: Option<u64>,
    /// In place of the stop reason that fits the answer.
    pub stop: Option<String>,
}

/// A part of an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Said {
    /// A tool call.
    Call {
        /// The tool.
        call: String,
        /// Its arguments.
        #[serde(default)]
        with: Map<String, Value>,
    },
    /// Text.
    Text {
        /// As it is.
        text: String,
    },
}

/// Values by the value of a group.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lookup {
    /// The group.
    pub key: String,
    /// By what it holds.
    pub values: BTreeMap<String, String>,
}

/// Capabilities.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Takes {
    /// Pictures.
    pub images: bool,
    /// Pictures of one request.
    pub max_images: Option<u32>,
    /// Sound.
    pub audio: bool,
    /// Tools; without, calls are answered as text.
    pub tools: bool,
    /// The grid of the coordinates in the script.
    pub coordinate_grid: Option<u32>,
}

impl Default for Takes {
    fn default() -> Self {
        Self {
            images: true,
            max_images: None,
            audio: false,
            tools: true,
            coordinate_grid: None,
        }
    }
}

impl Takes {
    /// As the policy is told.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities {
            images: self.images,
            max_images: self.max_images,
            audio: self.audio,
            tools: self.tools,
            coordinate_grid: self.coordinate_grid,
        }
    }
}
