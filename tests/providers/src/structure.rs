//! Whether a body has the fields, types and words that the provider's own SDK gives it.
//!
//! The schemas in `schemas/` are made from the SDKs; what they cannot say (what has to follow what, what was issued, sizes,
//! which model takes which field) is checked by each protocol afterwards.

mod finding;

use jsonschema::Validator;
use serde_json::Value;

use crate::exchange::shortened;
use crate::problem::{At, Checked, Problem};
use crate::server::ServerError;

/// A vendored schema, ready to be used.
pub(crate) struct Structure(Validator);

impl Structure {
    /// # Errors
    /// When the text is no schema.
    pub(crate) fn of(text: &str) -> Result<Self, ServerError> {
        Self::changed(text, |_| ())
    }

    /// A schema that differs from the vendored one, for a server or a version of which there is no SDK.
    ///
    /// # Errors
    /// When the text is no schema.
    pub(crate) fn changed(
        text: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<Self, ServerError> {
        let unusable = |why: String| ServerError::Schema(why);
        let mut schema = serde_json::from_str(text).map_err(|why| unusable(why.to_string()))?;
        change(&mut schema);
        let validator =
            jsonschema::draft202012::new(&schema).map_err(|why| unusable(why.to_string()))?;
        Ok(Self(validator))
    }

    /// Says what is wrong with a body, at its place.
    pub(crate) fn check(&self, body: &Value) -> Checked<()> {
        // Errors hold copies of the values that they are about; those need no pictures.
        let body = shortened(body);
        let errors: Vec<_> = self.0.iter_errors(&body).collect();
        match finding::first(&errors) {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }
}

/// Whether a value is a JSON Schema; `at` is its place in the body.
pub(crate) fn check_schema(value: &Value, at: &At) -> Checked<()> {
    let rules = jsonschema::draft202012::meta::validator();
    let errors: Vec<_> = rules.iter_errors(value).collect();
    match finding::first(&errors) {
        Some(Problem::Invalid { at: inside, fault }) => Err(Problem::Invalid {
            at: at.join(&inside),
            fault,
        }),
        Some(other) => Err(other),
        None => Ok(()),
    }
}

/// The words that a field of the schema's root may have, where it has any word but names some: the models that an SDK knows.
#[cfg(test)]
pub(crate) fn known_words(text: &str, field: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(text).unwrap();
    let choices = schema["properties"][field]["anyOf"].as_array().unwrap();
    let words = choices
        .iter()
        .filter_map(|choice| choice["enum"].as_array());
    words
        .flatten()
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}
