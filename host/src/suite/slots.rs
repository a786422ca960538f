//! Which tasks a run asks for in which modes, before anybody is named to do them.

use anyhow::{Context, Result, bail};

use crate::config::RunConfig;
use crate::mode::{Mode, ModeChoice};
use crate::task::catalogue::{Catalogue, Filters, Task};

/// A task in a mode, before anybody is named to do it.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Index into the configuration's groups.
    pub group: usize,
    pub task: Task,
    pub mode: Mode,
}

/// Works out which tasks a configuration asks for in which modes.
pub fn slots(config: &RunConfig, catalogue: &Catalogue) -> Result<Vec<Slot>> {
    let mut slots = Vec::new();
    for (index, group) in config.groups.iter().enumerate() {
        let tasks = catalogue.select(&Filters {
            tasks: group.tasks.clone(),
            categories: group.categories.clone(),
            tiers: group.tiers.clone(),
        })?;
        if tasks.is_empty() {
            bail!("no task is left after the filters: `dynacu-host tasks list` shows all");
        }
        for task in tasks {
            for choice in &group.modes {
                let mode = match choice {
                    ModeChoice::Fixed(mode) => *mode,
                    ModeChoice::Needs => task.manifest.needs.name().parse()?,
                };
                slots.push(Slot {
                    group: index,
                    task: task.clone(),
                    mode,
                });
            }
        }
    }
    Ok(slots)
}

/// Pages that are no tasks of ours, in their own modes or else in those of every group.
pub fn slots_of_pages(config: &RunConfig) -> Result<Vec<Slot>> {
    let mut slots = Vec::new();
    for (index, group) in config.groups.iter().enumerate() {
        for page in &config.pages {
            let task = page.task().with_context(|| page.id.clone())?;
            let modes = match page.modes.as_slice() {
                [] => &group.modes,
                _ => &page.modes,
            };
            for choice in modes {
                let mode = match choice {
                    ModeChoice::Fixed(mode) => *mode,
                    ModeChoice::Needs => bail!(
                        "the mode that your own page needs is not known: name a mode instead of `needs`"
                    ),
                };
                slots.push(Slot {
                    group: index,
                    task: task.clone(),
                    mode,
                });
            }
        }
    }
    Ok(slots)
}
