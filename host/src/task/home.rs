//! Where tasks, page library and bundled plugins lie.

use std::path::{Path, PathBuf};

/// The folders that come with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub root: PathBuf,
    /// A folder per task.
    pub tasks: PathBuf,
    /// Served to every page at `/lib`.
    pub page_lib: PathBuf,
    /// The bundled plugins, built.
    pub plugins_dist: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("DYNACU_HOME is {}, which has no tasks folder: set it to the folder that holds tasks/ and plugins/", .0.display())]
    Wrong(PathBuf),
    #[error(
        "cannot find the tasks: run inside the checkout, or set DYNACU_HOME to the folder that holds tasks/ and plugins/"
    )]
    Missing,
}

/// `$DYNACU_HOME`, else `share/dynacu` beside the program, else the checkout around the current folder or the program.
///
/// # Errors
/// None of them has tasks.
pub fn home() -> Result<Home, HomeError> {
    if let Some(named) = std::env::var_os("DYNACU_HOME").filter(|named| !named.is_empty()) {
        let root = PathBuf::from(named);
        return Home::at(&root).ok_or(HomeError::Wrong(root));
    }
    let program = std::env::current_exe().ok();
    let current = std::env::current_dir().ok();
    installed(program.as_deref())
        .or_else(|| checkout(current.as_deref()))
        .or_else(|| checkout(program.as_deref()))
        .ok_or(HomeError::Missing)
}

impl Home {
    /// The folders under a root, if it has tasks.
    #[must_use]
    pub fn at(root: &Path) -> Option<Self> {
        let tasks = root.join("tasks");
        if !tasks.is_dir() {
            return None;
        }
        // A checkout builds into plugins/dist; an installation has the built files only.
        let built = root.join("plugins").join("dist");
        let plugins_dist = if root.join("wit").is_dir() || built.is_dir() {
            built
        } else {
            root.join("plugins")
        };
        Some(Self {
            root: root.to_owned(),
            page_lib: tasks.join("page-lib"),
            tasks,
            plugins_dist,
        })
    }
}

/// `<prefix>/bin/dynacu-host` with `<prefix>/share/dynacu`, or an unpacked archive with both side by side.
fn installed(program: Option<&Path>) -> Option<Home> {
    let folder = program?.parent()?;
    [Some(folder), folder.parent()]
        .into_iter()
        .flatten()
        .find_map(|prefix| Home::at(&prefix.join("share").join("dynacu")))
}

fn checkout(inside: Option<&Path>) -> Option<Home> {
    inside?
        .ancestors()
        .filter(|folder| folder.join("wit").is_dir())
        .find_map(Home::at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_are_found() {
        let root = tempfile::tempdir().unwrap();
        let folder = |path: &str| {
            let folder = root.path().join(path);
            std::fs::create_dir_all(&folder).unwrap();
            folder
        };
        folder("repo/tasks");
        folder("repo/wit");
        let deep = folder("repo/host/src");
        let home = checkout(Some(&deep)).unwrap();
        assert_eq!(home.plugins_dist, root.path().join("repo/plugins/dist"));

        folder("usr/share/dynacu/tasks");
        folder("usr/share/dynacu/plugins");
        let bin = folder("usr/bin");
        let home = installed(Some(&bin.join("dynacu-host"))).unwrap();
        assert_eq!(
            home.plugins_dist,
            root.path().join("usr/share/dynacu/plugins")
        );
        assert_eq!(installed(Some(&deep)), None);
    }
}
