//! How a single value is spelled: the same on the command line, in a run's file and in its record. Each type checks itself,
//! so an error names the flag, or the file and the line.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser, ValueParserFactory};
use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the format of settings, in files and records.
pub const SCHEMA: u32 = 1;

/// One of a few things that have names.
pub trait Named: Copy + Send + Sync + 'static {
    /// In the order in which `--help` lists them.
    const ALL: &'static [Self];

    fn name(self) -> &'static str;

    /// What has this name.
    fn named(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == text)
    }
}

/// What is spelled by its name. `--help` lists the names, and so does the error of a wrong one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<T>(pub T);

fn names<T: Named>() -> Vec<&'static str> {
    T::ALL.iter().map(|one| one.name()).collect()
}

fn parse<T: Named>(text: &str) -> Result<Name<T>, String> {
    T::named(text)
        .map(Name)
        .ok_or_else(|| format!("there is no `{text}`: use {}", names::<T>().join(", ")))
}

impl<T: Named> ValueParserFactory for Name<T> {
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        PossibleValuesParser::new(names::<T>())
            .try_map(|text| parse::<T>(&text))
            .into()
    }
}

impl<T: Named> Serialize for Name<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: Named> Deserialize<'de> for Name<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse(&String::deserialize(deserializer)?).map_err(Error::custom)
    }
}

/// A number that is within its bounds wherever it came from; `text` takes away what may stand around it.
macro_rules! bounded {
    ($(#[$about:meta])* $name:ident($number:ty), $text:expr, $holds:expr, $must:literal) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
        pub struct $name($number);

        impl $name {
            pub fn checked(number: $number) -> Result<Self, &'static str> {
                let holds: fn(&$number) -> bool = $holds;
                if holds(&number) { Ok(Self(number)) } else { Err($must) }
            }

            #[must_use]
            pub fn get(self) -> $number {
                self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = &'static str;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let text: &str = $text(text);
                Self::checked(text.parse().map_err(|_| $must)?)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let number = <$number as serde::Deserialize>::deserialize(from)?;
                Self::checked(number).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(super) use bounded;

bounded!(
    /// Seconds between two observations.
    Pace(f64), str::trim, |seconds| (0.0..=60.0).contains(seconds), "must be from 0 to 60 seconds"
);
bounded!(
    /// Frames captured a second.
    Fps(f64), str::trim, |fps| (0.5..=10.0).contains(fps), "must be from 0.5 to 10"
);
bounded!(
    /// Attempts at a task.
    Trials(u32), str::trim, |&count| count >= 1, "must be a whole number, at least 1"
);
bounded!(
    /// Seconds that a page gives.
    TimeLimit(u64), str::trim, |seconds| (1..=3600).contains(seconds), "must be from 1 to 3600 seconds"
);

bounded!(
    /// Observations that a policy may take on a page.
    StepLimit(u32), str::trim, |steps| (1..=10_000).contains(steps), "must be a whole number from 1 to 10000"
);

impl Pace {
    pub const DEFAULT: Self = Self(super::DEFAULT_PACE_MS as f64 / 1000.0);
}

impl Fps {
    pub const DEFAULT: Self = Self(super::DEFAULT_FPS as f64);
}

impl Trials {
    pub const DEFAULT: Self = Self(1);
}

impl TimeLimit {
    pub const DEFAULT: Self = Self(120);
}

impl StepLimit {
    pub const DEFAULT: Self = Self(100);
}

/// A value that a file may hold as a number, or as the text that the command line takes.
pub fn number_or_text<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    struct Either<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for Either<T> {
        type Value = Option<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a whole number or a text")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
            text.parse().map(Some).map_err(E::custom)
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
            self.visit_str(&number.to_string())
        }

        /// How JSON says that there is none.
        fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }
    }

    deserializer.deserialize_any(Either(PhantomData))
}

/// A list that a file may write without its brackets where it has one item.
pub fn one_or_more<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct List<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a text or a list of texts")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
            T::deserialize(StrDeserializer::new(text)).map(|one| vec![one])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(list))
        }
    }

    deserializer.deserialize_any(List(PhantomData))
}
