//! The draws: HMAC-SHA256 in counter mode, so that a seed gives the same values on every machine and version, and what
//! is visible tells nothing about what is not.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::{Seed, VariantError};
use crate::task::manifest::field::people::name_value;
use crate::task::manifest::field::{CodePattern, Numbers, Place, calendar, number_value};
use crate::task::manifest::{Field, Kind};
use crate::task::spoken::Decimal;

/// One field's own stream of random numbers.
pub(super) struct Draws {
    /// Keyed and fed with task, field and sub-seed.
    mac: Hmac<Sha256>,
    block: u64,
    ready: Vec<u64>,
}

impl Draws {
    pub(super) fn new(seed: &Seed, task: &str, field: &str, sub_seed: u32) -> Self {
        // Padding a short key with zeros is what HMAC does anyway; done here, no length can be wrong.
        let key = seed.key();
        let mut padded = hmac::digest::Key::<Hmac<Sha256>>::default();
        padded[..key.len()].copy_from_slice(&key);
        let mut mac = Hmac::<Sha256>::new(&padded);
        for part in [task, field] {
            mac.update(part.as_bytes());
            mac.update(&[0]);
        }
        // Nothing is added for the first try: sub-seeds extend the scheme (seed, task, field).
        if sub_seed > 0 {
            mac.update(&sub_seed.to_be_bytes());
        }
        Self {
            mac,
            block: 0,
            ready: Vec::new(),
        }
    }

    fn next(&mut self) -> u64 {
        loop {
            if let Some(number) = self.ready.pop() {
                return number;
            }
            let mut mac = self.mac.clone();
            mac.update(b"/");
            mac.update(&self.block.to_be_bytes());
            self.block += 1;
            let bytes = mac.finalize().into_bytes();
            self.ready = bytes
                .chunks_exact(8)
                .rev()
                .map(|chunk| {
                    chunk
                        .iter()
                        .fold(0, |number, byte| (number << 8) | u64::from(*byte))
                })
                .collect();
        }
    }

    /// From 0 to below `count`, each equally likely.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let count = count.max(1) as u64;
        // The last incomplete round of `count` would favour small numbers.
        let limit = u64::MAX - u64::MAX % count;
        loop {
            let number = self.next();
            if number < limit {
                return usize::try_from(number % count).unwrap_or(0);
            }
        }
    }
}

/// Draws one field; `apart` are the values it must differ from.
pub(super) fn field(
    name: &str,
    field: &Field,
    apart: &[&Value],
    draws: &mut Draws,
) -> Result<Value, VariantError> {
    let exhausted = || VariantError::Exhausted {
        field: name.to_owned(),
    };
    match &field.kind {
        Kind::Choose(items) => {
            let left: Vec<&Value> = items.iter().filter(|item| !apart.contains(item)).collect();
            left.get(draws.below(left.len()))
                .map(|item| (*item).clone())
                .ok_or_else(exhausted)
        }
        Kind::Number(numbers) => {
            let left = numbers_apart(numbers, apart, field.apart);
            left.get(draws.below(left.len()))
                .map(|number| number_value(*number))
                .ok_or_else(exhausted)
        }
        Kind::NumberList(numbers, count) => {
            let mut left = numbers_apart(numbers, apart, field.apart);
            if left.len() < *count {
                return Err(exhausted());
            }
            let mut list = Vec::new();
            for _ in 0..*count {
                list.push(number_value(left.remove(draws.below(left.len()))));
            }
            Ok(Value::Array(list))
        }
        Kind::Timing(numbers) => Ok(one(numbers, draws)),
        Kind::TimingList(numbers, count) => Ok((0..*count).map(|_| one(numbers, draws)).collect()),
        Kind::Name(person) => {
            let other = |part: &'static str, name: &str| {
                !apart
                    .iter()
                    .any(|value| value.get(part).and_then(Value::as_str) == Some(name))
            };
            let given = person.given_names();
            let first: Vec<&str> = given
                .into_iter()
                .filter(|name| other("first", name))
                .collect();
            let last: Vec<&str> = person
                .surnames()
                .iter()
                .copied()
                .filter(|name| other("last", name))
                .collect();
            let first = first.get(draws.below(first.len())).ok_or_else(exhausted)?;
            let last = last.get(draws.below(last.len())).ok_or_else(exhausted)?;
            Ok(name_value(first, last))
        }
        Kind::Date(dates) => {
            let texts = dates.days.iter().map(ToString::to_string);
            text_apart(texts.collect(), apart, draws).ok_or_else(exhausted)
        }
        Kind::Time(times) => {
            let texts = times.minutes.iter().map(|time| calendar::time_text(*time));
            text_apart(texts.collect(), apart, draws).ok_or_else(exhausted)
        }
        Kind::Sequence { items, length } => {
            let mut list: Vec<Value> = Vec::new();
            for _ in 0..*length {
                let left: Vec<&Value> = items
                    .iter()
                    .filter(|item| list.last() != Some(item))
                    .collect();
                let item = left.get(draws.below(left.len())).ok_or_else(exhausted)?;
                list.push((*item).clone());
            }
            Ok(Value::Array(list))
        }
        Kind::Code(pattern) | Kind::Phone(pattern) => {
            // Codes are too many to list; a few tries are enough unless the pattern is tiny.
            for _ in 0..1000 {
                let value = Value::from(code(pattern, draws));
                if !apart.contains(&&value) {
                    return Ok(value);
                }
            }
            Err(exhausted())
        }
        Kind::Shuffle { items, take } => {
            let mut items = items.clone();
            for index in 0..items.len() {
                let other = index + draws.below(items.len() - index);
                items.swap(index, other);
            }
            items.truncate(*take);
            Ok(Value::Array(items))
        }
        // Made from other values by the caller; nothing is drawn.
        Kind::Text(_) => Ok(Value::Null),
    }
}

fn one(numbers: &Numbers, draws: &mut Draws) -> Value {
    numbers
        .candidates
        .get(draws.below(numbers.candidates.len()))
        .map_or(Value::Null, |number| number_value(*number))
}

/// The candidates that differ from every number in `others` (or in a list of it) by at least `distance`.
fn numbers_apart(numbers: &Numbers, others: &[&Value], distance: f64) -> Vec<Decimal> {
    let taken: Vec<Decimal> = others
        .iter()
        .flat_map(|value| match value {
            Value::Array(items) => items.iter().collect(),
            single => vec![*single],
        })
        .filter_map(|value| Decimal::of(value.as_f64()?))
        .collect();
    let near = |number: &Decimal, other: &Decimal| {
        let decimals = number.decimals.max(other.decimals);
        let (number, other) = (number.scaled(decimals), other.scaled(decimals));
        let between = (number.units - other.units).unsigned_abs() as f64;
        number == other || between < distance * 10_f64.powi(decimals.try_into().unwrap_or(0)) - 1e-6
    };
    numbers
        .candidates
        .iter()
        .filter(|number| !taken.iter().any(|other| near(number, other)))
        .copied()
        .collect()
}

fn text_apart(texts: Vec<String>, others: &[&Value], draws: &mut Draws) -> Option<Value> {
    let left: Vec<String> = texts
        .into_iter()
        .filter(|text| !others.iter().any(|other| other.as_str() == Some(text)))
        .collect();
    left.get(draws.below(left.len())).cloned().map(Value::from)
}

fn code(pattern: &CodePattern, draws: &mut Draws) -> String {
    let mut place = |place: &Place| match place {
        Place::Literal(character) => *character,
        Place::Of(set) => char::from(set[draws.below(set.len())]),
    };
    pattern.places.iter().map(&mut place).collect()
}
