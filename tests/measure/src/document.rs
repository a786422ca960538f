//! Keeps the figures of a document fresh: what stands between two marks is replaced by what was measured.

use std::path::Path;

use anyhow::{Context, Result};

use super::report::Report;
use dynacu_host::kit::marked::replaced;

/// Replaces the part of a document between `<!-- measured: NAME -->` and `<!-- end: NAME -->`. Plots are linked in `folder`,
/// where they were written to.
///
/// # Errors
/// The document cannot be read or written, or has no such marks.
pub fn refresh(document: &Path, report: &Report, folder: &Path) -> Result<()> {
    let text = std::fs::read_to_string(document)
        .with_context(|| format!("cannot read {}", document.display()))?;
    let parent = document.parent().unwrap_or(Path::new(""));
    let folder = match folder.strip_prefix(parent).unwrap_or(folder) {
        beside if beside.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let fresh = replaced(
        &text,
        report.name,
        &report.markdown(&folder.to_string_lossy()),
    )
    .with_context(|| {
        format!(
            "{} has no part that is marked with `<!-- measured: {1} -->` and `<!-- end: {1} -->`",
            document.display(),
            report.name
        )
    })?;
    std::fs::write(document, fresh).with_context(|| format!("cannot write {}", document.display()))
}
