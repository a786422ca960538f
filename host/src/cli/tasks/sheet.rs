//! `dynacu-host tasks show ID --sheet FILE`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::driver;
use crate::kit::gate::runner::Runner;
use crate::kit::gate::{Check, Wants};
use crate::kit::sheet::sheet;
use crate::mode::Mode;
use crate::perception::recognizer::RecognizerChoice;
use crate::task::catalogue::Task;
use crate::task::home::Home;
use crate::task::manifest::Manifest;
use crate::task::variant::Seed;

/// Makes the contact sheet of a task from an episode's folder, or from one that the reference policy is run for.
pub(super) async fn run(
    task: &Task,
    home: &Home,
    seed: Seed,
    from: Option<PathBuf>,
    into: &Path,
) -> Result<()> {
    if let Some(episode) = from {
        return write_sheet(&task.manifest, &episode, into);
    }
    let Seed::Number(seed) = seed else {
        anyhow::bail!("a contact sheet needs a public seed: give a whole number");
    };
    crate::desktop::programs::check()?;
    let work = tempfile::tempdir()?;
    eprintln!("loading the models …");
    let models = driver::bench(
        crate::program::engine()?,
        home.clone(),
        &RecognizerChoice::Base,
    )?;
    let mut runner = Runner::new(models, &["reference"], work.path()).await?;
    let check = Check {
        policy: "reference",
        mode: Mode::AoiInteractive,
        seed,
        wants: Wants::Shown,
        cut: false,
    };
    let episode = runner.run(task, &check, None).await?;
    let written = write_sheet(&task.manifest, &episode, into);
    runner.close().await?;
    written
}

/// Writes the contact sheet of an episode's folder.
pub(super) fn write_sheet(manifest: &Manifest, episode: &Path, into: &Path) -> Result<()> {
    sheet(manifest, episode)?
        .save_with_format(into, image::ImageFormat::Png)
        .with_context(|| format!("cannot write {}", into.display()))
}
