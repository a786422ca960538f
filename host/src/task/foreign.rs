//! Pages that are no tasks of ours: one self-contained file that defines `window.getTaskResult()`, with an instruction and
//! the result that counts as success. It has no manifest, no moments and no server behind it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::catalogue::Task;
use super::manifest::{Axis, Manifest, Needs, ScorerChoice, Tier};
use super::prepare::{Foreign, Prepared};
use super::template::{Part, Template};
use super::variant::{Seed, Variant};

/// The id of every such page, in records and tables.
pub const ID: &str = "PAGE";
/// Its category: none of the ten.
pub const CATEGORY: char = 'P';
/// Observations that a policy may take.
const STEPS: u32 = 100;

/// A page as it is named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub file: PathBuf,
    pub instruction: String,
    pub success: String,
    pub time_limit: Duration,
}

impl Page {
    /// The page as a task, so that plans, episodes and records treat it like one.
    ///
    /// # Errors
    /// The file cannot be read or is no HTML.
    pub fn task(&self) -> Result<Task> {
        let html = self.file.extension().is_some_and(|kind| kind == "html");
        ensure!(html, "{} is not an .html file", self.file.display());
        let file = self
            .file
            .canonicalize()
            .with_context(|| format!("cannot read the page {}", self.file.display()))?;
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read the page {}", file.display()))?;
        ensure!(
            text.contains("getTaskResult"),
            "{} does not define window.getTaskResult(): without it, nothing shows when the task is done",
            file.display()
        );
        Ok(Task {
            folder: file.parent().unwrap_or(Path::new(".")).to_owned(),
            manifest: self.manifest(&file),
        })
    }

    fn manifest(&self, file: &Path) -> Manifest {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let slug: String = stem
            .to_lowercase()
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '-'
                }
            })
            .collect();
        Manifest {
            id: ID.to_owned(),
            slug,
            title: stem.into_owned(),
            category: CATEGORY,
            tier: Tier::Medium,
            axes: vec![Axis::Audio, Axis::VisualTemporal, Axis::RealTime],
            needs: Needs::AoiInteractive,
            instruction: Template {
                parts: vec![Part::Text(self.instruction.clone())],
            },
            time_limit: self.time_limit,
            step_limit: STEPS,
            separates: false,
            fields: BTreeMap::new(),
            order: Vec::new(),
            speech: Vec::new(),
            moments: Vec::new(),
            page_values: Vec::new(),
            reveals: BTreeMap::new(),
            scorer: ScorerChoice {
                plugin: "window.getTaskResult()".to_owned(),
                settings: json!({ "success": self.success }),
            },
        }
    }

    /// The page, ready for an episode.
    ///
    /// # Errors
    /// As [`Page::task`].
    pub fn prepared(&self, seed: Seed) -> Result<Prepared> {
        let task = self.task()?;
        let file = self.file.canonicalize()?;
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
                file,
                success: self.success.clone(),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_must_be_html_that_tells_its_result() {
        let root = tempfile::tempdir().unwrap();
        let page = |name: &str, text: &str| {
            let file = root.path().join(name);
            std::fs::write(&file, text).unwrap();
            Page {
                file,
                instruction: "Press the button.".to_owned(),
                success: "pressed".to_owned(),
                time_limit: Duration::from_secs(60),
            }
        };
        let refused = |page: Page| page.prepared(Seed::default()).unwrap_err().to_string();
        assert!(refused(page("a.txt", "getTaskResult")).contains("is not an .html file"));
        assert!(refused(page("b.html", "<p>")).contains("does not define window.getTaskResult()"));
        let good = page(
            "My Page.html",
            "<script>window.getTaskResult = () => 'pending'</script>",
        );
        let prepared = good.prepared(Seed::default()).unwrap();
        assert_eq!(prepared.task.manifest.folder_name(), "PAGE-my-page");
        assert_eq!(prepared.foreign.unwrap().success, "pressed");
    }
}
