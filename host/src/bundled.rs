//! Finding plugins: by file, by the name of one that comes with the program, or by what a task says of its scorer.

use std::path::{Path, PathBuf};

use crate::task::catalogue::Task;
use crate::task::home::Home;
use crate::task::manifest::OWN_SCORER;

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

/// A task's scorer: a shared one, or its own. Loading says where a task's own one is missing.
pub fn scorer(home: &Home, task: &Task) -> Result<PathBuf, PluginNotFound> {
    match task.manifest.scorer.plugin.as_str() {
        OWN_SCORER => Ok(task.folder.join("scorer.wasm")),
        shared => bundled(home, shared),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::manifest::tests::manifest;

    fn home(root: &Path) -> Home {
        Home {
            root: root.to_owned(),
            tasks: root.join("tasks"),
            page_lib: root.join("tasks/page-lib"),
            plugins_dist: root.join("plugins/dist"),
        }
    }

    #[test]
    fn a_task_has_a_shared_scorer_or_one_in_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let home = home(root.path());
        std::fs::create_dir_all(&home.plugins_dist).unwrap();
        let shared = home.plugins_dist.join("typed-answer.wasm");
        std::fs::write(&shared, "").unwrap();
        let mut task = Task {
            folder: home.tasks.join("A-E1-podcast-price"),
            manifest: manifest(),
        };
        assert_eq!(scorer(&home, &task).unwrap(), shared);
        task.manifest.scorer.plugin = "no-such".to_owned();
        let error = scorer(&home, &task).unwrap_err().to_string();
        assert!(error.contains("typed-answer"), "{error}");
        task.manifest.scorer.plugin = OWN_SCORER.to_owned();
        assert_eq!(
            scorer(&home, &task).unwrap(),
            task.folder.join("scorer.wasm")
        );
    }

    #[test]
    fn a_path_is_handed_on_even_where_nothing_is() {
        let root = tempfile::tempdir().unwrap();
        let home = home(root.path());
        for path in ["./mine", "mine.wasm", "/nowhere/mine.wasm"] {
            assert_eq!(find(&home, path).unwrap(), Path::new(path));
        }
        let error = find(&home, "mine").unwrap_err().to_string();
        assert!(error.contains("run `make guests`"), "{error}");
    }
}
