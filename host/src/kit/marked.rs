//! Parts of documents that programs write: what stands between two marks.

use anyhow::{Context, Result, ensure};

/// The text with another part between `<!-- measured: NAME -->` and `<!-- end: NAME -->`.
///
/// # Errors
/// It has no such marks.
pub fn replaced(text: &str, name: &str, part: &str) -> Result<String> {
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
