//! What a reader must know before the figures: what is missing, what went wrong, what cannot be compared.

use std::collections::{BTreeMap, BTreeSet};

use dynacu_record::EndCause;

use super::Group;
use crate::model::{Condition, Note, Weight};
use crate::read::{Episode, Run};

/// The pace at which every mode is compared, milliseconds.
const PACE: u64 = 5000;
/// A larger share of late capture intervals is mentioned.
const LATE: f64 = 0.02;

pub(super) fn notes(run: &Run, groups: &[Group], conditions: &[Condition]) -> Vec<Note> {
    let mut notes = Notes(Vec::new());
    completeness(run, groups, &mut notes);
    settings(run, &mut notes);
    assists(groups, conditions, &mut notes);
    infrastructure(run, &mut notes);
    money(run, conditions, &mut notes);
    notes.0.sort_by_key(|note| note.weight);
    notes.0
}

struct Notes(Vec<Note>);

impl Notes {
    fn warn(&mut self, text: String) {
        self.0.push(Note {
            weight: Weight::Warning,
            text,
        });
    }

    fn inform(&mut self, text: String) {
        self.0.push(Note {
            weight: Weight::Information,
            text,
        });
    }
}

/// At most three of many, and how many more.
fn some(mut items: Vec<String>) -> String {
    let more = items.len().saturating_sub(3);
    items.truncate(3);
    let text = items.join(", ");
    if more > 0 {
        format!("{text} and {more} more")
    } else {
        text
    }
}

fn completeness(run: &Run, groups: &[Group], notes: &mut Notes) {
    if run.info.ended.is_none() {
        notes.warn(
            "The run has not ended: it is still running, or was cut off. These are the episodes so far."
                .to_owned(),
        );
    }
    let started = run.episodes.len() + run.unfinished.len() + run.unreadable.len();
    // Old records do not have the size of the plan, and read as 0.
    let missing = run.info.planned.saturating_sub(started);
    if missing > 0 {
        notes.warn(format!(
            "Of the {} planned episodes {missing} were not started: `dynacu-host --resume` runs them.",
            run.info.planned
        ));
    }
    if !run.info.resumed.is_empty() {
        let times = run.info.resumed.len() as u64;
        notes.inform(format!(
            "The run was interrupted and resumed {}; no finished episode was run again.",
            crate::text::number(times, "time")
        ));
    }
    if !run.unfinished.is_empty() {
        notes.warn(format!(
            "Started but not finished, so not in any figure: {} ({}).",
            run.unfinished.len(),
            some(run.unfinished.clone())
        ));
    }
    if !run.unreadable.is_empty() {
        let reasons = run
            .unreadable
            .iter()
            .map(|(path, why)| format!("{path} ({why})"));
        notes.warn(format!(
            "Results that cannot be read, so not in any figure: {} ({}).",
            run.unreadable.len(),
            some(reasons.collect())
        ));
    }
    let untraced: Vec<String> = run
        .episodes
        .iter()
        .filter_map(|episode| {
            Some(format!(
                "{} ({})",
                episode.path,
                episode.trace.as_ref().err()?
            ))
        })
        .collect();
    if !untraced.is_empty() {
        notes.warn(format!(
            "Episodes whose events are missing, changed or cut: {} ({}). Their results count, but cannot be verified.",
            untraced.len(),
            some(untraced)
        ));
    }
    let tasks: BTreeSet<&str> = run
        .episodes
        .iter()
        .map(|e| e.result.task.as_str())
        .collect();
    if tasks.len() < 10 {
        notes.warn(format!(
            "Only {} of the specification's 100 tasks: the intervals are wide, and the figures say little about the rest.",
            tasks.len()
        ));
    }
    let uneven: BTreeSet<BTreeSet<&str>> = groups
        .iter()
        .map(|group| group.counted().map(|e| e.result.task.as_str()).collect())
        .collect();
    if uneven.len() > 1 {
        notes.warn("The conditions do not have the same tasks, so their shares must not be compared directly; the paired comparisons use common tasks only.".to_owned());
    }
}

fn settings(run: &Run, notes: &mut Notes) {
    let info = &run.info;
    if info.pace_ms != PACE {
        notes.warn(format!(
            "Observations were at least {} s apart, not {} s: not comparable with runs at the usual pace.",
            info.pace_ms as f64 / 1000.0,
            PACE / 1000
        ));
    }
    if info.gate != "local" {
        notes.warn(format!(
            "The keyframe gate was `{}`, not the default `local`.",
            info.gate
        ));
    }
    if info.burst {
        notes.inform("Frames were also captured when something was drawn (--burst).".to_owned());
    }
    match info.host_commit.as_deref() {
        None => notes
            .inform("The host was not built from a checkout: its commit is not known.".to_owned()),
        Some(commit) if commit.ends_with("-dirty") => notes.warn(
            "The host's checkout had uncommitted changes: the commit does not say what ran."
                .to_owned(),
        ),
        Some(_) => {}
    }
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for episode in &run.episodes {
        let policy = &episode.result.policy;
        versions
            .entry(&policy.name)
            .or_default()
            .insert(&policy.sha256);
    }
    for (policy, hashes) in versions {
        if hashes.len() > 1 {
            notes.warn(format!(
                "The episodes of {policy} ran {} different builds of it.",
                hashes.len()
            ));
        }
    }
}

/// Assists, which no agent of the benchmark has.
fn assists(groups: &[Group], conditions: &[Condition], notes: &mut Notes) {
    let mut aided: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (group, condition) in groups.iter().zip(conditions) {
        let traces = group
            .episodes
            .iter()
            .filter_map(|episode| episode.trace.as_ref().ok());
        for assist in traces.flat_map(|trace| &trace.assists) {
            aided
                .entry(assist.to_string())
                .or_default()
                .insert(&condition.id);
        }
    }
    for (assist, conditions) in aided {
        let who = some(conditions.into_iter().map(str::to_owned).collect());
        if assist == "solution" {
            notes.warn(format!(
                "Had the task's script (`solution`), so this is not an agent's score: {who}."
            ));
        } else {
            notes.inform(format!(
                "Had the assist `{assist}`, which the specification's agents do not have: {who}."
            ));
        }
    }
}

fn infrastructure(run: &Run, notes: &mut Notes) {
    let sum = |of: fn(&Episode) -> u64| run.episodes.iter().map(of).sum::<u64>();
    let lost: Vec<&Episode> = run
        .episodes
        .iter()
        .filter(|episode| !super::counts(episode))
        .collect();
    if !lost.is_empty() {
        let mut causes: BTreeMap<String, u64> = BTreeMap::new();
        for episode in &lost {
            *causes.entry(episode.result.cause.name()).or_default() += 1;
        }
        let causes = causes
            .iter()
            .map(|(cause, n)| format!("{cause} {n}"))
            .collect();
        notes.warn(format!(
            "Episodes that do not count (infrastructure or unscored): {}, by cause {}. They are left out of every share.",
            lost.len(),
            some(causes)
        ));
    }
    let slow = lost
        .iter()
        .filter(|episode| episode.result.cause == EndCause::CaptureLate);
    let slow = slow.count() as u64;
    if slow > 0 {
        notes.warn(format!(
            "The machine was too slow for {} (`capture-late`): use fewer `--lanes` (the run had {}).",
            crate::text::number(slow, "episode"),
            run.info.lanes
        ));
    }
    let again = sum(|episode| u64::from(episode.result.earlier_infrastructure_errors));
    if again > 0 {
        notes.inform(format!(
            "Infrastructure failures in episodes that were run again: {again}."
        ));
    }
    let frames = sum(|episode| episode.result.perception.frames);
    let late = sum(|episode| episode.result.perception.late_frames);
    if frames > 0 && late as f64 > LATE * frames as f64 {
        notes.warn(format!(
            "{:.1} % of the capture intervals were late: the machine was busy, and keyframes may be missing.",
            100.0 * late as f64 / frames as f64
        ));
    }
    let gaps = sum(|episode| episode.result.perception.sound_gaps_ms);
    if gaps > 0 {
        notes.warn(format!(
            "{:.1} s of sound were lost before the recognizer.",
            gaps as f64 / 1000.0
        ));
    }
}

fn money(run: &Run, conditions: &[Condition], notes: &mut Notes) {
    let unpriced: u64 = conditions
        .iter()
        .filter_map(|condition| condition.usage.as_ref())
        .map(|usage| usage.unpriced)
        .sum();
    if unpriced > 0 {
        notes.inform(format!("Episodes without a cost, since their model has no price in the price table: {unpriced}. Sums of money leave them out."));
    }
    if let Some(inference) = &run.info.inference {
        for (host, url) in &inference.endpoints {
            notes.warn(format!(
                "Requests to {host} were sent to {url}: only that server knows which model answered."
            ));
        }
    }
}
