//! Where the records of gates are kept: a folder for each task, and in it one for each check.

use std::path::{Path, PathBuf};

/// `dynacu/gates` in the user's cache folder.
#[must_use]
pub fn usual_folder() -> PathBuf {
    dirs::cache_dir()
        .unwrap_or_else(|| PathBuf::from(".cache"))
        .join("dynacu")
        .join("gates")
}

/// Where the record of a check lies, which is named as in the ledger.
#[must_use]
pub fn folder(records: &Path, task: &str, check: &str) -> PathBuf {
    records.join(task).join(check.replace(' ', "-"))
}
