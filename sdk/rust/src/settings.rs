//! A plugin's table of the run configuration, as its own type.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The settings of a plugin that has none: a key in its table is a mistake, and said to be one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

/// Reads settings from the JSON that the host passes; no text at all is an empty table. The export macros do this before
/// they call the plugin; a test of a settings type can do the same.
///
/// ```
/// #[derive(Debug, serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Settings {
///     patience: u32,
/// }
///
/// let settings: Settings = dynacu_sdk::settings::parse(r#"{"patience": 3}"#).unwrap();
/// assert_eq!(settings.patience, 3);
/// let error = dynacu_sdk::settings::parse::<Settings>(r#"{"patience": "long"}"#).unwrap_err();
/// assert!(error.starts_with("`patience`: "));
/// ```
///
/// # Errors
///
/// A sentence that names the key.
pub fn parse<S: DeserializeOwned>(json: &str) -> Result<S, String> {
    let table = match json.trim() {
        "" | "null" => Value::Object(serde_json::Map::new()),
        json => serde_json::from_str(json).map_err(|error| error.to_string())?,
    };
    from_value(table)
}

/// Errors name places in the table and not in the JSON: it was written as TOML.
pub(crate) fn from_value<S: DeserializeOwned>(table: Value) -> Result<S, String> {
    serde_path_to_error::deserialize(table).map_err(|error| {
        let key = error.path().to_string();
        let reason = error.into_inner().to_string();
        if key == "." || reason.contains(&format!("`{key}`")) {
            reason
        } else {
            format!("`{key}`: {reason}")
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Settings {
        image_side: u32,
        #[serde(default)]
        labels: BTreeMap<String, Vec<u8>>,
    }

    #[test]
    fn what_does_not_fit_is_named_by_its_key() {
        for (json, wanted) in [
            (r#"{"image-side": "wide"}"#, "`image-side`: invalid type"),
            (r#"{"image-side": -1}"#, "`image-side`: invalid value"),
            (r#"{"image-sid": 1}"#, "unknown field `image-sid`"),
            ("", "missing field `image-side`"),
            (
                r#"{"image-side": 1, "labels": {"a": [1, 300]}}"#,
                "`labels.a[1]`: invalid value",
            ),
        ] {
            let error = parse::<Settings>(json).unwrap_err();
            assert!(error.starts_with(wanted), "{json}: {error}");
        }
    }

    #[test]
    fn no_table_is_an_empty_one_and_no_settings_refuse_a_key() {
        for empty in ["", "null", "{}"] {
            assert_eq!(parse(empty), Ok(NoSettings {}));
        }
        assert!(parse::<NoSettings>(r#"{"seed": 1}"#).is_err());
    }
}
