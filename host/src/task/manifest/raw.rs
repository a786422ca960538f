//! The shape of `task.toml`, with positions, so that every later complaint can name its line.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::field::calendar::{RawDates, RawTimes};
use super::field::people::{Person, RawPhone};
use super::{Axis, MomentChannel, Needs, Problem, Tier};
use crate::task::Background;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawManifest {
    pub schema: Spanned<u32>,
    pub id: Spanned<String>,
    pub slug: Spanned<String>,
    pub title: Spanned<String>,
    pub category: Spanned<String>,
    pub tier: Spanned<Tier>,
    pub axes: Spanned<Vec<Axis>>,
    pub needs: Needs,
    pub instruction: Spanned<String>,
    pub time_limit: Spanned<u32>,
    pub step_limit: Spanned<u32>,
    #[serde(default = "yes")]
    pub separates: bool,
    #[serde(default)]
    pub variant: BTreeMap<Spanned<String>, RawField>,
    #[serde(default)]
    pub speech: Vec<RawSpeech>,
    #[serde(default)]
    pub moments: Vec<RawMoment>,
    #[serde(default)]
    pub page: RawPage,
    pub scorer: RawScorer,
}

fn yes() -> bool {
    true
}

/// How a value is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spoken {
    /// "sixty four dollars"
    Dollars,
    /// "sixty four"
    Plain,
    /// "six four"
    Digits,
    /// "E, dash, four seven, two nine"
    Groups,
}

/// One drawn value: exactly one of the kinds, and its form in speech.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawField {
    pub choose: Option<Vec<toml::Value>>,
    pub number: Option<RawNumber>,
    pub code: Option<RawCode>,
    pub name: Option<Person>,
    pub phone: Option<RawPhone>,
    pub date: Option<RawDates>,
    pub time: Option<RawTimes>,
    /// Milliseconds.
    pub timing: Option<RawNumber>,
    pub sequence: Option<RawSequence>,
    pub shuffle: Option<Vec<toml::Value>>,
    pub take: Option<usize>,
    pub text: Option<String>,
    pub spoken: Option<Spoken>,
    #[serde(default)]
    pub distinct_from: Vec<Spanned<String>>,
    pub apart: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawSequence {
    pub of: Vec<toml::Value>,
    pub length: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawNumber {
    pub min: f64,
    pub max: f64,
    pub step: f64,
    #[serde(default)]
    pub exclude: Vec<f64>,
    /// So many instead of one.
    pub count: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawCode {
    pub pattern: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawSpeech {
    pub id: Spanned<String>,
    /// One speaker: `voice` and `text`; several: `turns`.
    pub voice: Option<Spanned<String>>,
    pub text: Option<Spanned<String>>,
    pub speed: Option<Spanned<f32>>,
    pub turns: Option<Spanned<Vec<RawTurn>>>,
    pub background: Option<Spanned<Background>>,
    #[serde(default)]
    pub telephone: bool,
    pub entities: Option<Vec<Spanned<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawTurn {
    pub voice: Spanned<String>,
    pub text: Spanned<String>,
    pub speed: Option<Spanned<f32>>,
    /// Seconds of silence before it.
    pub pause: Option<Spanned<f32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawMoment {
    pub name: Spanned<String>,
    pub channel: MomentChannel,
    pub seconds: Option<Spanned<f64>>,
    pub needed: bool,
    pub after: Option<Spanned<String>>,
    pub delay: Option<Spanned<RawRange>>,
    pub times: Option<Spanned<u32>>,
    pub every: Option<Spanned<RawRange>>,
    #[serde(default)]
    pub tells: Vec<Spanned<String>>,
}

/// Seconds: one number, or the least and the most.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum RawRange {
    One(f64),
    Between([f64; 2]),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawPage {
    #[serde(default)]
    pub values: Vec<Spanned<String>>,
    #[serde(default)]
    pub reveal: BTreeMap<Spanned<String>, toml::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawScorer {
    pub plugin: Spanned<String>,
    #[serde(default = "empty")]
    pub settings: Spanned<toml::Table>,
}

fn empty() -> Spanned<toml::Table> {
    Spanned::new(0..0, toml::Table::new())
}

pub(super) fn read(text: &str) -> Result<RawManifest, Problem> {
    toml::from_str(text).map_err(|error| {
        let said = error.message().replace('\n', " ");
        let advice = if said.starts_with("missing field") {
            ": add it"
        } else if said.starts_with("unknown field") {
            ": correct its name or remove it"
        } else {
            ""
        };
        Problem::new(error.span().unwrap_or(0..0), format!("{said}{advice}"))
    })
}

/// TOML to JSON. Dates become text, since JSON has none.
pub(super) fn json(value: toml::Value) -> serde_json::Value {
    use toml::Value;
    match value {
        Value::String(text) => text.into(),
        Value::Integer(number) => number.into(),
        Value::Float(number) => number.into(),
        Value::Boolean(truth) => truth.into(),
        Value::Datetime(date) => date.to_string().into(),
        Value::Array(items) => items.into_iter().map(json).collect(),
        Value::Table(table) => table
            .into_iter()
            .map(|(key, value)| (key, json(value)))
            .collect(),
    }
}
