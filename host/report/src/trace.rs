//! What an episode's events say about its moments: was the fact shown, perceived, observed, used, accepted?
//!
//! The rules are of time and place, since a record holds no understanding of pictures. A moment of the screen is perceived by
//! the first keyframe that was captured while it was up, or by a screenshot taken then; one of sound by the first sentence that
//! lies over its beginning. `docs/report.md` has them in full.

use std::collections::HashSet;

use dynacu_record::vocabulary::{Assist, Channel, Sentence};
use dynacu_record::{
    DeclaredMoment, EpisodeResult, Event, Line, MomentChannel, Outcome, PageEvent,
};
use serde::Serialize;

/// How long a moment of the screen is taken to be up where the record does not say, milliseconds.
const UP: u64 = 5000;
/// A frame may be captured so long after the page said that it changed something.
const FRAME: u64 = 400;
/// Speech begins at most so long after the page's mark.
const VOICE: u64 = 6000;

/// How far the fact came in an episode that was not passed: the first thing that did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureStage {
    /// The policy, its model or its adapter failed.
    AgentFailed,
    /// The page never came to a moment that the task needs.
    NotShown,
    /// The mode grants no channel by which it could be perceived, and no screenshot fell on it.
    NotGranted,
    /// It was shown, but no keyframe and no sentence has it.
    NotCaptured,
    /// It was captured, but no observation took it in.
    NotObserved,
    /// It was observed, but nothing was answered afterwards.
    NotAnswered,
    /// Something was answered, and the scorer did not accept it.
    NotAccepted,
    /// The record has no moments to tell by.
    Unknown,
}

impl FailureStage {
    /// All there are, in the order of a fact's way.
    pub const ALL: [FailureStage; 8] = [
        FailureStage::AgentFailed,
        FailureStage::NotShown,
        FailureStage::NotGranted,
        FailureStage::NotCaptured,
        FailureStage::NotObserved,
        FailureStage::NotAnswered,
        FailureStage::NotAccepted,
        FailureStage::Unknown,
    ];

    /// As a person reads it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            FailureStage::AgentFailed => "agent failed",
            FailureStage::NotShown => "never shown",
            FailureStage::NotGranted => "channel not granted",
            FailureStage::NotCaptured => "shown, not captured",
            FailureStage::NotObserved => "captured, not observed",
            FailureStage::NotAnswered => "observed, not answered",
            FailureStage::NotAccepted => "answered, not accepted",
            FailureStage::Unknown => "no moments recorded",
        }
    }
}

/// By what a moment was perceived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// A kept frame shows it.
    Keyframe,
    /// An observation's screenshot shows it.
    Screenshot,
    /// A recognised sentence has it.
    Sentence,
}

/// A moment that the page reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    /// As the page reports it.
    pub name: String,
    /// None where the task does not declare the moment.
    pub channel: Option<MomentChannel>,
    /// Whether the task cannot be solved without it.
    pub needed: bool,
    /// Milliseconds since t = 0.
    pub at: u64,
    /// None where it was not perceived.
    pub by: Option<By>,
    /// From what could be perceived (the change; the end of the sentence) to the host's knowing it, milliseconds.
    pub delay_ms: Option<u64>,
    /// Whether an observation took it in.
    pub observed: bool,
}

/// The event to look at first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pointer {
    /// The event's number in the record.
    pub seq: u64,
    /// Milliseconds since t = 0.
    pub t: u64,
    /// In words.
    pub why: String,
}

/// An episode's events, read for a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// What the agent was asked.
    pub instruction: String,
    /// The channels of the mode that the policy got.
    pub granted: Vec<Channel>,
    /// Aids beyond the channels, such as `solution`.
    pub assists: Vec<Assist>,
    /// The keyframe gate, if keyframes were granted.
    pub gate: Option<String>,
    /// Moments that the page reported.
    pub moments: Vec<Moment>,
    /// Needed moments that the page did not report.
    pub missing: Vec<String>,
    /// None where the episode passed or does not count.
    pub stage: Option<FailureStage>,
    /// None where the episode passed.
    pub look_at: Option<Pointer>,
    /// Attempts at a model that had to be repeated.
    pub retries: u64,
}

impl Trace {
    /// Reads an episode's events.
    #[must_use]
    pub fn of(result: &EpisodeResult, entries: &[Line]) -> Trace {
        let mut trace = Trace {
            instruction: String::new(),
            granted: Vec::new(),
            assists: Vec::new(),
            gate: None,
            moments: Vec::new(),
            missing: Vec::new(),
            stage: None,
            look_at: None,
            retries: 0,
        };
        let mut declared: &[DeclaredMoment] = &[];
        for entry in entries {
            match &entry.event {
                Event::EpisodeStarted(started) => {
                    trace.instruction.clone_from(&started.brief.instruction);
                    trace.granted.clone_from(&started.brief.granted);
                    trace.assists.clone_from(&started.assists);
                    trace.gate = Some(started.perception.gate.clone());
                    declared = &started.moments;
                }
                Event::ModelRetry { .. } => trace.retries += 1,
                _ => {}
            }
        }
        trace.moments = moments(entries, declared, &trace.granted);
        let reported: HashSet<&str> = trace.moments.iter().map(|m| m.name.as_str()).collect();
        trace.missing = declared
            .iter()
            .filter(|moment| moment.needed && !reported.contains(moment.name.as_str()))
            .map(|moment| moment.name.clone())
            .collect();
        trace.stage = stage(result, entries, &trace, declared);
        trace.look_at = look_at(result, entries, &trace);
        trace
    }
}

/// A screen's moment may be over before anything looks; a sound's lies under a sentence.
fn moments(entries: &[Line], declared: &[DeclaredMoment], granted: &[Channel]) -> Vec<Moment> {
    let mut found = Vec::new();
    for entry in entries {
        let Event::Page(PageEvent { at, name, data }) = &entry.event else {
            continue;
        };
        let Some(moment) = data["name"].as_str().filter(|_| name == "moment") else {
            continue;
        };
        let declaration = declared.iter().find(|declared| declared.name == moment);
        let channel = declaration.map(|declared| declared.channel);
        let up = declaration
            .and_then(|declared| declared.seconds)
            .map_or(UP, |seconds| (seconds * 1000.0) as u64);
        let has = |channel| granted.contains(&channel);
        let seen = (channel != Some(MomentChannel::Audio))
            .then(|| seen(entries, *at, up, has(Channel::Keyframes)))
            .flatten();
        let heard = (channel != Some(MomentChannel::Screen) && has(Channel::Audio))
            .then(|| heard(entries, *at))
            .flatten();
        let (by, delay_ms, observed) = match (seen, heard) {
            (Some(seen), _) => seen,
            (None, Some(heard)) => heard,
            (None, None) => (None, None, false),
        };
        found.push(Moment {
            name: moment.to_owned(),
            channel,
            needed: declaration.is_none_or(|declared| declared.needed),
            at: *at,
            by,
            delay_ms,
            observed,
        });
    }
    found
}

type Perceived = (Option<By>, Option<u64>, bool);

fn seen(entries: &[Line], at: u64, up: u64, keyframes: bool) -> Option<Perceived> {
    let last = at + up + FRAME;
    let in_screenshot = entries.iter().any(|entry| match &entry.event {
        Event::Observation { observation, .. } => (at..=at + up).contains(&observation.taken_at),
        _ => false,
    });
    let kept: Vec<(&str, u64)> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Keyframe {
                frame, captured_at, ..
            } if (at..=last).contains(captured_at) => {
                Some((frame.as_str(), entry.t.saturating_sub(at)))
            }
            _ => None,
        })
        .filter(|_| keyframes)
        .collect();
    if let Some((_, delay)) = kept.first() {
        let observed = entries.iter().any(|entry| match &entry.event {
            Event::Observation { observation, .. } => observation
                .keyframes
                .iter()
                .any(|taken| kept.iter().any(|(frame, _)| *frame == taken.frame)),
            _ => false,
        });
        return Some((Some(By::Keyframe), Some(*delay), observed || in_screenshot));
    }
    in_screenshot.then_some((Some(By::Screenshot), None, true))
}

fn heard(entries: &[Line], at: u64) -> Option<Perceived> {
    let over =
        |sentence: &Sentence| sentence.started_at <= at + VOICE && sentence.ended_at >= at + FRAME;
    let delay = entries.iter().find_map(|entry| match &entry.event {
        Event::Sentence { sentence } if over(sentence) => {
            Some(entry.t.saturating_sub(sentence.ended_at))
        }
        _ => None,
    });
    let observed = entries.iter().any(|entry| match &entry.event {
        Event::Observation { observation, .. } => observation
            .audio_context
            .iter()
            .any(|context| context.sentences.iter().any(over)),
        _ => false,
    });
    (delay.is_some() || observed).then_some((Some(By::Sentence), delay, observed))
}

/// Whether a channel is granted on which a moment can be perceived; either will do where the channel is not known.
#[must_use]
pub fn grants(granted: &[Channel], channel: Option<MomentChannel>) -> bool {
    let has = |channel| granted.contains(&channel);
    match channel {
        Some(MomentChannel::Audio) => has(Channel::Audio),
        Some(MomentChannel::Screen) => has(Channel::Keyframes),
        None => has(Channel::Audio) || has(Channel::Keyframes),
    }
}

/// What a page reports by itself; everything else was brought about by the policy.
fn is_answer(name: &str) -> bool {
    !matches!(
        name,
        "moment" | "reveal" | "window-opened" | "window-closed" | "ready" | "page-error"
    )
}

fn stage(
    result: &EpisodeResult,
    entries: &[Line],
    trace: &Trace,
    declared: &[DeclaredMoment],
) -> Option<FailureStage> {
    match result.outcome {
        Outcome::Passed | Outcome::InfrastructureError | Outcome::Unscored => return None,
        Outcome::AgentError => return Some(FailureStage::AgentFailed),
        Outcome::Failed | Outcome::Timeout => {}
    }
    let granted = |channel: Option<MomentChannel>| grants(&trace.granted, channel);
    let missing = |moment: &&DeclaredMoment| trace.missing.contains(&moment.name);
    // A policy that sees at once that it lacks the channel does not wait for the moment.
    if declared
        .iter()
        .filter(missing)
        .any(|moment| !granted(Some(moment.channel)))
    {
        return Some(FailureStage::NotGranted);
    }
    if !trace.missing.is_empty() {
        return Some(FailureStage::NotShown);
    }
    if declared.is_empty() && trace.moments.is_empty() {
        return Some(FailureStage::Unknown);
    }
    let needed = || trace.moments.iter().filter(|moment| moment.needed);
    if needed().any(|moment| moment.by.is_none() && !granted(moment.channel)) {
        return Some(FailureStage::NotGranted);
    }
    if needed().any(|moment| moment.by.is_none()) {
        return Some(FailureStage::NotCaptured);
    }
    if needed().any(|moment| !moment.observed) {
        return Some(FailureStage::NotObserved);
    }
    let since = needed().map(|moment| moment.at).min().unwrap_or(0);
    let answered = entries.iter().any(
        |entry| matches!(&entry.event, Event::Page(PageEvent { at, name, .. }) if *at >= since && is_answer(name)),
    );
    Some(if answered {
        FailureStage::NotAccepted
    } else {
        FailureStage::NotAnswered
    })
}

/// The event at which an episode went wrong, as far as its stage can tell.
fn look_at(result: &EpisodeResult, entries: &[Line], trace: &Trace) -> Option<Pointer> {
    if result.outcome == Outcome::Passed {
        return None;
    }
    let point = |entry: &Line, why: String| Pointer {
        seq: entry.seq,
        t: entry.t,
        why,
    };
    let last = |pick: fn(&Event) -> bool| entries.iter().rev().find(|entry| pick(&entry.event));
    let moment = |wanted: &dyn Fn(&Moment) -> bool, why: &str| {
        let moment = trace
            .moments
            .iter()
            .find(|moment| moment.needed && wanted(moment))?;
        let entry = entries.iter().find(|entry| {
            matches!(&entry.event, Event::Page(PageEvent { at, name, .. }) if *at == moment.at && name == "moment")
        })?;
        Some(point(entry, format!("{} {why}", moment.name)))
    };
    let found = match trace.stage {
        Some(FailureStage::NotGranted | FailureStage::NotCaptured) => moment(
            &|moment| moment.by.is_none(),
            "was shown here and not perceived",
        ),
        Some(FailureStage::NotObserved) => moment(
            &|moment| !moment.observed,
            "was shown here; no observation took it in",
        ),
        Some(FailureStage::NotAnswered) => last(|event| matches!(event, Event::Observation { .. }))
            .map(|entry| {
                point(
                    entry,
                    "the last observation; nothing was answered after it".to_owned(),
                )
            }),
        Some(FailureStage::NotAccepted) => last(|event| matches!(event, Event::Verdict { .. }))
            .or_else(|| {
                last(
                    |event| matches!(event, Event::Page(PageEvent { name, .. }) if is_answer(name)),
                )
            })
            .map(|entry| point(entry, "the answer that was not accepted".to_owned())),
        Some(FailureStage::AgentFailed) => {
            last(|event| matches!(event, Event::ModelAnswer { error: Some(_), .. }))
                .map(|entry| point(entry, "the model's last failure".to_owned()))
        }
        Some(FailureStage::NotShown | FailureStage::Unknown) | None => None,
    };
    found.or_else(|| {
        last(|event| matches!(event, Event::Ended { .. }))
            .or(entries.last())
            .map(|entry| point(entry, result.detail.clone()))
    })
}

#[cfg(test)]
mod tests;
