//! `solution.toml`, read and checked before the first step is taken.

use std::collections::{BTreeMap, BTreeSet};

use dynacu_sdk::{MouseButton, Rect};
use regex::Regex;
use serde::Deserialize;

use crate::fill;

/// Seconds that a perceiving step waits where it does not say.
const WITHIN: f64 = 30.0;

#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) steps: Vec<Step>,
    pub(crate) lookups: BTreeMap<String, Lookup>,
}

/// General knowledge: what to make of a capture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lookup {
    /// The capture that is looked up.
    pub(crate) key: String,
    pub(crate) values: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) what: What,
    /// Milliseconds that a perceiving step may take.
    pub(crate) within: u64,
}

#[derive(Debug)]
pub(crate) enum What {
    Hear(Regex),
    See {
        area: Option<Rect>,
        text: Regex,
    },
    SeeChange {
        area: Option<Rect>,
    },
    Find {
        area: Option<Rect>,
        text: String,
        press: Press,
    },
    Click {
        x: i32,
        y: i32,
        press: Press,
    },
    Type(String),
    Key(String),
    Speak(String),
    Wait(u64),
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Press {
    pub(crate) button: MouseButton,
    pub(crate) count: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScript {
    schema: Option<u32>,
    #[serde(default)]
    step: Vec<RawStep>,
    #[serde(default)]
    lookup: BTreeMap<String, Lookup>,
    /// Read by the `guess` policy; here only allowed.
    #[serde(default)]
    #[serde(rename = "guess")]
    _guess: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawStep {
    hear: Option<String>,
    see: Option<RawSee>,
    see_change: Option<RawArea>,
    find: Option<RawSee>,
    click: Option<[i32; 2]>,
    #[serde(rename = "type")]
    text: Option<String>,
    key: Option<String>,
    speak: Option<String>,
    wait: Option<f64>,
    done: Option<bool>,
    within: Option<f64>,
    button: Option<RawButton>,
    count: Option<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSee {
    text: String,
    area: Option<[i32; 4]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawArea {
    area: Option<[i32; 4]>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawButton {
    Left,
    Middle,
    Right,
}

impl Script {
    /// Reads a script. The message says which step is wrong, and how.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let raw: RawScript = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(schema) = raw.schema.filter(|schema| *schema != 1) {
            return Err(format!("schema {schema} is unknown; this policy reads 1"));
        }
        let mut steps = Vec::new();
        for (index, step) in raw.step.into_iter().enumerate() {
            let step = Step::read(step).map_err(|error| format!("step {}: {error}", index + 1))?;
            steps.push(step);
        }
        if steps.is_empty() {
            return Err("it has no [[step]]".to_owned());
        }
        let script = Self {
            steps,
            lookups: raw.lookup,
        };
        script.check_names()?;
        Ok(script)
    }

    /// Every placeholder must be known by the time it is used; a task author learns it before the episode runs.
    fn check_names(&self) -> Result<(), String> {
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for (index, step) in self.steps.iter().enumerate() {
            match &step.what {
                What::Hear(regex) | What::See { text: regex, .. } => {
                    known.extend(regex.capture_names().flatten());
                }
                What::Find { text, .. }
                | What::Type(text)
                | What::Key(text)
                | What::Speak(text) => {
                    for name in fill::names(text).map_err(|error| at(index, &error))? {
                        let source = self
                            .lookups
                            .get(&name)
                            .map_or(name.as_str(), |lookup| &lookup.key);
                        if !known.contains(source) {
                            return Err(at(
                                index,
                                &format!("nothing before it captures {source:?}"),
                            ));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn at(index: usize, error: &str) -> String {
    format!("step {}: {error}", index + 1)
}

impl Step {
    fn read(raw: RawStep) -> Result<Self, String> {
        let pressed = raw.button.is_some() || raw.count.is_some();
        let press = Press {
            button: match raw.button {
                None | Some(RawButton::Left) => MouseButton::Left,
                Some(RawButton::Middle) => MouseButton::Middle,
                Some(RawButton::Right) => MouseButton::Right,
            },
            count: raw.count.unwrap_or(1),
        };
        let mut found = Vec::new();
        if let Some(text) = raw.hear {
            found.push(What::Hear(pattern(&text)?));
        }
        if let Some(see) = raw.see {
            found.push(What::See {
                area: see.area.map(rect).transpose()?,
                text: pattern(&see.text)?,
            });
        }
        if let Some(change) = raw.see_change {
            found.push(What::SeeChange {
                area: change.area.map(rect).transpose()?,
            });
        }
        if let Some(find) = raw.find {
            found.push(What::Find {
                area: find.area.map(rect).transpose()?,
                text: find.text,
                press,
            });
        }
        found.extend(raw.click.map(|[x, y]| What::Click { x, y, press }));
        found.extend(raw.text.map(What::Type));
        found.extend(raw.key.map(What::Key));
        found.extend(raw.speak.map(What::Speak));
        if let Some(seconds) = raw.wait {
            found.push(What::Wait(milliseconds("wait", seconds)?));
        }
        match raw.done {
            Some(true) => found.push(What::Done),
            Some(false) => return Err("done = false says nothing".to_owned()),
            None => {}
        }
        let what = match found.len() {
            1 => found.remove(0),
            0 => return Err("it has nothing to do".to_owned()),
            _ => return Err("it has more than one thing to do".to_owned()),
        };
        if pressed && !matches!(what, What::Click { .. } | What::Find { .. }) {
            return Err("button and count belong to click and find".to_owned());
        }
        if raw.within.is_some() && !what.perceives() {
            return Err("within belongs to hear, see, see-change and find".to_owned());
        }
        Ok(Self {
            what,
            within: milliseconds("within", raw.within.unwrap_or(WITHIN))?,
        })
    }
}

impl What {
    fn perceives(&self) -> bool {
        matches!(
            self,
            Self::Hear(_) | Self::See { .. } | Self::SeeChange { .. } | Self::Find { .. }
        )
    }

    /// The step's key, for messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Hear(_) => "hear",
            Self::See { .. } => "see",
            Self::SeeChange { .. } => "see-change",
            Self::Find { .. } => "find",
            Self::Click { .. } => "click",
            Self::Type(_) => "type",
            Self::Key(_) => "key",
            Self::Speak(_) => "speak",
            Self::Wait(_) => "wait",
            Self::Done => "done",
        }
    }
}

fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| error.to_string())
}

fn rect([x, y, width, height]: [i32; 4]) -> Result<Rect, String> {
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width @ 1..), Ok(height @ 1..)) if x >= 0 && y >= 0 => {
            Ok(Rect::new(x, y, width, height))
        }
        _ => Err("area is [x, y, width, height] with a size".to_owned()),
    }
}

fn milliseconds(key: &str, seconds: f64) -> Result<u64, String> {
    if seconds.is_finite() && (0.0..=86_400.0).contains(&seconds) {
        Ok((seconds * 1000.0).round() as u64)
    } else {
        Err(format!("{key} = {seconds} is no number of seconds"))
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
