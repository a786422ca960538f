//! The shape of the file.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Lookup;
use super::parts::{RawArea, RawColour, RawFind, RawPlace, RawSee};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    pub(super) schema: Option<u32>,
    #[serde(default)]
    pub(super) step: Vec<RawStep>,
    #[serde(default)]
    pub(super) lookup: BTreeMap<String, Lookup>,
    #[serde(default)]
    pub(super) guess: BTreeMap<String, RawConstant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawStep {
    pub(super) hear: Option<String>,
    pub(super) see: Option<RawSee>,
    pub(super) see_change: Option<RawArea>,
    pub(super) see_colour: Option<RawColour>,
    pub(super) find: Option<RawFind>,
    pub(super) click: Option<RawPlace>,
    #[serde(rename = "move")]
    pub(super) move_to: Option<RawPlace>,
    pub(super) drag: Option<RawDrag>,
    pub(super) scroll: Option<RawScroll>,
    #[serde(rename = "type")]
    pub(super) text: Option<String>,
    pub(super) key: Option<RawKeys>,
    pub(super) speak: Option<String>,
    pub(super) wait: Option<f64>,
    pub(super) done: Option<bool>,
    pub(super) watch: Option<RawWatch>,
    pub(super) collect: Option<RawCollect>,
    pub(super) choose: Option<RawChoose>,
    pub(super) repeat: Option<RawRepeat>,

    pub(super) then: Option<Vec<RawStep>>,
    pub(super) until: Option<RawSenses>,
    pub(super) within: Option<f64>,
    #[serde(rename = "for")]
    pub(super) lasting: Option<f64>,
    pub(super) fresh: Option<bool>,
    pub(super) optional: Option<bool>,
    pub(super) button: Option<RawButton>,
    pub(super) count: Option<u8>,
    #[serde(default)]
    pub(super) when: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) unless: BTreeMap<String, String>,
    pub(super) guess: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawSenses {
    pub(super) hear: Option<String>,
    pub(super) see: Option<RawSee>,
    pub(super) see_change: Option<RawArea>,
    pub(super) see_colour: Option<RawColour>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDrag {
    pub(super) from: RawPlace,
    pub(super) to: RawPlace,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawScroll {
    pub(super) direction: RawDirection,
    pub(super) notches: u32,
    pub(super) at: Option<RawPlace>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawDirection {
    Up,
    Down,
    Left,
    Right,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "key is a chord or a list of chords")]
pub(super) enum RawKeys {
    One(String),
    Row(Vec<String>),
}

// Flattening would lose the check for unknown keys, so the senses stand here again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawWatch {
    pub(super) hear: Option<String>,
    pub(super) see: Option<RawSee>,
    pub(super) see_change: Option<RawArea>,
    pub(super) see_colour: Option<RawColour>,
    #[serde(default)]
    pub(super) by: Vec<String>,
    #[serde(default)]
    pub(super) repeats: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawCollect {
    pub(super) into: String,
    pub(super) hear: Option<String>,
    pub(super) see: Option<RawSee>,
    pub(super) see_change: Option<RawArea>,
    pub(super) see_colour: Option<RawColour>,
    #[serde(default)]
    pub(super) by: Vec<String>,
    #[serde(default)]
    pub(super) repeats: bool,
    pub(super) begins: Option<String>,
    pub(super) sure: Option<f32>,
    pub(super) enough: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawChoose {
    pub(super) from: String,
    pub(super) smallest: Option<String>,
    pub(super) largest: Option<String>,
    pub(super) most: Option<String>,
    pub(super) row: Option<i32>,
    pub(super) count: Option<String>,
    #[serde(default, rename = "where")]
    pub(super) filter: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRepeat {
    pub(super) times: Option<RawTimes>,
    pub(super) each: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "times is a number or a text with {name}")]
pub(super) enum RawTimes {
    Number(u32),
    Text(String),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawButton {
    Left,
    Middle,
    Right,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a constant is a text, { text = …, at = [x, y] }, or a list of rows such as [{ name = \"text\" }]"
)]
pub(super) enum RawConstant {
    Text(String),
    Placed(Placed),
    List(Vec<BTreeMap<String, RawCapture>>),
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a constant in a row is a text or { text = …, at = [x, y] }"
)]
pub(super) enum RawCapture {
    Text(String),
    Placed(Placed),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Placed {
    pub(super) text: String,
    pub(super) at: [i32; 2],
}
