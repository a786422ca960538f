//! Computes a report from a run that was read.

mod comparisons;
mod condition;
mod notes;
mod tables;

use std::collections::BTreeMap;

use dynacu_record::Outcome;
pub(crate) use tables::TIERS;

use crate::model::{Agent, Counts, REPORT_SCHEMA, Report};
use crate::read::{Episode, Run};

/// The modes in the specification's order.
pub(crate) const MODES: [&str; 5] = [
    "standard",
    "aoi_visual",
    "aoi_audio",
    "aoi_full",
    "aoi_interactive",
];

/// The report of a run.
#[must_use]
pub fn report(run: &Run) -> Report {
    let agents = agents(run);
    let groups = groups(run, &agents);
    let conditions = condition::conditions(&groups, &agents);
    let (headline, comparisons) = comparisons::comparisons(&groups, &agents);
    let mut counts = count(run.episodes.iter());
    counts.unfinished = run.unfinished.len() as u64;
    counts.unreadable = run.unreadable.len() as u64;
    Report {
        schema: REPORT_SCHEMA,
        run: run.info.clone(),
        counts,
        notes: notes::notes(run, &groups, &conditions),
        tiers: tables::tiers(&groups),
        categories: tables::categories(&groups),
        repeats: tables::repeats(&groups),
        tasks: tables::tasks(&groups),
        agents,
        conditions,
        headline,
        comparisons,
    }
}

/// Episodes of one agent in one mode with one gate.
struct Group<'a> {
    agent: usize,
    mode: String,
    gate: Option<String>,
    episodes: Vec<&'a Episode>,
}

impl Group<'_> {
    /// (passed, counted) of each task for which `pick` holds.
    fn tally(&self, pick: impl Fn(&Episode) -> bool) -> Vec<(u64, u64)> {
        self.by_task(pick).into_values().collect()
    }

    fn by_task(&self, pick: impl Fn(&Episode) -> bool) -> BTreeMap<&str, (u64, u64)> {
        let mut tasks: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for episode in self.counted().filter(|episode| pick(episode)) {
            let task = tasks.entry(episode.result.task.as_str()).or_default();
            task.0 += u64::from(passed(episode));
            task.1 += 1;
        }
        tasks
    }

    fn counted(&self) -> impl Iterator<Item = &Episode> {
        self.episodes
            .iter()
            .copied()
            .filter(|episode| counts(episode))
    }
}

/// Whether an episode counts in shares and means.
fn counts(episode: &Episode) -> bool {
    !matches!(
        episode.result.outcome,
        Outcome::InfrastructureError | Outcome::Unscored
    )
}

fn passed(episode: &Episode) -> bool {
    episode.result.outcome == Outcome::Passed
}

fn count<'a>(episodes: impl Iterator<Item = &'a Episode>) -> Counts {
    let mut all = Counts::default();
    for episode in episodes {
        all.episodes += 1;
        all.counted += u64::from(counts(episode));
        all.passed += u64::from(passed(episode));
        match episode.result.outcome {
            Outcome::InfrastructureError => all.infrastructure_errors += 1,
            Outcome::Unscored => all.unscored += 1,
            Outcome::Passed | Outcome::Failed | Outcome::Timeout | Outcome::AgentError => {}
        }
    }
    all
}

/// An agent is the same in every mode, also where each mode has its own policy.
fn agent_of(episode: &Episode) -> Agent {
    let result = &episode.result;
    let policy = (result.policy.name != result.mode).then(|| result.policy.name.clone());
    let model = result.model.as_ref().map(|model| model.model.clone());
    let name = match (&policy, &model) {
        (Some(policy), Some(model)) => format!("{policy} + {model}"),
        (Some(policy), None) => policy.clone(),
        (None, Some(model)) => model.clone(),
        (None, None) => "each mode's own policy".to_owned(),
    };
    Agent {
        name,
        policy,
        adapter: result.model.as_ref().map(|model| model.adapter.clone()),
        model,
    }
}

fn agents(run: &Run) -> Vec<Agent> {
    let mut agents: Vec<Agent> = run.episodes.iter().map(agent_of).collect();
    agents.sort();
    agents.dedup();
    agents
}

/// Sorted by agent, mode (the specification's order) and gate.
fn groups<'a>(run: &'a Run, agents: &[Agent]) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(usize, usize, &str, Option<&str>), Vec<&Episode>> = BTreeMap::new();
    for episode in &run.episodes {
        let agent = agent_of(episode);
        let agent = agents.iter().position(|known| *known == agent).unwrap_or(0);
        let mode = episode.result.mode.as_str();
        let place = MODES
            .iter()
            .position(|known| *known == mode)
            .unwrap_or(MODES.len());
        let gate = episode.gate.as_deref().or(Some(run.info.gate.as_str()));
        groups
            .entry((agent, place, mode, gate))
            .or_default()
            .push(episode);
    }
    groups
        .into_iter()
        .map(|((agent, _, mode, gate), episodes)| Group {
            agent,
            mode: mode.to_owned(),
            gate: gate.map(str::to_owned),
            episodes,
        })
        .collect()
}
