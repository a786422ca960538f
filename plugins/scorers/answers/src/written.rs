//! A value as text, whether the settings or the page hold it as text, as a number or as a list.

use serde::Deserialize;

/// The text of a JSON string, number or boolean; of a list, one item a line.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(from = "Value")]
pub struct Written(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Whole(i64),
    Decimal(f64),
    Flag(bool),
    List(Vec<Written>),
}

impl From<Value> for Written {
    fn from(scalar: Value) -> Self {
        Self(match scalar {
            Value::Text(text) => text,
            Value::Whole(number) => number.to_string(),
            Value::Decimal(number) => number.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::List(items) => {
                let items: Vec<String> = items.into_iter().map(|Written(text)| text).collect();
                items.join("\n")
            }
        })
    }
}
