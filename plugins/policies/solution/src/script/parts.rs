//! The pieces that steps are made of: areas, places, colours, patterns, times.

use std::collections::BTreeMap;

use dynacu_sdk::{Duration, Point, Rect};
use serde::Deserialize;

use super::{At, Place, Sense, Shift, Spots};
use crate::pattern::Pattern;

/// How far off a colour may be where the script does not say.
const OFF_BY: u8 = 40;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSee {
    pub(super) text: String,
    pub(super) area: Option<[i32; 4]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawArea {
    area: Option<[i32; 4]>,
    #[serde(default)]
    areas: BTreeMap<String, [i32; 4]>,
    #[serde(rename = "as")]
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawColour {
    colour: String,
    off_by: Option<u8>,
    area: Option<[i32; 4]>,
    #[serde(default)]
    areas: BTreeMap<String, [i32; 4]>,
    #[serde(rename = "as")]
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFind {
    pub(super) text: Option<String>,
    pub(super) pattern: Option<String>,
    pub(super) area: Option<[i32; 4]>,
    offset: Option<[i32; 2]>,
    x: Option<i32>,
    y: Option<i32>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a place is [x, y], a capture's name, or { at = one of these, offset = [dx, dy], x = …, y = … }"
)]
pub(super) enum RawPlace {
    Point([i32; 2]),
    Capture(String),
    Shifted(RawShifted),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawShifted {
    at: RawAt,
    offset: Option<[i32; 2]>,
    x: Option<i32>,
    y: Option<i32>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "at is [x, y] or a capture's name")]
enum RawAt {
    Point([i32; 2]),
    Capture(String),
}

impl RawArea {
    pub(super) fn spots(self) -> Result<Spots, String> {
        let area = self.area.map(rect).transpose()?;
        match (area, self.areas.is_empty(), self.name) {
            (Some(area), true, None) => Ok(Spots {
                areas: vec![(String::new(), area)],
                name: None,
            }),
            (None, true, None) => Ok(Spots {
                areas: Vec::new(),
                name: None,
            }),
            (None, false, Some(name)) => Ok(Spots {
                areas: self
                    .areas
                    .into_iter()
                    .map(|(name, area)| Ok((name, rect(area)?)))
                    .collect::<Result<_, String>>()?,
                name: Some(name),
            }),
            _ => Err("it has either area, or areas and as".to_owned()),
        }
    }
}

impl RawColour {
    pub(super) fn read(self) -> Result<Sense, String> {
        let colour = colour(&self.colour).ok_or_else(|| {
            format!(
                "{:?} is no colour; write one as \"#f2b705\", red, green and blue",
                self.colour
            )
        })?;
        let spots = RawArea {
            area: self.area,
            areas: self.areas,
            name: self.name,
        };
        let spots = spots.spots()?;
        if spots.areas.is_empty() {
            return Err("see-colour needs area, or areas and as".to_owned());
        }
        Ok(Sense::Colour {
            spots,
            colour,
            off_by: self.off_by.unwrap_or(OFF_BY),
        })
    }
}

impl RawFind {
    pub(super) fn shift(&self) -> Shift {
        Shift {
            offset: self.offset.unwrap_or_default(),
            x: self.x,
            y: self.y,
        }
    }
}

impl RawPlace {
    pub(super) fn read(self) -> Place {
        let (at, from_there) = match self {
            Self::Point(at) => (RawAt::Point(at), Shift::default()),
            Self::Capture(name) => (RawAt::Capture(name), Shift::default()),
            Self::Shifted(shifted) => (
                shifted.at,
                Shift {
                    offset: shifted.offset.unwrap_or_default(),
                    x: shifted.x,
                    y: shifted.y,
                },
            ),
        };
        let at = match at {
            RawAt::Point(at) => At::Point(point(at)),
            RawAt::Capture(name) => At::Capture(name),
        };
        Place { at, from_there }
    }
}

pub(super) fn point([x, y]: [i32; 2]) -> Point {
    Point { x, y }
}

pub(super) fn patterns(raw: BTreeMap<String, String>) -> Result<Vec<(String, Pattern)>, String> {
    raw.into_iter()
        .map(|(name, text)| Ok((name, Pattern::new(&text)?)))
        .collect()
}

pub(super) fn rect([x, y, width, height]: [i32; 4]) -> Result<Rect, String> {
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width @ 1..), Ok(height @ 1..)) if x >= 0 && y >= 0 => {
            Ok(Rect::new(x, y, width, height))
        }
        _ => Err("an area is [x, y, width, height] with a size, inside the screen".to_owned()),
    }
}

pub(super) fn time(key: &str, seconds: f64) -> Result<Duration, String> {
    if seconds.is_finite() && (0.0..=86_400.0).contains(&seconds) {
        Ok(Duration::from_millis((seconds * 1000.0).round() as u64))
    } else {
        Err(format!("{key} = {seconds} is no number of seconds"))
    }
}

/// Red, green and blue of `#rrggbb`.
fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some([red, green, blue])
}
