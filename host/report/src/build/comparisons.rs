//! Which conditions are compared, with the results.

use std::collections::BTreeMap;

use super::Group;
use crate::model::{Agent, Comparison, Kind};
use crate::statistics::{Test, compare, holm};

/// The comparisons of the specification beside the headline, as (first, second, what it measures).
const MODE_PAIRS: [(&str, &str, &str); 6] = [
    ("standard", "aoi_visual", "what keyframes add"),
    ("standard", "aoi_audio", "what hearing adds"),
    ("aoi_visual", "aoi_full", "what hearing adds to keyframes"),
    ("aoi_audio", "aoi_full", "what keyframes add to hearing"),
    ("aoi_full", "aoi_interactive", "what the voice adds"),
    ("standard", "aoi_interactive", "what all of it adds"),
];

/// Headline, and the rest; p adjusted over both.
pub(super) fn comparisons(
    groups: &[Group],
    agents: &[Agent],
) -> (Vec<Comparison>, Vec<Comparison>) {
    let mut headline = Vec::new();
    let mut rest = Vec::new();
    let same_but =
        |a: usize, b: usize, same: fn(&Group, &Group) -> bool| same(&groups[a], &groups[b]);
    for first in 0..groups.len() {
        for second in 0..groups.len() {
            if first == second {
                continue;
            }
            let (a, b) = (groups[first].mode.as_str(), groups[second].mode.as_str());
            if same_but(first, second, |a, b| a.agent == b.agent && a.gate == b.gate) {
                if (a, b) == ("standard", "aoi_full") {
                    let question = "what the interface adds".to_owned();
                    headline.push(paired(groups, Kind::Mode, question, first, second));
                }
                if let Some((_, _, question)) = MODE_PAIRS.iter().find(|p| (p.0, p.1) == (a, b)) {
                    let question = (*question).to_owned();
                    rest.push(paired(groups, Kind::Mode, question, first, second));
                }
            } else if first < second
                && same_but(first, second, |a, b| a.agent == b.agent && a.mode == b.mode)
            {
                let gate = |index: usize| groups[index].gate.clone().unwrap_or_default();
                let question = format!("gate {} against {} in {a}", gate(second), gate(first));
                rest.push(paired(groups, Kind::Gate, question, first, second));
            } else if first < second
                && same_but(first, second, |a, b| a.mode == b.mode && a.gate == b.gate)
            {
                let name = |index: usize| {
                    agents
                        .get(groups[index].agent)
                        .map_or("?", |agent| agent.name.as_str())
                };
                let question = format!("{} against {} in {a}", name(second), name(first));
                rest.push(paired(groups, Kind::Agent, question, first, second));
            }
        }
    }
    rest.sort_by_key(|comparison| comparison.kind);
    adjust(headline.iter_mut().chain(&mut rest));
    (headline, rest)
}

fn adjust<'a>(comparisons: impl Iterator<Item = &'a mut Comparison>) {
    let test = |comparison: &Comparison| comparison.paired.as_ref()?.test.as_ref().map(Test::p);
    let mut tested: Vec<&mut Comparison> = comparisons
        .filter(|comparison| test(comparison).is_some())
        .collect();
    let values: Vec<f64> = tested
        .iter()
        .filter_map(|comparison| test(comparison))
        .collect();
    for (comparison, p) in tested.iter_mut().zip(holm(&values)) {
        comparison.p_adjusted = Some(p);
    }
}

fn paired(
    groups: &[Group],
    kind: Kind,
    question: String,
    first: usize,
    second: usize,
) -> Comparison {
    type Trials<'a> = BTreeMap<(&'a str, u32, &'a str), bool>;
    let trials = |index: usize| -> Trials {
        groups[index]
            .counted()
            .map(|episode| {
                let result = &episode.result;
                let key = (result.task.as_str(), result.trial, result.seed.as_str());
                (key, super::passed(episode))
            })
            .collect()
    };
    let (a, b) = (trials(first), trials(second));
    let mut tasks: BTreeMap<&str, Vec<(bool, bool)>> = BTreeMap::new();
    for (key, &passed) in &a {
        if let Some(&other) = b.get(key) {
            tasks.entry(key.0).or_default().push((passed, other));
        }
    }
    let both: usize = tasks.values().map(Vec::len).sum();
    let tasks: Vec<_> = tasks.into_values().collect();
    Comparison {
        kind,
        question,
        first,
        second,
        paired: compare(&tasks),
        unpaired: (a.len() + b.len() - 2 * both) as u64,
        p_adjusted: None,
    }
}
