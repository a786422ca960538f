//! A run's folder that is taken up again: what it was, and whether it still is that.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use dynacu_record::RunInfo;

use super::changes::{Change, changes, remarks};
use super::describe::now;

/// A run that is taken up again.
pub struct Resumed {
    pub folder: PathBuf,
    pub info: RunInfo,
}

impl Resumed {
    /// Reads what it was.
    ///
    /// # Errors
    /// The folder holds no run.
    pub fn open(folder: &Path) -> Result<Resumed> {
        let info = dynacu_record::read_run(folder)
            .with_context(|| format!("--resume {}: this is not a run folder", folder.display()))?;
        Ok(Resumed {
            folder: folder.to_owned(),
            info,
        })
    }

    /// Episodes of two kinds are not put into one run.
    ///
    /// # Errors
    /// Something that decides about results is not what it was.
    pub fn check(&self, info: &RunInfo) -> Result<()> {
        let changed = changes(&self.info, info);
        if changed.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = changed.iter().map(Change::to_string).collect();
        bail!(
            "{} cannot be resumed, since this has changed: {}; restore it, or start a new run with --out",
            self.folder.display(),
            lines.join("; ")
        );
    }

    /// Says what else has changed, which is no reason to stop.
    pub fn remark(&self, info: &RunInfo) {
        for change in remarks(&self.info, info) {
            eprintln!("since the run began, {change}");
        }
    }

    /// What stays of the run's own description.
    pub fn carry_over(&self, info: &mut RunInfo) {
        info.started = self.info.started;
        info.command.clone_from(&self.info.command);
        info.resumed.clone_from(&self.info.resumed);
        info.resumed.push(now());
    }
}
