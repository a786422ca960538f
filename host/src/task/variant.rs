//! The values of one episode, drawn from its seed.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use super::manifest::{Field, Kind, Manifest};
use super::template::{Template, ValuePath};
use super::values::Values;
use super::{SpeechClip, Turn};

mod draw;
#[cfg(test)]
mod tests;

/// What decides a variant. Integers are public (0 is the default); the board's seeds are 128 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seed {
    Number(u64),
    Bits(u128),
}

impl Seed {
    /// The seed of trial `trial` (from 1) of a run that was given this one: integer seeds count up.
    #[must_use]
    pub fn for_trial(self, trial: u32) -> Self {
        let later = trial.saturating_sub(1);
        match self {
            Self::Number(number) => Self::Number(number.wrapping_add(later.into())),
            Self::Bits(bits) => Self::Bits(bits.wrapping_add(later.into())),
        }
    }

    /// The key of the draws; the first byte keeps the two kinds apart.
    fn key(self) -> Vec<u8> {
        match self {
            Self::Number(number) => [&[0], number.to_be_bytes().as_slice()].concat(),
            Self::Bits(bits) => [&[1], bits.to_be_bytes().as_slice()].concat(),
        }
    }
}

impl Default for Seed {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Bits(bits) => write!(formatter, "{bits:032x}"),
        }
    }
}

impl FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return u128::from_str_radix(text, 16)
                .map(Self::Bits)
                .map_err(|error| error.to_string());
        }
        let number = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        number
            .and_then(|text| text.parse().ok())
            .map(Self::Number)
            .ok_or_else(|| {
                format!("`{text}` is no seed: give a whole number from 0, or 32 hexadecimal digits")
            })
    }
}

/// In JSON an integer seed is a number and a board seed a text.
impl serde::Serialize for Seed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Bits(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Seed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(Self::Number(number)),
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// One draw of a task. Everything that leaves the host for the page is in `page_values` and `reveals` and nowhere else.
#[derive(Debug, Clone)]
pub struct Variant {
    pub seed: Seed,
    /// How often the draw was repeated because its speech was not understood.
    pub sub_seed: u32,
    /// The truth: every field with its value.
    pub values: Value,
    /// Lasting values, which the page may load before the start.
    pub page_values: Value,
    /// Transient values by name, which the page may fetch after the start.
    pub reveals: BTreeMap<String, Value>,
    /// Drawn texts that are shown for a moment: what a reader must get at a glance.
    pub reads: Vec<String>,
    pub speech: Vec<SpeechClip>,
    /// `{"values": …, "settings": …}`, which scorers get as `variant-values`.
    pub scorer_input: Value,
    pub instruction: String,
}

/// Why nothing could be drawn.
#[derive(Debug, thiserror::Error)]
pub enum VariantError {
    #[error("nothing is left to draw for `{field}`: `distinct-from` excludes every value")]
    Exhausted { field: String },
    /// A manifest that was checked does not lead here.
    #[error("a placeholder cannot be filled: {0}")]
    Placeholder(String),
}

/// Draws the values of a task: the same for the same manifest, seed and sub-seed, on every machine.
///
/// # Errors
/// `distinct-from` leaves nothing to draw.
pub fn draw(manifest: &Manifest, seed: &Seed, sub_seed: u32) -> Result<Variant, VariantError> {
    let mut values = Values::new(&manifest.fields);
    for name in &manifest.order {
        let field = &manifest.fields[name];
        let value = if let Kind::Text(template) = &field.kind {
            template
                .fill(|path| values.text(path))
                .map(Value::from)
                .map_err(VariantError::Placeholder)?
        } else {
            let apart: Vec<&Value> = field
                .distinct_from
                .iter()
                .filter_map(|other| values.get(other))
                .collect();
            draw::field(
                name,
                field,
                &apart,
                &mut draw::Draws::new(seed, &manifest.id, name, sub_seed),
            )?
        };
        values.insert(name, value);
    }
    let text = |template: &Template| {
        template
            .fill(|path| values.text(path))
            .map_err(VariantError::Placeholder)
    };
    let filled = |value: &Value, as_text| {
        values
            .fill(value, as_text)
            .map_err(VariantError::Placeholder)
    };

    let mut page_values = Map::new();
    for path in &manifest.page_values {
        nest(
            &mut page_values,
            &path.segments,
            values.json(path).map_err(VariantError::Placeholder)?,
        );
    }
    let speech = manifest
        .speech
        .iter()
        .map(|clip| {
            let forms = clip
                .entities
                .iter()
                .map(|path| values.forms(path))
                .collect::<Result<Vec<_>, _>>();
            let turns = clip.turns.iter().map(|turn| {
                Ok(Turn {
                    voice: turn.voice.clone(),
                    text: text(&turn.text)?,
                    speed: turn.speed,
                    pause: turn.pause,
                })
            });
            Ok(SpeechClip {
                id: clip.id.clone(),
                turns: turns.collect::<Result<_, VariantError>>()?,
                background: clip.background,
                telephone: clip.telephone,
                entities: forms.map_err(VariantError::Placeholder)?,
            })
        })
        .collect::<Result<_, VariantError>>()?;
    let reveals = manifest
        .reveals
        .iter()
        .map(|(name, value)| Ok((name.clone(), filled(value, false)?)))
        .collect::<Result<_, VariantError>>()?;
    let reads = manifest
        .read_on_screen()
        .iter()
        .map(|path| text(&Template::of(path)))
        .collect::<Result<_, VariantError>>()?;
    let settings = filled(&manifest.scorer.settings, true)?;
    let instruction = text(&manifest.instruction)?;
    let values = values.into_json();
    Ok(Variant {
        seed: *seed,
        sub_seed,
        scorer_input: json!({ "values": values, "settings": settings }),
        values,
        page_values: Value::Object(page_values),
        reveals,
        reads,
        speech,
        instruction,
    })
}

/// Puts a value at its path, so that `place.country` reads the same in the page as in the manifest.
fn nest(table: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = table
                .entry(first.clone())
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                nest(inner, rest, value);
            }
        }
    }
}

/// What a listener must take from a spoken text: its placeholders, with texts that are made of others followed.
///
/// # Errors
/// One line: a number or a code whose digits would be left to the voice to read.
pub fn entities(
    fields: &BTreeMap<String, Field>,
    text: &Template,
) -> Result<Vec<ValuePath>, String> {
    let mut found = Vec::new();
    for path in text.values() {
        let Some(field) = fields.get(path.field()) else {
            continue;
        };
        let inner = match &field.kind {
            Kind::Text(template) => entities(fields, template)?,
            Kind::Number(_)
            | Kind::NumberList(..)
            | Kind::Code(_)
            | Kind::Phone(_)
            | Kind::Date(_)
            | Kind::Time(_)
                if path.value() == *path =>
            {
                return Err(format!(
                    "speech is made of words: write {{{path}.spoken}} for {{{path}}}"
                ));
            }
            Kind::Choose(_)
            | Kind::Number(_)
            | Kind::NumberList(..)
            | Kind::Code(_)
            | Kind::Name(_)
            | Kind::Phone(_)
            | Kind::Date(_)
            | Kind::Time(_)
            | Kind::Timing(_)
            | Kind::TimingList(..)
            | Kind::Sequence { .. }
            | Kind::Shuffle { .. } => vec![path.value()],
        };
        for path in inner {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}
