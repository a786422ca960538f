//! What tokens cost: a dated table that ships with the program and that a user may replace.

use std::path::Path;

use dynacu_record::Usage;
use jiff::civil::Date;
use jiff::{Timestamp, tz};
use serde::Deserialize;
use toml::value::Datetime;

const SHIPPED: &str = include_str!("prices.toml");
const MILLION: f64 = 1_000_000.0;

/// A price table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    #[error("cannot read the price table {file}: {source}")]
    Read {
        file: String,
        source: std::io::Error,
    },
    #[error("{file}, line {line}: {reason}")]
    Parse {
        file: String,
        line: usize,
        reason: String,
    },
    #[error("{file}: the price of {model}: {reason}")]
    Entry {
        file: String,
        model: String,
        reason: &'static str,
    },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    schema: u32,
    date: Datetime,
    #[serde(default)]
    price: Vec<Entry>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    /// For readers: models are found by name alone.
    #[serde(rename = "provider")]
    _provider: String,
    model: String,
    from: Option<Datetime>,
    input: f64,
    cached_input: Option<f64>,
    output: f64,
    #[serde(rename = "read")]
    _read: Datetime,
    #[serde(rename = "source")]
    _source: String,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub input: f64,
    pub cached_input: f64,
    pub output: f64,
}

impl Price {
    /// US dollars.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> f64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let full = usage.input_tokens - cached;
        (full as f64 * self.input
            + cached as f64 * self.cached_input
            + usage.output_tokens as f64 * self.output)
            / MILLION
    }
}

/// The prices in force.
#[derive(Debug, Clone)]
pub struct Prices {
    entries: Vec<Entry>,
    /// The table's own date.
    pub date: String,
    /// SHA-256 of the table.
    pub sha256: String,
}

impl Prices {
    /// A user's table, or the one that ships.
    ///
    /// # Errors
    /// The file cannot be read, or is not such a table.
    pub fn load(file: Option<&Path>) -> Result<Prices, PriceError> {
        let Some(file) = file else {
            return Prices::parse(SHIPPED, "the bundled price table");
        };
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|source| PriceError::Read {
            file: name.clone(),
            source,
        })?;
        Prices::parse(&text, &name)
    }

    fn parse(text: &str, file: &str) -> Result<Prices, PriceError> {
        let table: TableFile = toml::from_str(text).map_err(|error| {
            let begin = error.span().map_or(0, |span| span.start.min(text.len()));
            PriceError::Parse {
                file: file.to_owned(),
                line: text[..begin].matches('\n').count() + 1,
                reason: error.message().replace('\n', ", "),
            }
        })?;
        let fault = |model: &str, reason| PriceError::Entry {
            file: file.to_owned(),
            model: model.to_owned(),
            reason,
        };
        if table.schema != 1 {
            return Err(fault("every model", "this host reads schema = 1"));
        }
        for entry in &table.price {
            let numbers = [Some(entry.input), entry.cached_input, Some(entry.output)];
            if numbers
                .into_iter()
                .flatten()
                .any(|price| !(0.0..1e6).contains(&price))
            {
                return Err(fault(
                    &entry.model,
                    "a price is between 0 and a million dollars",
                ));
            }
            if entry.from.is_some_and(|from| day(&from).is_none()) {
                return Err(fault(
                    &entry.model,
                    "`from` is a date, for example 2026-12-01",
                ));
            }
        }
        Ok(Prices {
            entries: table.price,
            date: table.date.to_string(),
            sha256: dynacu_record::hash(text.as_bytes()),
        })
    }

    /// The price of a model today; none if the table does not name it.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<Price> {
        let today = tz::Offset::UTC.to_datetime(Timestamp::now()).date();
        self.on(model, today)
    }

    /// The same on a day, in UTC.
    fn on(&self, model: &str, today: Date) -> Option<Price> {
        let in_force = |name: &str| {
            self.entries
                .iter()
                .filter(|entry| entry.model == name)
                .map(|entry| {
                    (
                        entry.from.as_ref().and_then(day).unwrap_or(Date::MIN),
                        entry,
                    )
                })
                .filter(|(from, _)| *from <= today)
                .max_by_key(|(from, _)| *from)
                .map(|(_, entry)| Price {
                    input: entry.input,
                    cached_input: entry.cached_input.unwrap_or(entry.input),
                    output: entry.output,
                })
        };
        in_force(model).or_else(|| in_force(without_date(model)?))
    }
}

/// A snapshot's name without its date.
fn without_date(model: &str) -> Option<&str> {
    [9, 11].into_iter().find_map(|length| {
        let at = model.len().checked_sub(length)?;
        let (name, date) = model.split_at_checked(at)?;
        let digits: String = date.chars().filter(char::is_ascii_digit).collect();
        let dashes = date.matches('-').count();
        let fits = date.starts_with('-')
            && digits.len() == 8
            && digits.starts_with("20")
            && digits.len() + dashes == length;
        fits.then_some(name)
    })
}

/// The day of a table's date; none where that is only a time, or no day of the calendar.
fn day(date: &Datetime) -> Option<Date> {
    let date = date.date?;
    let year = i16::try_from(date.year).ok()?;
    let (month, day) = (i8::try_from(date.month).ok()?, i8::try_from(date.day).ok()?);
    Date::new(year, month, day).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> Prices {
        Prices::load(None).unwrap()
    }

    fn on(date: &str) -> Date {
        day(&date.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_price_that_changes_is_the_one_of_the_day() {
        let input = |date| shipped().on("gemini-4-argon", on(date)).unwrap().input;
        assert_eq!(
            [
                input("2026-11-30"),
                input("2026-12-01"),
                input("2027-05-01")
            ],
            [2.0, 4.0, 4.0]
        );
    }

    #[test]
    fn snapshots_have_the_price_of_their_name_and_others_none() {
        let known = |model| shipped().on(model, on("2026-11-30")).is_some();
        assert!(
            known("claude-opus-5-5")
                && known("claude-opus-5-5-20260922")
                && known("gpt-6-astra-2026-10-01")
        );
        for model in [
            "claude-opus-5",
            "claude-opus-5-5-latest",
            "x",
            "",
            "gpt-6-astra-2026-1001",
        ] {
            assert!(!known(model), "{model}");
        }
    }

    #[test]
    fn cached_input_has_its_own_price() {
        let usage = Usage {
            input_tokens: 1_000_000,
            cached_input_tokens: 250_000,
            output_tokens: 100_000,
            ..Usage::default()
        };
        let price = Price {
            input: 4.0,
            cached_input: 0.2,
            output: 20.0,
        };
        assert!((price.of(&usage) - 5.05).abs() < 1e-9);
    }

    #[test]
    fn faults_name_file_and_line() {
        let error = Prices::parse(
            "schema = 1\ndate = 2026-11-30\n[[price]]\nmodle = \"x\"\n",
            "mine.toml",
        )
        .unwrap_err();
        assert!(error.to_string().starts_with("mine.toml, line"), "{error}");
        let bad = "schema = 1\ndate = 2026-11-30\n[[price]]\nprovider = \"x\"\nmodel = \"y\"\ninput = -1\noutput = 1.0\nread = 2026-11-30\nsource = \"z\"\n";
        assert!(
            Prices::parse(bad, "mine.toml")
                .unwrap_err()
                .to_string()
                .contains('y')
        );
        assert!(Prices::load(Some(Path::new("/nowhere.toml"))).is_err());
    }
}
