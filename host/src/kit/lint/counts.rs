//! The rules over the whole set: how many tasks of each category and tier there may be.

use std::collections::BTreeMap;

use crate::task::catalogue::Task;
use crate::task::manifest::Tier;

/// A category's share of each tier.
#[must_use]
pub fn most(tier: Tier) -> usize {
    match tier {
        Tier::Easy | Tier::Hard => 3,
        Tier::Medium => 4,
    }
}

/// The whole set; only a set that is whole has to have the shares of the specification.
const WHOLE: usize = 100;
/// Tasks by modality: audio (categories A, G, H), visual-temporal (C, D, E, F, J), both (B, I).
const MODALITIES: [(&str, &str, usize); 3] = [
    ("audio", "AGH", 30),
    ("visual-temporal", "CDEFJ", 50),
    ("audio and visual", "BI", 20),
];

/// The counts as lines for people, and what is wrong with them.
#[must_use]
pub fn counts(tasks: &[Task]) -> (Vec<String>, Vec<String>) {
    let mut by: BTreeMap<(char, &str), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for task in tasks {
        *by.entry((task.manifest.category, task.manifest.tier.name()))
            .or_default() += 1;
    }
    for tier in [Tier::Easy, Tier::Medium, Tier::Hard] {
        for ((category, _), count) in by.iter().filter(|((_, name), _)| *name == tier.name()) {
            if *count > most(tier) {
                wrong.push(format!(
                    "category {category} has {count} tasks of tier {}, but may have at most {}",
                    tier.name(),
                    most(tier)
                ));
            }
        }
    }
    let mut lines = Vec::new();
    for (name, letters, wanted) in MODALITIES {
        let count = tasks
            .iter()
            .filter(|task| letters.contains(task.manifest.category))
            .count();
        lines.push(format!("{name}: {count} of {wanted}"));
        if tasks.len() >= WHOLE && count != wanted {
            wrong.push(format!("{count} tasks are {name}, the set needs {wanted}"));
        }
    }
    let real_time = |task: &&Task| {
        task.manifest
            .axes
            .contains(&crate::task::manifest::Axis::RealTime)
    };
    let real_time = tasks.iter().filter(real_time).count();
    lines.push(format!(
        "real-time interaction: {real_time}; watched and answered at leisure: {}",
        tasks.len() - real_time
    ));
    (lines, wrong)
}
