//! `solution.toml`, read and checked before the first step is taken.

mod known;
mod made;
mod parts;
mod raw;

use std::collections::{BTreeMap, BTreeSet};

use dynacu_sdk::{Duration, MouseButton, Point, Rect, ScrollDirection};
use regex::Regex;
use serde::Deserialize;

use crate::memory::Row;
use crate::pattern::Pattern;

#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) steps: Vec<Step>,
    pub(crate) lookups: BTreeMap<String, Lookup>,
    pub(crate) guess: Constants,
}

/// General knowledge: what to make of a capture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lookup {
    /// The capture that is looked up.
    pub(crate) key: String,
    pub(crate) values: BTreeMap<String, String>,
}

/// What `guess` takes for read and heard.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    pub(crate) captures: Row,
    pub(crate) lists: BTreeMap<String, Vec<Row>>,
}

#[derive(Debug)]
pub(crate) struct Step {
    /// Its number, and inside a `then` the numbers around it: `4.2`.
    pub(crate) label: String,
    pub(crate) what: What,
    /// Time that it may take; none where only the episode's end limits it.
    pub(crate) within: Option<Duration>,
    /// Time after which it ends well.
    pub(crate) lasting: Option<Duration>,
    /// Any of these ends it well.
    pub(crate) until: Vec<Sense>,
    /// Only what came after the last action counts.
    pub(crate) fresh: bool,
    /// Goes on where it would give up.
    pub(crate) optional: bool,
    pub(crate) when: Vec<(String, Pattern)>,
    pub(crate) unless: Vec<(String, Pattern)>,
    /// How long `guess` waits instead of perceiving.
    pub(crate) guess: Duration,
}

#[derive(Debug)]
pub(crate) enum What {
    Wait(Sense),
    Find(Find),
    Click { place: Place, press: Press },
    Move(Place),
    Drag { from: Place, to: Place },
    Scroll(Scroll),
    Type(String),
    Key(Vec<String>),
    Speak(String),
    Pause(Duration),
    Done,
    Watch(Watch),
    Collect(Collect),
    Choose(Choose),
    Repeat { rounds: Rounds, then: Vec<Step> },
}

/// One way to perceive something, with patterns as the script has them or, once their placeholders are filled, as regular
/// expressions.
#[derive(Clone, Debug)]
pub(crate) enum Sense<P = Pattern> {
    Hear(P),
    See {
        /// None is the whole screen.
        area: Option<Rect>,
        text: P,
    },
    Change(Spots),
    Colour {
        spots: Spots,
        colour: [u8; 3],
        /// The greatest difference in one of red, green and blue.
        off_by: u8,
    },
}

/// One or several areas, by name.
#[derive(Clone, Debug)]
pub(crate) struct Spots {
    pub(crate) areas: Vec<(String, Rect)>,
    /// The capture that says which.
    pub(crate) name: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Find {
    pub(crate) area: Option<Rect>,
    pub(crate) what: Target,
    pub(crate) from_there: Shift,
    pub(crate) press: Press,
}

#[derive(Debug)]
pub(crate) enum Target {
    Words(String),
    Pattern(Pattern),
}

#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) at: At,
    pub(crate) from_there: Shift,
}

#[derive(Debug)]
pub(crate) enum At {
    Point(Point),
    Capture(String),
}

/// From a place to the one that is meant, in pixels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shift {
    pub(crate) offset: [i32; 2],
    pub(crate) x: Option<i32>,
    pub(crate) y: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Press {
    pub(crate) button: MouseButton,
    pub(crate) count: u8,
}

#[derive(Debug)]
pub(crate) struct Scroll {
    pub(crate) at: Option<Place>,
    pub(crate) direction: ScrollDirection,
    pub(crate) notches: u32,
}

#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) senses: Vec<Sense>,
    pub(crate) by: Vec<String>,
    pub(crate) repeats: bool,
    pub(crate) then: Vec<Step>,
}

#[derive(Debug)]
pub(crate) struct Collect {
    pub(crate) into: String,
    pub(crate) senses: Vec<Sense>,
    pub(crate) by: Vec<String>,
    pub(crate) repeats: bool,
    pub(crate) begins: Option<String>,
    /// Readings below this confidence are left out, 0 to 1.
    pub(crate) sure: f32,
    /// So many rows end it.
    pub(crate) enough: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Choose {
    pub(crate) from: String,
    /// Rows whose captures do not match are left out.
    pub(crate) filter: Vec<(String, Pattern)>,
    pub(crate) pick: Pick,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Pick {
    Smallest(String),
    Largest(String),
    Most(String),
    /// From 1; from the end where it is negative.
    Row(i32),
    /// The capture that says how many there are.
    Count(String),
}

#[derive(Debug)]
pub(crate) enum Rounds {
    /// A number, or a text with a placeholder that is one.
    Times(String),
    /// The list whose rows are gone through.
    Each(String),
    /// As long as the step lasts.
    On,
}

impl Script {
    /// Reads a script. The message says which step is wrong, and how.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let raw: raw::Script = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(schema) = raw.schema.filter(|schema| *schema != 1) {
            return Err(format!("schema {schema} is unknown; this policy reads 1"));
        }
        let script = Self {
            steps: made::steps(raw.step, "")?,
            lookups: raw.lookup,
            guess: made::constants(raw.guess)?,
        };
        if script.steps.is_empty() {
            return Err("it has no [[step]]".to_owned());
        }
        known::check(&script, known::Source::Perception)?;
        Ok(script)
    }

    /// Every name that is used must be a constant of `[guess]`.
    pub(crate) fn check_guess(&self) -> Result<(), String> {
        known::check(self, known::Source::Constants)
    }

    /// The area of a name that a script gave to it, for `guess`, which sees no place of its own.
    pub(crate) fn area_named(&self, capture: &str, area: &str) -> Option<Rect> {
        fn search(steps: &[Step], capture: &str, area: &str) -> Option<Rect> {
            steps.iter().find_map(|step| {
                let named = step.senses().find_map(|sense| {
                    let spots = sense.spots()?;
                    (spots.name.as_deref() == Some(capture)).then_some(())?;
                    let (_, rect) = spots.areas.iter().find(|(name, _)| name == area)?;
                    Some(*rect)
                });
                named.or_else(|| search(step.then(), capture, area))
            })
        }
        search(&self.steps, capture, area)
    }
}

impl Step {
    /// All that it perceives with, `until` included.
    pub(crate) fn senses(&self) -> impl Iterator<Item = &Sense> {
        let own: &[Sense] = match &self.what {
            What::Wait(sense) => std::slice::from_ref(sense),
            What::Watch(watch) => &watch.senses,
            What::Collect(collect) => &collect.senses,
            What::Find(_)
            | What::Click { .. }
            | What::Move(_)
            | What::Drag { .. }
            | What::Scroll(_)
            | What::Type(_)
            | What::Key(_)
            | What::Speak(_)
            | What::Pause(_)
            | What::Done
            | What::Choose(_)
            | What::Repeat { .. } => &[],
        };
        own.iter().chain(&self.until)
    }

    /// The steps inside it.
    pub(crate) fn then(&self) -> &[Self] {
        match &self.what {
            What::Watch(Watch { then, .. }) | What::Repeat { then, .. } => then,
            What::Wait(_)
            | What::Collect(_)
            | What::Find(_)
            | What::Click { .. }
            | What::Move(_)
            | What::Drag { .. }
            | What::Scroll(_)
            | What::Type(_)
            | What::Key(_)
            | What::Speak(_)
            | What::Pause(_)
            | What::Done
            | What::Choose(_) => &[],
        }
    }
}

impl Sense {
    /// The names that it captures.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        match self {
            Self::Hear(text) | Self::See { text, .. } => text.captures().collect(),
            Self::Change(spots) | Self::Colour { spots, .. } => {
                spots.name.as_deref().into_iter().collect()
            }
        }
    }

    /// The captures that its pattern needs.
    fn needs(&self) -> &[String] {
        match self {
            Self::Hear(text) | Self::See { text, .. } => text.needs(),
            Self::Change(_) | Self::Colour { .. } => &[],
        }
    }

    /// The same with its placeholders filled.
    pub(crate) fn filled<E>(
        &self,
        regex: impl Fn(&Pattern) -> Result<Regex, E>,
    ) -> Result<Sense<Regex>, E> {
        Ok(match self {
            Self::Hear(text) => Sense::Hear(regex(text)?),
            Self::See { area, text } => Sense::See {
                area: *area,
                text: regex(text)?,
            },
            Self::Change(spots) => Sense::Change(spots.clone()),
            Self::Colour {
                spots,
                colour,
                off_by,
            } => Sense::Colour {
                spots: spots.clone(),
                colour: *colour,
                off_by: *off_by,
            },
        })
    }

    fn spots(&self) -> Option<&Spots> {
        match self {
            Self::Change(spots) | Self::Colour { spots, .. } => Some(spots),
            Self::Hear(_) | Self::See { .. } => None,
        }
    }
}

impl What {
    /// The step's key, for messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Wait(Sense::Hear(_)) => "hear",
            Self::Wait(Sense::See { .. }) => "see",
            Self::Wait(Sense::Change(_)) => "see-change",
            Self::Wait(Sense::Colour { .. }) => "see-colour",
            Self::Find(_) => "find",
            Self::Click { .. } => "click",
            Self::Move(_) => "move",
            Self::Drag { .. } => "drag",
            Self::Scroll(_) => "scroll",
            Self::Type(_) => "type",
            Self::Key(_) => "key",
            Self::Speak(_) => "speak",
            Self::Pause(_) => "wait",
            Self::Done => "done",
            Self::Watch(_) => "watch",
            Self::Collect(_) => "collect",
            Self::Choose(_) => "choose",
            Self::Repeat { .. } => "repeat",
        }
    }
}

#[cfg(test)]
mod tests;
