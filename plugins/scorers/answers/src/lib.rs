//! What counts as the right answer. A type accepts every way in which a person would write or say its value, and
//! nothing else: no neighbouring value, no list of candidates, no other unit.
//!
//! One file a type, and one table of accepted and rejected forms a type in `tests/forms/`.

mod amount;
mod code;
mod currency;
mod date;
mod decimal;
mod digits;
mod duration;
mod list;
mod money;
mod name;
mod number;
mod percent;
mod phone;
mod pieces;
mod text;
mod time;
mod tokens;
mod words;
mod written;

use serde::Deserialize;

use list::Order;

pub use decimal::Decimal;
pub use words::words;
pub use written::Written;

/// The type of an answer.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Free words, compared without case, accents and outer punctuation.
    Text,
    /// A bare number.
    Number,
    /// An amount of money; dollars where the expected value names no currency.
    Money,
    /// A share of a hundred.
    Percent,
    /// A day of a year.
    Date,
    /// A time of day.
    Time,
    /// A length of time, with its unit.
    Duration,
    /// A phone number.
    Phone,
    /// A code of letters and digits, whose groups may be joined by spaces or hyphens.
    Code,
    /// The name of a person, a place or a thing.
    Name,
    /// Several items in any order.
    List,
    /// Several items in the order asked for.
    OrderedList,
}

impl Kind {
    /// The word of the task's settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Money => "money",
            Self::Percent => "percent",
            Self::Date => "date",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Phone => "phone",
            Self::Code => "code",
            Self::Name => "name",
            Self::List => "list",
            Self::OrderedList => "ordered-list",
        }
    }
}

/// What an utterance says about the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nothing of the answer's type; it commits to nothing.
    Nothing,
    /// The right answer and no other.
    Right,
    /// A wrong answer, or several.
    Wrong,
}

/// The task's own value is not of the type that it declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadExpected {
    /// The declared type.
    pub kind: Kind,
    /// The value.
    pub expected: String,
}

impl std::fmt::Display for BadExpected {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "the expected value {:?} is no {}",
            self.expected,
            self.kind.as_str()
        )
    }
}

impl std::error::Error for BadExpected {}

impl Kind {
    /// Whether something typed is the expected value.
    ///
    /// # Errors
    ///
    /// [`BadExpected`] when the expected value is not of this type.
    pub fn accepts(self, expected: &str, typed: &str) -> Result<bool, BadExpected> {
        let verdict = match self {
            Self::Text => text::accepts(expected, typed),
            Self::Number => number::accepts(expected, typed),
            Self::Money => money::accepts(expected, typed),
            Self::Percent => percent::accepts(expected, typed),
            Self::Date => date::accepts(expected, typed),
            Self::Time => time::accepts(expected, typed),
            Self::Duration => duration::accepts(expected, typed),
            Self::Phone => phone::accepts(expected, typed),
            Self::Code => code::accepts(expected, typed),
            Self::Name => name::accepts(expected, typed),
            Self::List => list::accepts(Order::Any, expected, typed),
            Self::OrderedList => list::accepts(Order::Given, expected, typed),
        };
        verdict.ok_or_else(|| self.bad(expected))
    }

    /// What a recognised utterance says. With a second candidate, an `or` or a denial beside it, an answer is none.
    /// `others` are the other possible answers of the task, for text, names and lists; the other types recognise any
    /// entity of their type and need none.
    ///
    /// # Errors
    ///
    /// [`BadExpected`] when the expected value is not of this type.
    pub fn hears(
        self,
        expected: &str,
        others: &[String],
        utterance: &str,
    ) -> Result<Heard, BadExpected> {
        let said = self.said(expected, others, utterance)?;
        Ok(if said.is_empty() {
            Heard::Nothing
        } else if said.iter().all(|right| *right) && !words::hedged(utterance) {
            Heard::Right
        } else {
            Heard::Wrong
        })
    }

    /// Whether a longer text holds the expected value somewhere.
    ///
    /// # Errors
    ///
    /// [`BadExpected`] when the expected value is not of this type.
    pub fn mentions(self, expected: &str, text: &str) -> Result<bool, BadExpected> {
        Ok(self.said(expected, &[], text)?.contains(&true))
    }

    /// Whether each entity of this type in a text is the expected one.
    fn said(self, expected: &str, others: &[String], text: &str) -> Result<Vec<bool>, BadExpected> {
        let said = match self {
            Self::Text | Self::Name => name::said(expected, others, text),
            Self::Number => number::said(expected, text),
            Self::Money => money::said(expected, text),
            Self::Percent => percent::said(expected, text),
            Self::Date => date::said(expected, text),
            Self::Time => time::said(expected, text),
            Self::Duration => duration::said(expected, text),
            Self::Phone => phone::said(expected, text),
            Self::Code => code::said(expected, text),
            Self::List => list::said(Order::Any, expected, others, text),
            Self::OrderedList => list::said(Order::Given, expected, others, text),
        };
        said.ok_or_else(|| self.bad(expected))
    }

    /// Whether people pause inside a spoken answer of this type, so that it may be recognised in parts.
    pub fn said_in_groups(self) -> bool {
        matches!(
            self,
            Self::Phone | Self::Code | Self::List | Self::OrderedList
        )
    }

    fn bad(self, expected: &str) -> BadExpected {
        BadExpected {
            kind: self,
            expected: expected.to_owned(),
        }
    }
}

/// The number that a piece of text is, in digits: `sixty-four`, `64` and `$64` are all `64`. None where the text is
/// no single number.
pub fn digits(text: &str) -> Option<String> {
    number::bare(text)
        .or_else(|| money::bare(text))
        .map(|value| value.to_string())
}
