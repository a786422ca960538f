//! The set of tasks: found by folder name, read when asked for.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::home::Home;
use super::manifest::{Manifest, ManifestError, Tier};

/// A task folder with its checked manifest.
#[derive(Debug, Clone)]
pub struct Task {
    pub folder: PathBuf,
    pub manifest: Manifest,
}

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("cannot list the tasks in {}: {source}; set DYNACU_HOME to the folder that holds tasks/", folder.display())]
    Unreadable {
        folder: PathBuf,
        source: std::io::Error,
    },
    #[error("there is no task `{name}`{near}; `dynacu-host tasks list` shows all")]
    Unknown { name: String, near: String },
    #[error("no task fits the filters: `dynacu-host tasks list` shows category and tier of each")]
    NothingSelected,
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("two folders hold the task {id}: remove {}", folder.display())]
    Twice { id: String, folder: PathBuf },
}

/// Which tasks are wanted; an empty list means all.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Ids or folder names.
    pub tasks: Vec<String>,
    pub categories: Vec<char>,
    pub tiers: Vec<Tier>,
}

/// Folders `<id>-<slug>` with a `task.toml`, in the order of category, tier, number.
#[derive(Debug, Clone)]
pub struct Catalogue {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    id: String,
    name: String,
    folder: PathBuf,
}

impl Catalogue {
    /// Lists the folders; no manifest is read yet, so that one broken task stops only those who want it.
    ///
    /// # Errors
    /// The folder cannot be read, or holds an id twice.
    pub fn open(home: &Home) -> Result<Self, CatalogueError> {
        let unreadable = |source| CatalogueError::Unreadable {
            folder: home.tasks.clone(),
            source,
        };
        let mut entries = Vec::new();
        for item in std::fs::read_dir(&home.tasks).map_err(unreadable)? {
            let item = item.map_err(unreadable)?;
            let (name, folder) = (item.file_name().to_string_lossy().into_owned(), item.path());
            if let Some(id) = id_of(&name).filter(|_| folder.join("task.toml").is_file()) {
                entries.push(Entry {
                    id: id.to_owned(),
                    name,
                    folder,
                });
            }
        }
        entries.sort_by_key(|entry| (rank(&entry.id), entry.name.clone()));
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(CatalogueError::Twice {
                id: pair[1].id.clone(),
                folder: pair[1].folder.clone(),
            });
        }
        Ok(Self { entries })
    }

    /// The ids of all tasks.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.id.as_str())
    }

    /// Reads one task, named by id (`A-E1`) or folder (`A-E1-podcast-price`).
    ///
    /// # Errors
    /// There is none of that name (near ones are suggested), or its manifest is broken.
    pub fn get(&self, name: &str) -> Result<Task, CatalogueError> {
        let entry = self
            .entries
            .iter()
            .find(|entry| {
                entry.id.eq_ignore_ascii_case(name) || entry.name.eq_ignore_ascii_case(name)
            })
            .ok_or_else(|| CatalogueError::Unknown {
                name: name.to_owned(),
                near: self.near(name),
            })?;
        read(entry)
    }

    /// Reads the tasks that pass every filter, in the catalogue's order.
    ///
    /// # Errors
    /// An unknown name, nothing that fits, a broken manifest.
    pub fn select(&self, filters: &Filters) -> Result<Vec<Task>, CatalogueError> {
        let mut named = BTreeSet::new();
        for name in &filters.tasks {
            named.insert(self.get(name)?.manifest.id);
        }
        let mut tasks = Vec::new();
        for entry in &self.entries {
            let mut letters = entry.id.chars();
            let (category, tier) = (
                letters.next().unwrap_or_default(),
                letters.nth(1).unwrap_or_default(),
            );
            let fits = (filters.tasks.is_empty() || named.contains(&entry.id))
                && (filters.categories.is_empty() || filters.categories.contains(&category))
                && (filters.tiers.is_empty()
                    || filters.tiers.iter().any(|wanted| wanted.letter() == tier));
            if fits {
                tasks.push(read(entry)?);
            }
        }
        if tasks.is_empty() {
            Err(CatalogueError::NothingSelected)
        } else {
            Ok(tasks)
        }
    }

    /// " (did you mean …?)", or nothing.
    fn near(&self, name: &str) -> String {
        let wanted = name.to_ascii_lowercase();
        let mut scored: Vec<(usize, &Entry)> = self
            .entries
            .iter()
            .filter_map(|entry| {
                let (id, folder) = (
                    entry.id.to_ascii_lowercase(),
                    entry.name.to_ascii_lowercase(),
                );
                let distance = edits(&wanted, &id).min(edits(&wanted, &folder));
                let inside = wanted.len() >= 3 && folder.contains(&wanted);
                (distance <= 1 + wanted.len() / 8 || inside).then_some((distance, entry))
            })
            .collect();
        scored.sort_by_key(|(distance, _)| *distance);
        let names: Vec<&str> = scored
            .iter()
            .take(3)
            .map(|(_, entry)| entry.name.as_str())
            .collect();
        if names.is_empty() {
            String::new()
        } else {
            format!(" (did you mean {}?)", names.join(", "))
        }
    }
}

fn read(entry: &Entry) -> Result<Task, CatalogueError> {
    Ok(Task {
        folder: entry.folder.clone(),
        manifest: Manifest::load(&entry.folder)?,
    })
}

/// `A-E1` of `A-E1-podcast-price`.
fn id_of(folder: &str) -> Option<&str> {
    let mut parts = folder.splitn(3, '-');
    let (category, rest) = (parts.next()?, parts.next()?);
    parts.next()?;
    let fits = category.len() == 1
        && category.starts_with(|letter| ('A'..='J').contains(&letter))
        && rest.starts_with(['E', 'M', 'H'])
        && rest.len() > 1
        && rest.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    fits.then(|| &folder[..category.len() + 1 + rest.len()])
}

fn rank(id: &str) -> (String, usize, u32) {
    let (category, rest) = id.split_once('-').unwrap_or((id, ""));
    let tier = rest
        .chars()
        .next()
        .and_then(|letter| "EMH".find(letter))
        .unwrap_or(3);
    (
        category.to_owned(),
        tier,
        rest.get(1..)
            .and_then(|number| number.parse().ok())
            .unwrap_or(0),
    )
}

/// How many letters must be put in, taken out or changed.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..to.len() {
            let changed = diagonal + usize::from(letter != to[column]);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

impl Task {
    /// SHA-256 over the task: see [`digest`].
    ///
    /// # Errors
    /// A file of the folder cannot be read.
    pub fn digest(&self) -> std::io::Result<String> {
        digest(&self.folder)
    }
}

/// SHA-256 over the names and contents of the files below a folder, in hexadecimal. What decides about no episode is left out: hidden
/// files, which are not served, READMEs and tests (`*.test.js`, a folder `tests`).
///
/// # Errors
/// A file cannot be read.
pub fn digest(folder: &Path) -> std::io::Result<String> {
    let mut files = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for item in std::fs::read_dir(&next)? {
            let item = item?;
            let path = item.path();
            if decides_nothing(&item.file_name().to_string_lossy()) {
                continue;
            }
            if item.file_type()?.is_dir() {
                waiting.push(path);
            } else {
                files.insert(path);
            }
        }
    }
    let mut hash = Sha256::new();
    for file in files {
        let mut line = String::new();
        let content = hex::encode(Sha256::digest(std::fs::read(&file)?));
        let name = file
            .strip_prefix(folder)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        let _ = writeln!(line, "{content} {name}");
        hash.update(line.as_bytes());
    }
    Ok(hex::encode(hash.finalize()))
}

fn decides_nothing(name: &str) -> bool {
    name.starts_with('.') || name == "README.md" || name == "tests" || name.contains(".test.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::manifest::tests::example;

    fn home_with(names: &[&str]) -> (tempfile::TempDir, Home) {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("tasks/page-lib")).unwrap();
        for name in names {
            let folder = root.path().join("tasks").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let id = id_of(name).unwrap();
            let tier = ["easy", "medium", "hard"][rank(id).1];
            let text = example()
                .replace("\"A-E1\"", &format!("\"{id}\""))
                .replace(
                    "\"podcast-price\"",
                    &format!("\"{}\"", &name[id.len() + 1..]),
                )
                .replace("category = \"A\"", &format!("category = \"{}\"", &id[..1]))
                .replace("\"easy\"", &format!("\"{tier}\""));
            std::fs::write(folder.join("task.toml"), text).unwrap();
        }
        let home = Home::at(root.path()).unwrap();
        (root, home)
    }

    #[test]
    fn tasks_are_found_ordered_and_suggested() {
        let (_root, home) =
            home_with(&["B-E1-hall", "A-H1-quiz", "A-E1-podcast-price", "A-M2-radio"]);
        let catalogue = Catalogue::open(&home).unwrap();
        assert_eq!(
            catalogue.ids().collect::<Vec<_>>(),
            ["A-E1", "A-M2", "A-H1", "B-E1"]
        );
        assert_eq!(
            catalogue.get("a-e1").unwrap().manifest.slug,
            "podcast-price"
        );
        assert_eq!(
            catalogue.get("A-E1-podcast-price").unwrap().manifest.id,
            "A-E1"
        );
        let error = catalogue.get("A-E2").unwrap_err().to_string();
        assert!(
            error.starts_with("there is no task `A-E2` (did you mean A-E1-podcast-price"),
            "{error}"
        );
        assert!(
            catalogue
                .get("radio")
                .unwrap_err()
                .to_string()
                .contains("A-M2-radio")
        );

        let filters = Filters {
            categories: vec!['A'],
            tiers: vec![Tier::Easy, Tier::Hard],
            ..Filters::default()
        };
        let ids: Vec<String> = catalogue
            .select(&filters)
            .unwrap()
            .into_iter()
            .map(|task| task.manifest.id)
            .collect();
        assert_eq!(ids, ["A-E1", "A-H1"]);
        let filters = Filters {
            categories: vec!['J'],
            ..Filters::default()
        };
        assert!(matches!(
            catalogue.select(&filters),
            Err(CatalogueError::NothingSelected)
        ));
    }

    #[test]
    fn a_digest_changes_with_content_and_name_of_what_decides() {
        let (_root, home) = home_with(&["A-E1-podcast-price"]);
        let task = Catalogue::open(&home).unwrap().get("A-E1").unwrap();
        let before = task.digest().unwrap();
        std::fs::create_dir(task.folder.join("page")).unwrap();
        assert_eq!(task.digest().unwrap(), before);
        std::fs::write(task.folder.join("page/index.html"), "x").unwrap();
        let after = task.digest().unwrap();
        assert_ne!(after, before);
        std::fs::rename(
            task.folder.join("page/index.html"),
            task.folder.join("page/other.html"),
        )
        .unwrap();
        assert_ne!(task.digest().unwrap(), after);

        let before = task.digest().unwrap();
        std::fs::create_dir(task.folder.join("tests")).unwrap();
        for name in [
            "README.md",
            "page/app.test.js",
            "page/.app.js.swp",
            "tests/x.js",
        ] {
            std::fs::write(task.folder.join(name), "x").unwrap();
        }
        assert_eq!(task.digest().unwrap(), before);
    }
}
