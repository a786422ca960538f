//! Keeps the figures of a document fresh: what stands between two marks is replaced by what was measured.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::report::Report;

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

/// The text with another part between the marks of that name.
pub(crate) fn replaced(text: &str, name: &str, part: &str) -> Result<String> {
    let (open, close) = (
        format!("<!-- measured: {name} -->"),
        format!("<!-- end: {name} -->"),
    );
    let begin = text.find(&open).context("no beginning")? + open.len();
    let end = text.find(&close).context("no end")?;
    ensure!(begin <= end, "the end comes first");
    Ok(format!(
        "{}\n\n{}\n{}",
        &text[..begin],
        part.trim_end(),
        &text[end..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_part_changes_and_a_second_time_nothing() {
        let text = "# A\n<!-- measured: speech -->\nold\n<!-- end: speech -->\nrest\n<!-- measured: other -->\n<!-- end: other -->\n";
        let once = replaced(text, "speech", "new | figures\n\n").unwrap();
        assert_eq!(
            once,
            "# A\n<!-- measured: speech -->\n\nnew | figures\n<!-- end: speech -->\nrest\n<!-- measured: other -->\n<!-- end: other -->\n"
        );
        assert_eq!(replaced(&once, "speech", "new | figures").unwrap(), once);
        assert!(replaced(text, "nothing", "x").is_err());
        assert!(replaced("<!-- end: a --> <!-- measured: a -->", "a", "x").is_err());
    }
}
