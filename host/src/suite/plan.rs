//! Which episodes a run consists of, in which order, and where each one's record goes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::agents::Crew;
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

/// One episode to come.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Index into the crew's policies.
    pub policy: usize,
    /// Index into the crew's models, where the policy asks one.
    pub model: Option<usize>,
    pub task: Task,
    pub mode: Mode,
    /// Counts from 1.
    pub trial: u32,
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

/// A page that is no task of ours, in the modes of every group.
pub fn slots_of_page(config: &RunConfig, page: &Task) -> Result<Vec<Slot>> {
    let mut slots = Vec::new();
    for (index, group) in config.groups.iter().enumerate() {
        for choice in &group.modes {
            let mode = match choice {
                ModeChoice::Fixed(mode) => *mode,
                ModeChoice::Needs => bail!(
                    "what a page of somebody else's needs is not known: name a mode instead of `needs`"
                ),
            };
            slots.push(Slot {
                group: index,
                task: page.clone(),
                mode,
            });
        }
    }
    Ok(slots)
}

/// All episodes: every agent of a group in every slot of it, each once.
pub fn episodes(slots: &[Slot], crew: &Crew, trials: u32) -> Vec<Planned> {
    let mut episodes = Vec::new();
    let mut seen = HashSet::new();
    for (group, agents) in crew.agents.iter().enumerate() {
        for agent in agents {
            for slot in slots.iter().filter(|slot| slot.group == group) {
                let Some(policy) = crew.policy_of(agent, slot.mode) else {
                    continue;
                };
                for trial in 1..=trials {
                    let id = slot.task.manifest.id.clone();
                    if seen.insert((policy, agent.model, id, slot.mode, trial)) {
                        episodes.push(Planned {
                            policy,
                            model: agent.model,
                            task: slot.task.clone(),
                            mode: slot.mode,
                            trial,
                        });
                    }
                }
            }
        }
    }
    episodes
}

/// Where an episode's record lies inside the run folder.
#[must_use]
pub fn episode_folder(run: &Path, agent: &str, planned: &Planned) -> PathBuf {
    run.join("episodes")
        .join(agent)
        .join(planned.mode.name())
        .join(planned.task.manifest.folder_name())
        .join(planned.trial.to_string())
}

/// A policy and its model as a folder name.
#[must_use]
pub fn agent_name(policy: &str, model: Option<&str>) -> String {
    let whole = match model {
        Some(model) => format!("{policy}+{model}"),
        None => policy.to_owned(),
    };
    whole
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || "-_.+".contains(letter) {
                letter
            } else {
                '-'
            }
        })
        .collect()
}
