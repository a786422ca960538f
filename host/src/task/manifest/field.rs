//! The kinds of values that a variant can draw.

use serde_json::Value;

use super::raw::{RawField, RawNumber, Spoken, json};
use crate::task::spoken::{Decimal, confusable};
use crate::task::template::{FORMS, Template};

pub mod calendar;
pub mod people;

use calendar::{Dates, Times};
use people::Person;

/// A list longer than this is a mistake.
const LONGEST_LIST: usize = 100;
/// An hour, in milliseconds: no task takes longer.
const LONGEST_WAIT: f64 = 3_600_000.0;
/// More candidates than this are a mistake, and would make a draw slow.
const CANDIDATES: i64 = 200_000;

/// One value of a variant.
#[derive(Debug, Clone)]
pub struct Field {
    pub kind: Kind,
    pub spoken: Option<Spoken>,
    /// Fields whose drawn values this one must not take.
    pub distinct_from: Vec<String>,
    /// How far a number must be from those of `distinct_from`; 0 for any other number.
    pub apart: f64,
}

#[derive(Debug, Clone)]
pub enum Kind {
    /// One of several texts or numbers, or of several tables with the same keys.
    Choose(Vec<Value>),
    Number(Numbers),
    /// So many different numbers.
    NumberList(Numbers, usize),
    Code(CodePattern),
    /// A table with `full`, `first`, `last` and `initials`.
    Name(Person),
    /// Digits in groups.
    Phone(CodePattern),
    /// `2027-03-14`.
    Date(Dates),
    /// `14:25`.
    Time(Times),
    /// Milliseconds.
    Timing(Numbers),
    /// So many waits, each drawn by itself, in milliseconds.
    TimingList(Numbers, usize),
    /// So many of the items, each drawn by itself, no two neighbours alike.
    Sequence {
        items: Vec<Value>,
        length: usize,
    },
    /// All of the items, or the first `take`, in a drawn order.
    Shuffle {
        items: Vec<Value>,
        take: usize,
    },
    /// Made of other fields, nothing drawn.
    Text(Template),
}

/// The numbers from which one is drawn, all with the same count of decimals.
#[derive(Debug, Clone)]
pub struct Numbers {
    pub candidates: Vec<Decimal>,
}

impl Numbers {
    /// What could be misheard is left out of numbers that are said as words.
    fn new(raw: &RawNumber, spoken: Option<Spoken>) -> Result<Self, String> {
        let decimal = |number: f64| {
            Decimal::of(number).ok_or_else(|| {
                format!("{number} is too large or too fine: use at most six decimals")
            })
        };
        let (min, max, step) = (decimal(raw.min)?, decimal(raw.max)?, decimal(raw.step)?);
        let decimals = min.decimals.max(max.decimals).max(step.decimals);
        if spoken == Some(Spoken::Dollars) && decimals > 2 {
            return Err(
                "money is said with at most two decimals: make the step coarser".to_owned(),
            );
        }
        // Prices with cents are written with two places.
        let decimals = if spoken == Some(Spoken::Dollars) && decimals == 1 {
            2
        } else {
            decimals
        };
        let [min, max, step] = [min, max, step].map(|number| number.scaled(decimals).units);
        if step <= 0 || max < min || (max - min) / step > CANDIDATES {
            return Err(format!(
                "min <= max and step > 0 are needed, with at most {CANDIDATES} numbers"
            ));
        }
        let excluded = raw
            .exclude
            .iter()
            .map(|number| decimal(*number).map(|number| number.scaled(decimals)))
            .collect::<Result<Vec<_>, _>>()?;
        let said = matches!(spoken, Some(Spoken::Dollars | Spoken::Plain));
        let candidates: Vec<Decimal> = (0..=(max - min) / step)
            .map(|index| Decimal {
                units: min + index * step,
                decimals,
            })
            .filter(|number| !(excluded.contains(number) || said && confusable(*number)))
            .collect();
        if candidates.is_empty() {
            return Err(
                "no number is left to draw: teens and round tens are left out of spoken numbers"
                    .to_owned(),
            );
        }
        Ok(Self { candidates })
    }
}

/// `#` is a digit, `@` a capital letter, all else is itself: `E-####`.
#[derive(Debug, Clone)]
pub struct CodePattern {
    pub places: Vec<Place>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Literal(char),
    /// One of these ASCII characters.
    Of(&'static [u8]),
}

/// No 0 and 1, which are read as O and l.
const DIGITS: &[u8] = b"23456789";
/// Without B, D, I, O, Q, S, Z, which are read as digits.
const LETTERS: &[u8] = b"ACEFGHJKLMNPRTUVWXY";
/// Further without those that rhyme with another: what is left can be told apart by ear.
const SPOKEN_LETTERS: &[u8] = b"FHJLMRUWXY";

impl CodePattern {
    fn new(pattern: &str, spoken: Option<Spoken>) -> Result<Self, String> {
        let letters = if spoken.is_some() {
            SPOKEN_LETTERS
        } else {
            LETTERS
        };
        let places: Vec<Place> = pattern
            .chars()
            .map(|character| match character {
                '#' => Place::Of(DIGITS),
                '@' => Place::Of(letters),
                literal => Place::Literal(literal),
            })
            .collect();
        let drawn = places
            .iter()
            .filter(|place| matches!(place, Place::Of(_)))
            .count();
        if drawn == 0 || places.len() > 32 {
            return Err(
                "a pattern has # for a digit or @ for a letter, and at most 32 characters"
                    .to_owned(),
            );
        }
        Ok(Self { places })
    }
}

/// Whether exactly one kind is given, and beside it only what belongs to that kind.
fn one_kind(raw: &RawField) -> Result<(), String> {
    let given = [
        raw.choose.is_some(),
        raw.number.is_some(),
        raw.code.is_some(),
        raw.name.is_some(),
        raw.phone.is_some(),
        raw.date.is_some(),
        raw.time.is_some(),
        raw.timing.is_some(),
        raw.shuffle.is_some(),
        raw.sequence.is_some(),
        raw.text.is_some(),
    ];
    if given.iter().filter(|kind| **kind).count() != 1 {
        return Err("give exactly one of choose, number, code, name, phone, date, time, timing, shuffle, sequence, text".to_owned());
    }
    if raw.take.is_some() && raw.shuffle.is_none() {
        return Err("`take` belongs to a shuffle".to_owned());
    }
    if raw.apart.is_some() && (raw.number.is_none() || raw.distinct_from.is_empty()) {
        return Err("`apart` belongs to a number with `distinct-from`".to_owned());
    }
    if raw
        .apart
        .is_some_and(|apart| apart < 0.0 || !apart.is_finite())
    {
        return Err("`apart` is 0 or more".to_owned());
    }
    Ok(())
}

impl Kind {
    /// The one kind that is given.
    fn new(raw: RawField) -> Result<Self, String> {
        Ok(if let Some(items) = raw.choose {
            Self::Choose(alternatives(items, "choose")?)
        } else if let Some(number) = raw.number {
            Self::number(&number, raw.spoken)?
        } else if let Some(code) = raw.code {
            Self::Code(CodePattern::new(&code.pattern, raw.spoken)?)
        } else if let Some(person) = raw.name {
            Self::Name(person)
        } else if let Some(phone) = raw.phone {
            Self::Phone(CodePattern {
                places: people::phone_places(&phone)?,
            })
        } else if let Some(date) = raw.date {
            Self::Date(Dates::new(&date)?)
        } else if let Some(time) = raw.time {
            Self::Time(Times::new(&time)?)
        } else if let Some(timing) = raw.timing {
            Self::timing(&timing)?
        } else if let Some(sequence) = raw.sequence {
            let items = alternatives(sequence.of, "sequence")?;
            if !(1..=LONGEST_LIST).contains(&sequence.length) {
                return Err(format!("`length` is from 1 to {LONGEST_LIST}"));
            }
            Self::Sequence {
                items,
                length: sequence.length,
            }
        } else if let Some(items) = raw.shuffle {
            let items = alternatives(items, "shuffle")?;
            let take = raw.take.unwrap_or(items.len());
            if take == 0 || take > items.len() {
                return Err(format!("`take` is from 1 to {}", items.len()));
            }
            Self::Shuffle { items, take }
        } else {
            Self::Text(Template::parse(&raw.text.unwrap_or_default())?)
        })
    }

    fn number(raw: &RawNumber, spoken: Option<Spoken>) -> Result<Self, String> {
        let numbers = Numbers::new(raw, spoken)?;
        let most = numbers.candidates.len().min(LONGEST_LIST);
        match raw.count {
            None => Ok(Self::Number(numbers)),
            Some(count) if (1..=most).contains(&count) => Ok(Self::NumberList(numbers, count)),
            Some(_) => Err(format!(
                "`count` is from 1 to {most}: they are all different"
            )),
        }
    }

    fn timing(raw: &RawNumber) -> Result<Self, String> {
        if raw.min < 0.0 || raw.max > LONGEST_WAIT {
            return Err("a timing is in milliseconds, from 0 to an hour".to_owned());
        }
        let numbers = Numbers::new(raw, None)?;
        match raw.count {
            None => Ok(Self::Timing(numbers)),
            Some(count) if (1..=LONGEST_LIST).contains(&count) => {
                Ok(Self::TimingList(numbers, count))
            }
            Some(_) => Err(format!("`count` is from 1 to {LONGEST_LIST}")),
        }
    }

    /// Whether a value of this kind can be asked to differ from others.
    fn can_be_distinct(&self) -> bool {
        match self {
            Self::Choose(_)
            | Self::Number(_)
            | Self::NumberList(..)
            | Self::Code(_)
            | Self::Name(_)
            | Self::Phone(_)
            | Self::Date(_)
            | Self::Time(_) => true,
            Self::Shuffle { .. }
            | Self::Sequence { .. }
            | Self::Timing(_)
            | Self::TimingList(..)
            | Self::Text(_) => false,
        }
    }
}

impl Field {
    /// # Errors
    /// One line: not exactly one kind, or a kind without sense.
    pub fn new(raw: RawField) -> Result<Self, String> {
        one_kind(&raw)?;
        let (spoken, apart) = (raw.spoken, raw.apart.unwrap_or(0.0));
        let distinct_from: Vec<String> = raw
            .distinct_from
            .iter()
            .map(|name| name.get_ref().clone())
            .collect();
        let kind = Kind::new(raw)?;
        spoken_fits(&kind, spoken)?;
        if !distinct_from.is_empty() && !kind.can_be_distinct() {
            return Err(
                "`distinct-from` belongs to choose, number, code, name, phone, date or time"
                    .to_owned(),
            );
        }
        Ok(Self {
            kind,
            spoken,
            distinct_from,
            apart,
        })
    }

    /// How many values it can take: what a guess is up against.
    #[must_use]
    pub fn choices(&self) -> f64 {
        let places = |pattern: &CodePattern| {
            pattern
                .places
                .iter()
                .map(|place| match place {
                    Place::Of(set) => set.len() as f64,
                    Place::Literal(_) => 1.0,
                })
                .product()
        };
        let ordered =
            |from: usize, take: usize| (0..take).map(|gone| (from - gone) as f64).product();
        match &self.kind {
            Kind::Choose(items) => items.len() as f64,
            Kind::Number(numbers) | Kind::Timing(numbers) => numbers.candidates.len() as f64,
            Kind::NumberList(numbers, count) => ordered(numbers.candidates.len(), *count),
            Kind::TimingList(numbers, count) => {
                (numbers.candidates.len() as f64).powi(i32::try_from(*count).unwrap_or(i32::MAX))
            }
            Kind::Code(pattern) | Kind::Phone(pattern) => places(pattern),
            Kind::Name(person) => (person.given_names().len() * person.surnames().len()) as f64,
            Kind::Date(dates) => dates.days.len() as f64,
            Kind::Time(times) => times.minutes.len() as f64,
            Kind::Shuffle { items, take } => ordered(items.len(), *take),
            Kind::Sequence { items, length } => {
                let more = i32::try_from(length - 1).unwrap_or(i32::MAX);
                items.len() as f64 * ((items.len() - 1) as f64).powi(more)
            }
            Kind::Text(_) => 1.0,
        }
    }

    /// A value of the right shape, to check placeholders with before anything is drawn.
    #[must_use]
    pub fn sample(&self) -> Value {
        match &self.kind {
            Kind::Choose(items) => items.first().cloned().unwrap_or_default(),
            Kind::Number(numbers) | Kind::Timing(numbers) => numbers
                .candidates
                .first()
                .map(|number| number_value(*number))
                .unwrap_or_default(),
            Kind::NumberList(numbers, count) | Kind::TimingList(numbers, count) => numbers
                .candidates
                .iter()
                .cycle()
                .take(*count)
                .map(|number| number_value(*number))
                .collect(),
            Kind::Name(person) => people::name_value(
                person.given_names().first().unwrap_or(&""),
                person.surnames().first().unwrap_or(&""),
            ),
            Kind::Date(dates) => dates
                .days
                .first()
                .map(|day| day.to_string().into())
                .unwrap_or_default(),
            Kind::Time(times) => times
                .minutes
                .first()
                .map(|minutes| calendar::time_text(*minutes).into())
                .unwrap_or_default(),
            Kind::Sequence { items, length } => {
                items.iter().cycle().take(*length).cloned().collect()
            }
            Kind::Code(pattern) | Kind::Phone(pattern) => {
                let sample = |place: &Place| match place {
                    Place::Literal(character) => *character,
                    Place::Of(set) => char::from(set[0]),
                };
                pattern.places.iter().map(sample).collect::<String>().into()
            }
            Kind::Shuffle { items, take } => items.iter().take(*take).cloned().collect(),
            Kind::Text(_) => Value::from("text"),
        }
    }
}

/// A number in JSON: whole numbers stay whole.
#[must_use]
pub fn number_value(number: Decimal) -> Value {
    if number.decimals == 0 {
        number.units.into()
    } else {
        number
            .to_string()
            .parse::<f64>()
            .map_or(Value::Null, Value::from)
    }
}

/// At least two, all different, all of one shape.
fn alternatives(items: Vec<toml::Value>, kind: &str) -> Result<Vec<Value>, String> {
    let items: Vec<Value> = items.into_iter().map(json).collect();
    if items.len() < 2 {
        return Err(format!("`{kind}` needs at least two alternatives"));
    }
    let keys = |item: &Value| {
        item.as_object()
            .map(|table| table.keys().cloned().collect::<Vec<_>>())
    };
    for (index, item) in items.iter().enumerate() {
        if items[..index].contains(item) {
            return Err(format!("`{kind}` has {item} twice"));
        }
        if !(item.is_string() || item.is_number() || item.is_object()) {
            return Err(format!(
                "`{kind}` takes texts, numbers or tables, not {item}"
            ));
        }
        if keys(item).is_some_and(|keys| keys.iter().any(|key| FORMS.contains(&key.as_str()))) {
            return Err(format!(
                "{} are forms of a value: rename that part of {item}",
                FORMS.join(", ")
            ));
        }
        if keys(item) != keys(&items[0]) || item.is_string() != items[0].is_string() {
            return Err(format!(
                "the alternatives of `{kind}` must all have the same parts: compare {item}"
            ));
        }
    }
    Ok(items)
}

fn spoken_fits(kind: &Kind, spoken: Option<Spoken>) -> Result<(), String> {
    let Some(spoken) = spoken else { return Ok(()) };
    let fits = match kind {
        Kind::Number(_) | Kind::NumberList(..) => spoken != Spoken::Groups,
        Kind::Code(_) => matches!(spoken, Spoken::Groups | Spoken::Digits),
        Kind::Choose(_) | Kind::Shuffle { .. } | Kind::Sequence { .. } => true,
        Kind::Name(_)
        | Kind::Phone(_)
        | Kind::Date(_)
        | Kind::Time(_)
        | Kind::Timing(_)
        | Kind::TimingList(..)
        | Kind::Text(_) => false,
    };
    if fits {
        Ok(())
    } else {
        Err("this spoken form does not fit: dollars, plain and digits are for numbers, groups and digits for codes; names, phones, dates and times are said in their own way".to_owned())
    }
}
