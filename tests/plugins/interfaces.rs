//! A published interface does not change unnoticed: each package's text is pinned by its hash.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dynacu_tests::checkout;

const HEAD: &str =
    "# The SHA-256 of each package's text. wit/README.md says when a line here may change.\n";

fn pins() -> PathBuf {
    checkout().join("wit/published.toml")
}

/// The hash of each package by its full name.
fn texts() -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![checkout().join("wit")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "wit") {
                let text = std::fs::read_to_string(&path)?;
                found.insert(package(&text, &path)?, dynacu_record::hash(text.as_bytes()));
            }
        }
    }
    Ok(found)
}

fn package(text: &str, path: &Path) -> Result<String> {
    let mut lines = text.lines();
    let name = lines.find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
    let name = name.with_context(|| format!("{} names no package", path.display()))?;
    Ok(name.to_owned())
}

#[test]
fn no_published_package_changed_its_text() {
    let texts = texts().unwrap();
    if std::env::var_os("DYNACU_PIN_WIT").is_some() {
        let lines: Vec<String> = texts
            .iter()
            .map(|(name, hash)| format!("\"{name}\" = \"{hash}\"\n"))
            .collect();
        std::fs::write(pins(), format!("{HEAD}{}", lines.concat())).unwrap();
    }
    let pinned: BTreeMap<String, String> =
        toml::from_str(&std::fs::read_to_string(pins()).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for (name, hash) in &pinned {
        match texts.get(name) {
            Some(text) if text == hash => {}
            Some(_) => wrong.push(format!("{name} is not the text that was published")),
            None => wrong.push(format!("{name} is gone")),
        }
    }
    let new = texts.keys().filter(|name| !pinned.contains_key(*name));
    wrong.extend(new.map(|name| format!("{name} is not pinned yet")));
    assert!(
        wrong.is_empty(),
        "{}.\nComponents that others built have to go on loading. If only comments changed, or something was added that old \
         components do not see, say so in wit/CHANGELOG.md and pin the text anew: DYNACU_PIN_WIT=1 cargo nextest run \
         --workspace -E 'test(no_published_package)'. Anything else is a new version beside the old one: see wit/README.md.",
        wrong.join(", ")
    );
}
