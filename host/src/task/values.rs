//! Drawn values and their forms: what a placeholder stands for.

use std::collections::BTreeMap;

use dynacu_numerals::write;
use serde_json::{Map, Value};

use super::manifest::field::calendar::{parse_date, parse_time};
use super::manifest::{Field, Kind, Spoken};
use super::spoken::{self, Decimal, calendar};
use super::template::{Template, ValuePath};

/// The values of one variant together with what the manifest says about them.
#[derive(Debug)]
pub struct Values<'a> {
    fields: &'a BTreeMap<String, Field>,
    drawn: Map<String, Value>,
}

/// A form of a value, asked for by the last part of a placeholder.
enum Form {
    Itself,
    Spoken,
    Written,
    /// Every other alternative of a `choose`, as a list.
    Others,
}

impl<'a> Values<'a> {
    #[must_use]
    pub fn new(fields: &'a BTreeMap<String, Field>) -> Self {
        Self {
            fields,
            drawn: Map::new(),
        }
    }

    pub fn insert(&mut self, field: &str, value: Value) {
        self.drawn.insert(field.to_owned(), value);
    }

    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.drawn.get(field)
    }

    #[must_use]
    pub fn into_json(self) -> Value {
        Value::Object(self.drawn)
    }

    /// What a placeholder stands for, with its JSON type.
    ///
    /// # Errors
    /// One line: no such value, or no such form of it.
    pub fn json(&self, path: &ValuePath) -> Result<Value, String> {
        let (field, value, form, parts) = self.find(path)?;
        match form {
            Form::Itself => Ok(value.clone()),
            Form::Spoken => said(field, value)
                .map(Value::from)
                .map_err(|why| format!("{{{path}}}: {why}")),
            Form::Written => Ok(written(field, value).into()),
            Form::Others => others(field, self.drawn.get(path.field()), parts)
                .ok_or_else(|| format!("{{{path}}}: only a value of `choose` has others")),
        }
    }

    /// What a placeholder stands for inside a sentence.
    ///
    /// # Errors
    /// One line: no such value, or one that is a list or a table.
    pub fn text(&self, path: &ValuePath) -> Result<String, String> {
        let (field, value, form, _) = self.find(path)?;
        match form {
            Form::Itself => scalar(field, value)
                .ok_or_else(|| format!("{{{path}}} is a list or a table: name one part of it")),
            Form::Spoken | Form::Written | Form::Others => match self.json(path)? {
                Value::String(text) => Ok(text),
                _ => Err(format!("{{{path}}} is a list: give it as a whole value")),
            },
        }
    }

    /// A value as it is written and as it is said, for example `("$64", "sixty four dollars")`.
    ///
    /// # Errors
    /// One line: no such value, or no spoken form of it.
    pub fn forms(&self, path: &ValuePath) -> Result<(String, String), String> {
        let (field, value, ..) = self.find(&path.value())?;
        let said = said(field, value).map_err(|why| format!("{{{path}}}: {why}"))?;
        Ok((written(field, value), said))
    }

    /// Fills the strings inside a JSON value. A string that is one placeholder and nothing else becomes the value
    /// itself; with `as_text` only where that is a list or a table.
    ///
    /// # Errors
    /// One line: a placeholder that stands for nothing.
    pub fn fill(&self, value: &Value, as_text: bool) -> Result<Value, String> {
        match value {
            Value::String(text) => {
                let template = Template::parse(text)?;
                if let Some(path) = template.single() {
                    let whole = self.json(path)?;
                    if !as_text || whole.is_array() || whole.is_object() {
                        return Ok(whole);
                    }
                }
                template.fill(|path| self.text(path)).map(Value::from)
            }
            Value::Array(items) => items.iter().map(|item| self.fill(item, as_text)).collect(),
            Value::Object(table) => table
                .iter()
                .map(|(key, item)| Ok((key.clone(), self.fill(item, as_text)?)))
                .collect(),
            other => Ok(other.clone()),
        }
    }

    fn find<'s, 'p>(
        &'s self,
        path: &'p ValuePath,
    ) -> Result<(&'a Field, &'s Value, Form, &'p [String]), String> {
        let unknown = || {
            let known: Vec<&str> = self.fields.keys().map(String::as_str).collect();
            format!(
                "{{{path}}} names no value of [variant]: known are {}",
                known.join(", ")
            )
        };
        let field = self.fields.get(path.field()).ok_or_else(unknown)?;
        let mut value = self.drawn.get(path.field()).ok_or_else(unknown)?;
        let parts = path.segments.get(1..).unwrap_or_default();
        for (depth, part) in parts.iter().enumerate() {
            let inner = match value {
                Value::Object(table) => table.get(part),
                Value::Array(items) => part
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index)),
                _ => None,
            };
            let form = match part.as_str() {
                _ if inner.is_some() || depth + 1 < parts.len() => None,
                "spoken" => Some(Form::Spoken),
                "written" => Some(Form::Written),
                "others" => Some(Form::Others),
                _ => None,
            };
            if let Some(form) = form {
                return Ok((field, value, form, &parts[..depth]));
            }
            value = inner.ok_or_else(|| format!("{{{path}}}: there is no part `{part}`"))?;
        }
        Ok((field, value, Form::Itself, parts))
    }
}

/// A number with the decimals of its field.
fn decimal(field: &Field, value: &Value) -> Option<Decimal> {
    let decimals = if let Kind::Number(numbers) | Kind::NumberList(numbers, _) = &field.kind {
        let first = numbers.candidates.first();
        first.map_or(0, |number| number.decimals)
    } else {
        0
    };
    Some(Decimal::of(value.as_f64()?)?.scaled(decimals))
}

fn scalar(field: &Field, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) => decimal(field, value).map(|number| number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

fn written(field: &Field, value: &Value) -> String {
    let text = scalar(field, value).unwrap_or_default();
    match &field.kind {
        Kind::Date(dates) => {
            if let Some(date) = parse_date(&text) {
                return calendar::date_written(date, dates.year);
            }
        }
        Kind::Time(_) => {
            if let Some(minutes) = parse_time(&text) {
                return calendar::time_written(minutes);
            }
        }
        _ => {}
    }
    match (value, field.spoken) {
        (Value::Number(_), Some(Spoken::Dollars)) => match text.strip_prefix('-') {
            Some(amount) => format!("-${amount}"),
            None => format!("${text}"),
        },
        _ => text,
    }
}

fn said(field: &Field, value: &Value) -> Result<String, String> {
    if let Value::String(text) = value {
        match &field.kind {
            Kind::Date(dates) => {
                let date = parse_date(text).ok_or("this day has no spoken form")?;
                return Ok(calendar::date(date, dates.year));
            }
            Kind::Time(_) => {
                let minutes = parse_time(text).ok_or("this time has no spoken form")?;
                return Ok(calendar::time(minutes));
            }
            Kind::Phone(_) => return Ok(calendar::phone(text)),
            _ => {}
        }
    }
    match (value, field.spoken) {
        (Value::Number(_), Some(style)) => {
            let number = decimal(field, value).ok_or("this number has no spoken form")?;
            Ok(match style {
                Spoken::Dollars => spoken::dollars(number),
                Spoken::Plain => spoken::plain(number),
                Spoken::Digits | Spoken::Groups => write::digits(&number.to_string()),
            })
        }
        (Value::Number(_), None) => Err(
            "no spoken form: give the field spoken = \"plain\", \"dollars\" or \"digits\""
                .to_owned(),
        ),
        (Value::String(text), Some(Spoken::Groups)) => Ok(spoken::groups(text)),
        (Value::String(text), Some(Spoken::Digits)) => Ok(write::digits(text)),
        (Value::String(_), _) if matches!(field.kind, Kind::Code(_)) => {
            Err("no spoken form: give the field spoken = \"groups\"".to_owned())
        }
        (Value::String(text), _) => Ok(text.clone()),
        _ => Err("a list or a table cannot be said: name one part of it".to_owned()),
    }
}

fn others(field: &Field, drawn: Option<&Value>, parts: &[String]) -> Option<Value> {
    let Kind::Choose(items) = &field.kind else {
        return None;
    };
    let part = |item: &Value| {
        parts
            .iter()
            .try_fold(item.clone(), |inner, part| inner.get(part).cloned())
    };
    let own = part(drawn?)?;
    let mut others: Vec<Value> = Vec::new();
    for other in items.iter().filter_map(part) {
        if other != own && !others.contains(&other) {
            others.push(other);
        }
    }
    Some(Value::Array(others))
}
