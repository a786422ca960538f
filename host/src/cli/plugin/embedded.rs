//! The files that new projects are made of. They are in the program, so that a project begins anywhere.

/// A file's place in the project and its text, with `{{…}}` to be filled.
pub(super) type File = (&'static str, &'static str);

macro_rules! files {
    ($from:literal, $($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!($from, $name)))),+] };
}

/// The interfaces, under `vendor/wit`.
pub(super) const WIT: &[File] = files!(
    "../../../../wit/",
    "worlds.wit",
    "deps/assist/assist.wit",
    "deps/environment/environment.wit",
    "deps/host/host.wit",
    "deps/model/model.wit",
    "deps/policy/policy.wit",
    "deps/scoring/scoring.wit",
);

/// The SDK's sources without their tests, under `vendor/sdk/rust`.
pub(super) const SDK: &[File] = files!(
    "../../../../sdk/rust/",
    "src/actions.rs",
    "src/bindings.rs",
    "src/blobs.rs",
    "src/builders.rs",
    "src/dynacu_sdk.rs",
    "src/export.rs",
    "src/failure.rs",
    "src/http.rs",
    "src/http/json.rs",
    "src/ids.rs",
    "src/logging.rs",
    "src/model.rs",
    "src/policy.rs",
    "src/record_text.rs",
    "src/request.rs",
    "src/scoring.rs",
    "src/session.rs",
    "src/settings.rs",
    "src/step_policy.rs",
    "src/time.rs",
    "src/tools.rs",
    "src/tools/arguments.rs",
    "src/tools/read.rs",
    "src/tools/shape.rs",
    "src/tools/text.rs",
);

/// The vocabulary, which the SDK is built on, under `vendor/sdk/vocabulary`. It takes nothing from a workspace, so its
/// package file is the one that it has here, without [`MEMBERSHIP`].
pub(super) const VOCABULARY: &[File] = files!(
    "../../../../sdk/vocabulary/",
    "Cargo.toml",
    "src/action.rs",
    "src/brief.rs",
    "src/channel.rs",
    "src/conversions.rs",
    "src/dynacu_vocabulary.rs",
    "src/geometry.rs",
    "src/image.rs",
    "src/kind.rs",
    "src/sound.rs",
);

/// The line by which the vocabulary belongs to the guests' workspace here.
pub(super) const MEMBERSHIP: &str = "workspace = \"../../plugins\"\n";

/// What the SDK's package file is outside of this repository.
pub(super) const SDK_PACKAGE: &str = include_str!("templates/rust/sdk.Cargo.toml");

pub(super) const README: &str = include_str!("templates/README.md");

pub(super) const RUST: &[File] = &[
    ("Cargo.toml", include_str!("templates/rust/package.toml")),
    (".gitignore", "/target\n"),
];
pub(super) const RUST_POLICY: &[File] =
    files!("templates/rust/policy/", "src/lib.rs", "plugin.toml");
pub(super) const RUST_ADAPTER: &[File] =
    files!("templates/rust/model-adapter/", "src/lib.rs", "plugin.toml");
pub(super) const RUST_SCORER: &[File] =
    files!("templates/rust/scorer/", "src/lib.rs", "plugin.toml");

pub(super) const PYTHON: &[File] = &[
    ("build.sh", include_str!("templates/python/build.sh")),
    (".gitignore", "/.tools\n/*.wasm\n__pycache__\n"),
];
pub(super) const PYTHON_POLICY: &[File] =
    files!("templates/python/policy/", "app.py", "plugin.toml");
pub(super) const PYTHON_ADAPTER: &[File] =
    files!("templates/python/model-adapter/", "app.py", "plugin.toml");
pub(super) const PYTHON_SCORER: &[File] =
    files!("templates/python/scorer/", "app.py", "plugin.toml");

pub(super) const JAVASCRIPT: &[File] = &[
    (
        "package.json",
        include_str!("templates/javascript/package.json"),
    ),
    (".gitignore", "/node_modules\n/*.wasm\n"),
];
pub(super) const JAVASCRIPT_POLICY: &[File] = files!(
    "templates/javascript/policy/",
    "src/plugin.js",
    "src/tools.js",
    "plugin.toml",
);
pub(super) const JAVASCRIPT_ADAPTER: &[File] = files!(
    "templates/javascript/model-adapter/",
    "src/plugin.js",
    "plugin.toml",
);
pub(super) const JAVASCRIPT_SCORER: &[File] = files!(
    "templates/javascript/scorer/",
    "src/plugin.js",
    "plugin.toml",
);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use dynacu_vocabulary::ActionKind;

    use super::*;

    fn checkout() -> PathBuf {
        Path::new(concat!(env!("DYNACU_CHECKOUT"), "/host")).join("..")
    }

    fn below(folder: &Path, ending: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(inside) = folders.pop() {
            for entry in std::fs::read_dir(inside).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_string_lossy().ends_with(ending) {
                    let name = path.strip_prefix(folder).unwrap();
                    found.insert(name.to_string_lossy().into_owned());
                }
            }
        }
        found
    }

    #[test]
    fn every_interface_and_every_source_of_the_sdk_is_in_the_program() {
        let named = |files: &[File]| -> BTreeSet<String> {
            files.iter().map(|(name, _)| (*name).to_owned()).collect()
        };
        assert_eq!(named(WIT), below(&checkout().join("wit"), ".wit"));
        let mut sources = below(&checkout().join("sdk/rust"), ".rs");
        sources.retain(|name| name.starts_with("src/") && !name.ends_with("tests.rs"));
        assert_eq!(named(SDK), sources);
        let mut sources = below(&checkout().join("sdk/vocabulary"), ".rs");
        sources.insert("Cargo.toml".to_owned());
        assert_eq!(named(VOCABULARY), sources);
    }

    #[test]
    fn the_sdk_outside_asks_for_the_versions_that_it_is_built_with_here() {
        let read = |path: &str| -> toml::Table {
            toml::from_str(&std::fs::read_to_string(checkout().join(path)).unwrap()).unwrap()
        };
        let workspace = read("plugins/Cargo.toml");
        let here = read("sdk/rust/Cargo.toml");
        let outside: toml::Table = toml::from_str(SDK_PACKAGE).unwrap();
        let names = |table: &toml::Table| -> BTreeSet<String> {
            let dependencies = table["dependencies"].as_table().unwrap();
            dependencies.keys().cloned().collect()
        };
        assert_eq!(names(&here), names(&outside));
        let path = |dependency: &toml::Value| dependency.get("path").is_some();
        for name in names(&outside) {
            let wanted = &workspace["workspace"]["dependencies"][&name];
            let found = &outside["dependencies"][&name];
            // What lies beside the SDK does so in both places, at another path.
            assert!(found == wanted || path(found) && path(wanted), "{name}");
        }
    }

    #[test]
    fn templates_offer_and_read_every_kind_of_action() {
        let text = |files: &[File], name: &str| {
            let (_, text) = files.iter().find(|(file, _)| *file == name).unwrap();
            (*text).to_owned()
        };
        let python = text(PYTHON_POLICY, "app.py");
        let javascript = text(JAVASCRIPT_POLICY, "src/tools.js");
        for kind in ActionKind::ALL {
            for (text, offered, read) in [
                (
                    &python,
                    format!("tool(\"{kind}\""),
                    format!("call.name == \"{kind}\""),
                ),
                (
                    &javascript,
                    format!("  [\"{kind}\","),
                    format!("case \"{kind}\":"),
                ),
            ] {
                assert!(text.contains(&offered), "no {offered}");
                assert!(text.contains(&read), "no {read}");
            }
        }
    }
}
