//! Pages that are no tasks of ours: they define `window.getTaskResult()`, and come with an instruction and the results that end
//! them. They have no manifest, no moments and no scorer.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::catalogue::Task;
use super::manifest::{Axis, Manifest, Needs, ScorerChoice, Tier};
use super::prepare::{Foreign, Prepared};
use super::template::{Part, Template};
use super::variant::{Seed, Variant};
use crate::mode::ModeChoice;

mod source;

pub use source::{Address, Source};

/// The id of such a page, in records and tables; one of a set has its number behind it.
pub const ID: &str = "PAGE";
/// Its category: none of the ten.
pub const CATEGORY: char = 'P';

/// A page as it is named on the command line or in a file of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub id: String,
    /// A file, a folder or an address, as it was written.
    pub source: String,
    pub instruction: String,
    pub success: String,
    pub failure: Vec<String>,
    /// What it is run in; in what its group says if empty.
    pub modes: Vec<ModeChoice>,
    pub time_limit: Duration,
    /// Observations that a policy may take.
    pub step_limit: u32,
}

impl Page {
    /// The page as a task, so that plans, episodes and records treat it like one.
    ///
    /// # Errors
    /// It cannot be read, is none, or two of its results contradict each other.
    pub fn task(&self) -> Result<Task> {
        Ok(self.task_of(&self.checked()?))
    }

    fn checked(&self) -> Result<Source> {
        ensure!(
            !self.failure.contains(&self.success),
            "the result `{}` cannot be success and failure at once",
            self.success
        );
        Source::parse(&self.source)
    }

    fn task_of(&self, source: &Source) -> Task {
        Task {
            folder: source.folder().unwrap_or_default(),
            manifest: self.manifest(source),
        }
    }

    fn manifest(&self, source: &Source) -> Manifest {
        Manifest {
            id: self.id.clone(),
            slug: source.slug(),
            title: source.slug(),
            category: CATEGORY,
            tier: Tier::Medium,
            axes: vec![Axis::Audio, Axis::VisualTemporal, Axis::RealTime],
            needs: Needs::AoiInteractive,
            instruction: Template {
                parts: vec![Part::Text(self.instruction.clone())],
            },
            time_limit: self.time_limit,
            step_limit: self.step_limit,
            separates: false,
            fields: BTreeMap::new(),
            order: Vec::new(),
            speech: Vec::new(),
            moments: Vec::new(),
            page_values: Vec::new(),
            reveals: BTreeMap::new(),
            scorer: ScorerChoice {
                plugin: "window.getTaskResult()".to_owned(),
                settings: json!({ "success": self.success, "failure": self.failure }),
            },
        }
    }

    /// The page, ready for an episode.
    ///
    /// # Errors
    /// As [`Page::task`].
    pub fn prepared(&self, seed: Seed) -> Result<Prepared> {
        let source = self.checked()?;
        let task = self.task_of(&source);
        let settings = task.manifest.scorer.settings.clone();
        Ok(Prepared {
            variant: Variant {
                seed,
                sub_seed: 0,
                values: json!({}),
                page_values: json!({}),
                reveals: BTreeMap::new(),
                reads: Vec::new(),
                speech: Vec::new(),
                scorer_input: json!({ "values": {}, "settings": settings }),
                instruction: self.instruction.clone(),
            },
            task,
            clips: BTreeMap::new(),
            foreign: Some(Foreign {
                source,
                success: self.success.clone(),
                failure: self.failure.clone(),
            }),
        })
    }
}

impl Foreign {
    /// Whether a result of the page ends the episode.
    #[must_use]
    pub fn decides(&self, result: &str) -> bool {
        self.success == result || self.failure.iter().any(|failure| failure == result)
    }
}

/// SHA-256 of what the pages are made of, in hexadecimal: of one page's own, or of all of theirs.
///
/// # Errors
/// A file cannot be read.
pub fn digest(pages: &[Page]) -> Result<String> {
    let each: Result<Vec<String>> = pages
        .iter()
        .map(|page| Source::parse(&page.source)?.digest())
        .collect();
    let each = each?;
    Ok(match each.as_slice() {
        [one] => one.clone(),
        several => hex::encode(Sha256::digest(several.concat())),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::*;

    /// A page in a file of this name as a task; the file is gone already.
    pub(crate) fn task(name: &str) -> Task {
        let root = tempfile::tempdir().unwrap();
        page_in(root.path(), name, "getTaskResult").task().unwrap()
    }

    fn page_in(folder: &Path, name: &str, text: &str) -> Page {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        Page {
            id: ID.to_owned(),
            source: file.display().to_string(),
            instruction: "Press the button.".to_owned(),
            success: "pressed".to_owned(),
            failure: vec!["missed".to_owned()],
            modes: Vec::new(),
            time_limit: Duration::from_secs(60),
            step_limit: 100,
        }
    }

    #[test]
    fn a_page_must_be_html_that_tells_its_result() {
        let root = tempfile::tempdir().unwrap();
        let page = |name: &str, text: &str| page_in(root.path(), name, text);
        let refused = |page: Page| page.prepared(Seed::default()).unwrap_err().to_string();
        assert!(refused(page("a.txt", "getTaskResult")).contains("is not an .html file"));
        assert!(refused(page("b.html", "<p>")).contains("does not define window.getTaskResult()"));
        let mut both = page("c.html", "getTaskResult");
        both.failure.push("pressed".to_owned());
        assert!(refused(both).contains("success and failure at once"));
        let good = page(
            "My Page.html",
            "<script>window.getTaskResult = () => 'pending'</script>",
        );
        let prepared = good.prepared(Seed::default()).unwrap();
        assert_eq!(prepared.task.manifest.folder_name(), "PAGE-my-page");
        let foreign = prepared.foreign.unwrap();
        let decides = ["pressed", "missed", "pending", "not_submitted", ""]
            .map(|result| foreign.decides(result));
        assert_eq!(decides, [true, true, false, false, false]);
    }

    #[test]
    fn a_digest_is_of_what_the_pages_hold_and_of_their_order() {
        let root = tempfile::tempdir().unwrap();
        let page = |name: &str, text: &str| page_in(root.path(), name, text);
        let one = page("a.html", "getTaskResult");
        let other = page("b.html", "getTaskResult()");
        let whole = digest(std::slice::from_ref(&one)).unwrap();
        assert_eq!(whole, hex::encode(Sha256::digest("getTaskResult")));
        let both = digest(&[one.clone(), other.clone()]).unwrap();
        assert_ne!(both, digest(&[other, one]).unwrap());
    }
}
