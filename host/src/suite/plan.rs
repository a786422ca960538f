//! Which episodes a run consists of, in which order, and where each one's record goes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::config::RunConfig;
use crate::mode::{Mode, ModeChoice};
use crate::task::catalogue::{Catalogue, Filters, Task};

/// One episode to come.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Index into the run's policies.
    pub policy: usize,
    pub task: Task,
    pub mode: Mode,
    /// Counts from 1.
    pub trial: u32,
}

/// All episodes of a run, and the plugins that they name.
#[derive(Debug, Clone)]
pub struct Plan {
    /// As given on the command line, each once.
    pub plugins: Vec<String>,
    pub episodes: Vec<Planned>,
}

impl Plan {
    /// Works out what a configuration asks for.
    pub fn make(config: &RunConfig, catalogue: &Catalogue) -> Result<Plan> {
        let mut plugins: Vec<String> = Vec::new();
        let mut episodes = Vec::new();
        let mut seen = HashMap::new();
        for group in &config.groups {
            let policy = plugins
                .iter()
                .position(|plugin| *plugin == group.plugin)
                .unwrap_or_else(|| {
                    plugins.push(group.plugin.clone());
                    plugins.len() - 1
                });
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
                    for trial in 1..=config.trials {
                        let key = (policy, task.manifest.id.clone(), mode, trial);
                        if seen.insert(key, ()).is_none() {
                            episodes.push(Planned {
                                policy,
                                task: task.clone(),
                                mode,
                                trial,
                            });
                        }
                    }
                }
            }
        }
        Ok(Plan { plugins, episodes })
    }
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

/// A plugin's name as a folder name.
#[must_use]
pub fn agent_name(name: &str) -> String {
    name.chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || "-_.".contains(letter) {
                letter
            } else {
                '-'
            }
        })
        .collect()
}
