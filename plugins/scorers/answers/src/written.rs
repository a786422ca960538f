//! A value as text, whether the settings or the page hold it as text or as a number.

use serde::Deserialize;

/// The text of a JSON string, number or boolean.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(from = "Scalar")]
pub struct Written(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Whole(i64),
    Decimal(f64),
    Flag(bool),
}

impl From<Scalar> for Written {
    fn from(scalar: Scalar) -> Self {
        Self(match scalar {
            Scalar::Text(text) => text,
            Scalar::Whole(number) => number.to_string(),
            Scalar::Decimal(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
        })
    }
}
