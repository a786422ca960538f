//! Finding plugins: by file, or by the name of one that comes with the program.

use std::path::{Path, PathBuf};

use crate::task::home::Home;

#[derive(Debug, thiserror::Error)]
pub enum PluginNotFound {
    #[error("there is no file {} and no bundled plugin of that name (there are {known})", .name)]
    Nothing { name: String, known: String },
    #[error("no plugin is built yet in {}: run `make guests`", .0.display())]
    NotBuilt(PathBuf),
}

/// A plugin as `--plugin` names it: a path to a `.wasm`, or a bundled name. Loading says what is wrong with a path.
pub fn find(home: &Home, name: &str) -> Result<PathBuf, PluginNotFound> {
    let file = Path::new(name);
    if file.is_file() || is_path(name) {
        return Ok(file.to_owned());
    }
    match bundled(home, name) {
        // A project's folder, most likely.
        Err(_) if file.exists() => Ok(file.to_owned()),
        found => found,
    }
}

/// Whether a path was meant, whatever is there. No bundled plugin is named like one.
pub fn is_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".wasm")
}

/// A plugin that comes with the program.
pub fn bundled(home: &Home, name: &str) -> Result<PathBuf, PluginNotFound> {
    let path = home.plugins_dist.join(format!("{name}.wasm"));
    if path.is_file() {
        return Ok(path);
    }
    let known = known(home);
    if known.is_empty() {
        return Err(PluginNotFound::NotBuilt(home.plugins_dist.clone()));
    }
    Err(PluginNotFound::Nothing {
        name: name.to_owned(),
        known: known.join(", "),
    })
}

fn known(home: &Home) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(&home.plugins_dist)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some(
                entry
                    .file_name()
                    .to_str()?
                    .strip_suffix(".wasm")?
                    .to_owned(),
            )
        })
        .collect();
    names.sort();
    names
}
