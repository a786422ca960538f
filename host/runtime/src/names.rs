//! Names that a plugin's author chooses without a manifest: they become folders, words of a command line and words in terminals.

use crate::failure::GuestFailure;
use crate::types::AdapterDescriptor;

/// Bytes of a file's name without its ending, and of a provider's name.
const LONGEST: usize = 64;
/// Bytes of a model's name.
const LONGEST_MODEL: usize = 200;
/// Models that one adapter may list.
const MODELS: usize = 1000;

/// Whether a component's file can lend its name to the plugin: `my-agent-0.1.0` can, `..` cannot.
pub(crate) fn is_stem(stem: &str) -> bool {
    stem.len() <= LONGEST
        && stem.starts_with(|first: char| first.is_ascii_alphanumeric())
        && stem
            .chars()
            .all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one))
}

/// Like `claude-opus-4` or `vendor/model:free`: printable, and more than dots.
fn is_model(name: &str) -> bool {
    name.len() <= LONGEST_MODEL
        && name.chars().all(|one| one.is_ascii_graphic())
        && name.contains(|one: char| one.is_ascii_alphanumeric())
}

/// A provider's name is only shown. `plugin check` tells an author who left it empty.
fn is_provider(name: &str) -> bool {
    name.len() <= LONGEST && !name.contains(|one: char| !one.is_ascii_graphic() && one != ' ')
}

/// What an adapter says about itself, unless a name in it is unfit.
pub(crate) fn described(said: AdapterDescriptor) -> Result<AdapterDescriptor, GuestFailure> {
    let unfit = |what: &str, name: &str, longest| {
        Err(GuestFailure::error(format!(
            "`describe` returned {name:?} as the name of a {what}: use at most {longest} printable ASCII characters, letters or digits among them"
        )))
    };
    if said.models.len() > MODELS {
        return Err(GuestFailure::error(format!(
            "`describe` returned {} models: list at most {MODELS}, the adapter may serve more",
            said.models.len()
        )));
    }
    if !is_provider(&said.provider) {
        return unfit("provider", &said.provider, LONGEST);
    }
    match said.models.iter().find(|name| !is_model(name)) {
        Some(name) => unfit("model", name, LONGEST_MODEL),
        None => Ok(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_would_be_another_folder_is_refused() {
        for fit in ["aoi-audio", "My_Agent-0.1.0", "2nd", "a..b"] {
            assert!(is_stem(fit), "{fit}");
        }
        let long = "x".repeat(65);
        for unfit in [
            "",
            ".",
            "..",
            "...",
            ".hidden",
            "a b",
            "a/b",
            "\u{202e}a",
            &long,
        ] {
            assert!(!is_stem(unfit), "{unfit}");
        }
    }

    #[test]
    fn an_adapter_is_refused_with_names_that_no_model_has() {
        let said = |provider: &str, model: &str| {
            described(AdapterDescriptor {
                provider: provider.to_owned(),
                models: vec!["good".to_owned(), model.to_owned()],
            })
        };
        for model in ["claude-opus-4", "vendor/model:free", "hf.co/a/b@q4_k"] {
            assert!(said("A Vendor", model).is_ok(), "{model}");
        }
        let long = "x".repeat(201);
        for model in ["..", ".", "", "a b", "\u{1b}[2J", "a\u{202e}b", &long] {
            let failure = said("vendor", model).unwrap_err();
            assert!(failure.detail.contains("name of a model"), "{failure}");
            assert!(
                !failure.detail.contains(['\u{1b}', '\u{202e}']),
                "{failure}"
            );
        }
        assert!(said("\u{1b}[2J", "good").is_err());
        let many = AdapterDescriptor {
            provider: String::new(),
            models: vec!["m".to_owned(); 1001],
        };
        assert!(described(many).unwrap_err().detail.contains("1001 models"));
    }
}
