//! Pages of somebody else: one, typed or in the table `[page]`, or a set, in the file of `--pages` or the tables `[[pages]]`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::values::{Name, SCHEMA, StepLimit, TimeLimit, one_or_more};
use crate::mode::ModeChoice;
use crate::task::foreign::{ID, Page};

/// Instead of tasks, a page of somebody else: the table `[page]`, which a flag replaces as a whole.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PageSettings {
    /// Instead of tasks: an .html file, a folder with an index.html, or an address on the loopback, whose page defines
    /// window.getTaskResult(); with --instruction and --success
    #[arg(
        id = "page",
        long = "page",
        value_name = "FILE|DIR|URL",
        requires_all = ["instruction", "success"],
        conflicts_with_all = ["task", "category", "tier"]
    )]
    pub page: Option<String>,
    /// What is to be done on the page
    #[arg(long, requires = "page")]
    pub instruction: Option<String>,
    /// What window.getTaskResult() returns when it is done: this and --failure end the episode, anything else is read at its end
    #[arg(long, requires = "page")]
    pub success: Option<String>,
    /// What it returns when the task has failed for good; may be repeated
    #[arg(long, requires = "page")]
    #[serde(deserialize_with = "one_or_more")]
    pub failure: Vec<String>,
    /// The page's own modes, where it is one of a set.
    #[arg(skip)]
    #[serde(deserialize_with = "one_or_more")]
    pub mode: Vec<Name<ModeChoice>>,
    /// Seconds that the page gives [default: 120]
    #[arg(long, requires = "page")]
    pub time_limit: Option<TimeLimit>,
    /// Observations that a policy may take [default: 100]
    #[arg(long, requires = "page")]
    pub step_limit: Option<StepLimit>,
}

impl PageSettings {
    /// The page; its limits are filled in where none was named.
    fn resolve(&mut self, id: String) -> Result<Page> {
        let Self {
            page: Some(source),
            instruction: Some(instruction),
            success: Some(success),
            failure,
            mode,
            time_limit,
            step_limit,
        } = self
        else {
            bail!("a page needs page, instruction and success");
        };
        let seconds = *time_limit.get_or_insert(TimeLimit::DEFAULT);
        if !source.contains("://") {
            // A run is taken up again from any folder.
            let whole = std::path::absolute(&*source).with_context(|| source.clone())?;
            *source = whole.display().to_string();
        }
        Ok(Page {
            id,
            source: source.clone(),
            instruction: instruction.clone(),
            success: success.clone(),
            failure: failure.clone(),
            modes: mode.iter().map(|mode| mode.0).collect(),
            time_limit: Duration::from_secs(seconds.get()),
            step_limit: step_limit.get_or_insert(StepLimit::DEFAULT).get(),
        })
    }
}

/// Several pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageSet(Vec<PageSettings>);

/// A file of pages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: u32,
    page: Vec<Spanned<PageSettings>>,
}

impl PageSet {
    /// Reads a file of pages, whose paths are relative to its folder.
    ///
    /// # Errors
    /// The first entry that is broken, with its line.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        let file: File = toml::from_str(&text).with_context(|| name.to_string())?;
        if file.schema != SCHEMA {
            bail!(
                "{name}: schema {}, this host reads schema {SCHEMA}",
                file.schema
            );
        }
        if file.page.is_empty() {
            bail!("{name} names no [[page]]");
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut pages = Vec::new();
        for (index, entry) in file.page.into_iter().enumerate() {
            let before = text.get(..entry.span().start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let mut page = entry.into_inner();
            page.page = page.page.map(|page| beside(folder, page));
            let checked = page.resolve(numbered(index)).and_then(|page| page.task());
            checked.map_err(|error| anyhow!("{name}:{line}: [[page]] {}: {error:#}", index + 1))?;
            pages.push(page);
        }
        Ok(Self(pages))
    }
}

/// A path in a file is meant from the file's folder; an address is one from everywhere.
fn beside(folder: &Path, page: String) -> String {
    if page.contains("://") {
        return page;
    }
    folder.join(page).display().to_string()
}

fn numbered(index: usize) -> String {
    format!("{ID}-{}", index + 1)
}

/// Reads the file of `--pages` where its name is parsed: the record holds what it says.
pub(super) fn page_set() -> impl TypedValueParser<Value = PageSet> {
    PathBufValueParser::new()
        .try_map(|path: PathBuf| PageSet::read(&path).map_err(|error| format!("{error:#}")))
}

/// The pages of a run; none where it is one of tasks.
pub(super) fn pages(
    one: Option<&mut PageSettings>,
    set: Option<&mut PageSet>,
) -> Result<Vec<Page>> {
    match (one, set) {
        (None, None) => Ok(Vec::new()),
        (Some(page), None) => Ok(vec![page.resolve(ID.to_owned()).context("[page]")?]),
        (None, Some(PageSet(pages))) => pages
            .iter_mut()
            .enumerate()
            .map(|(index, page)| {
                let number = index + 1;
                page.resolve(numbered(index))
                    .with_context(|| format!("[[pages]] {number}"))
            })
            .collect(),
        (Some(_), Some(_)) => bail!("[page] and [[pages]] do not go together: name one of them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[[page]]\npage = \"quiz\"\ninstruction = \"Press it.\"\nsuccess = \"right\"\nfailure = \"wrong\"\nmode = \"aoi_full\"\ntime-limit = 40\n";

    /// A folder with the page `quiz` and a file of pages beside it.
    fn file(entries: &str) -> (tempfile::TempDir, Result<PageSet>) {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("quiz")).unwrap();
        std::fs::write(root.path().join("quiz/index.html"), "").unwrap();
        let file = root.path().join("pages.toml");
        std::fs::write(&file, format!("schema = 1\n{entries}")).unwrap();
        let set = PageSet::read(&file);
        (root, set)
    }

    #[test]
    fn pages_are_numbered_and_lie_beside_their_file() {
        let address = GOOD.replace("\"quiz\"", "\"http://127.0.0.1:8000/a\"");
        let (root, set) = file(&format!("{GOOD}{address}"));
        let mut set = set.unwrap();
        let pages = pages(None, Some(&mut set)).unwrap();
        let ids: Vec<&str> = pages.iter().map(|page| page.id.as_str()).collect();
        assert_eq!(ids, ["PAGE-1", "PAGE-2"]);
        assert_eq!(Path::new(&pages[0].source), root.path().join("quiz"));
        assert_eq!(pages[1].source, "http://127.0.0.1:8000/a");
        assert_eq!(pages[0].failure, ["wrong"]);
        assert_eq!(
            (pages[0].time_limit.as_secs(), pages[0].step_limit),
            (40, 100)
        );
    }

    #[test]
    fn a_broken_entry_is_named_with_its_line() {
        for (from, to, words) in [
            ("\"quiz\"", "\"nowhere\"", "pages.toml:9: [[page]] 2: "),
            (
                "success = \"right\"\n",
                "",
                "pages.toml:9: [[page]] 2: a page needs",
            ),
            ("\"wrong\"", "\"right\"", "success and failure at once"),
            ("\"quiz\"", "\"http://example.com/\"", "loopback"),
            ("mode =", "colour =", "line 14"),
            ("\"aoi_full\"", "\"fast\"", "line 14"),
            ("= 40", "= 0", "line 15"),
        ] {
            let (_root, set) = file(&format!("{GOOD}{}", GOOD.replacen(from, to, 1)));
            let error = format!("{:#}", set.unwrap_err());
            assert!(error.contains(words), "{words} is not in: {error}");
            assert!(error.contains("pages.toml"), "{error}");
        }
        let (_root, set) = file("page = []\n");
        assert!(set.unwrap_err().to_string().contains("names no [[page]]"));
    }
}
