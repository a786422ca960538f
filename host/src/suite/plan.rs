//! Which episodes a run consists of, in which order, and where each one's record goes.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use dynacu_figures::table;
use sha2::{Digest, Sha256};

use super::agents::Crew;
use super::slots::Slot;
use crate::config::{DEFAULT_GATE, Group};
use crate::mode::Mode;
use crate::perception::keyframe::GateKind;
use crate::task::catalogue::Task;
use crate::task::variant::Seed;

/// One episode to come.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Index into the crew's policies.
    pub policy: usize,
    /// Index into the crew's models, where the policy asks one.
    pub model: Option<usize>,
    pub task: Task,
    pub mode: Mode,
    pub gate: GateKind,
    /// Counts from 1.
    pub trial: u32,
    /// The policy and its model as a folder name.
    pub agent: String,
}

impl Planned {
    /// The mode, and the gate where it is not the default, as a folder name.
    #[must_use]
    pub fn condition(&self) -> String {
        if self.gate == DEFAULT_GATE {
            self.mode.name().to_owned()
        } else {
            format!("{}@{}", self.mode.name(), self.gate.name())
        }
    }

    /// Where the record lies inside the run folder, below `episodes`. No two episodes of a run have the same.
    #[must_use]
    pub fn place(&self) -> PathBuf {
        PathBuf::from(&self.agent)
            .join(self.condition())
            .join(self.task.manifest.folder_name())
            .join(self.trial.to_string())
    }
}

/// All episodes: every agent of a group in every slot of it with every gate, each once.
///
/// # Errors
/// Two plugins call themselves by the same name: their records would lie in the same place.
pub fn episodes(
    slots: &[Slot],
    crew: &Crew,
    gates: &[GateKind],
    groups: &[Group],
) -> Result<Vec<Planned>> {
    let mut episodes = Vec::new();
    let mut seen = HashSet::new();
    let mut places = HashSet::new();
    for (group, (agents, Group { trials, .. })) in crew.agents.iter().zip(groups).enumerate() {
        for agent in agents {
            for slot in slots.iter().filter(|slot| slot.group == group) {
                let Some(policy) = crew.policy_of(agent, slot.mode) else {
                    continue;
                };
                let name = crew.name_of(policy, agent.model);
                for (&gate, trial) in gates
                    .iter()
                    .flat_map(|gate| (1..=*trials).map(move |trial| (gate, trial)))
                {
                    let id = slot.task.manifest.id.clone();
                    if !seen.insert((policy, agent.model, id, slot.mode, gate.name(), trial)) {
                        continue;
                    }
                    let planned = Planned {
                        policy,
                        model: agent.model,
                        task: slot.task.clone(),
                        mode: slot.mode,
                        gate,
                        trial,
                        agent: name.clone(),
                    };
                    if !places.insert(planned.place()) {
                        bail!(
                            "two plugins of this run have the name {name}: run them separately, or rename one"
                        );
                    }
                    episodes.push(planned);
                }
            }
        }
    }
    Ok(episodes)
}

/// The order in which a plan is run, as indices into it. It depends on the seed and on the episodes alone, and mixes tasks,
/// modes and agents, so that a machine that is busy for a while does not meet one of them only.
#[must_use]
pub fn order(plan: &[Planned], seed: Seed) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.len()).collect();
    order.sort_by_cached_key(|&index| {
        let place = plan.get(index).map(Planned::place).unwrap_or_default();
        Sha256::digest(format!("{seed}\n{}", place.display()))
    });
    order
}

/// The plan in its order, as a table.
#[must_use]
pub fn table(plan: &[Planned], order: &[usize], seed: Seed) -> String {
    let header = ["", "task", "mode", "agent", "trial", "seed"];
    let mut rows = Vec::new();
    for (position, planned) in order
        .iter()
        .filter_map(|&index| plan.get(index))
        .enumerate()
    {
        rows.push(vec![
            (position + 1).to_string(),
            planned.task.manifest.id.clone(),
            planned.condition(),
            planned.agent.clone(),
            planned.trial.to_string(),
            seed.for_trial(planned.trial).to_string(),
        ]);
    }
    table::text(&header, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::agents::agent_name;
    use crate::task::foreign::tests::task;

    fn plan() -> Vec<Planned> {
        let task = task("page.html");
        let all = Mode::ALL.into_iter().flat_map(|mode| {
            [GateKind::Local, GateKind::None].map(|gate| Planned {
                policy: 0,
                model: None,
                task: task.clone(),
                mode,
                gate,
                trial: 1,
                agent: agent_name("idle", Some("a/b c")),
            })
        });
        all.collect()
    }

    #[test]
    fn only_a_gate_other_than_the_default_is_in_the_folder_s_name() {
        let places: Vec<String> = plan()
            .iter()
            .take(2)
            .map(|planned| planned.place().display().to_string())
            .collect();
        assert_eq!(
            places,
            [
                "idle+a-b-c/standard/PAGE-page/1",
                "idle+a-b-c/standard@none/PAGE-page/1"
            ]
        );
    }

    #[test]
    fn the_order_is_the_seed_s_whatever_else_is_planned() {
        let plan = plan();
        let all = order(&plan, Seed::Number(0));
        let mut sorted = all.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..plan.len()).collect::<Vec<_>>());
        assert_ne!(all, sorted);
        assert_ne!(all, order(&plan, Seed::Number(1)));
        // A part of the plan keeps its order.
        let part = order(&plan[..4], Seed::Number(0));
        let kept: Vec<usize> = all.into_iter().filter(|&index| index < 4).collect();
        assert_eq!(part, kept);
        let table = table(&plan, &part, Seed::Number(7));
        assert_eq!(table.lines().count(), 2 + 4, "{table}");
        assert!(table.contains("standard@none") && table.contains("  7"));
    }
}
