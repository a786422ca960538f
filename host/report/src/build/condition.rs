//! The figures of one condition.

use std::collections::BTreeMap;

use dynacu_figures::Spread;
use dynacu_record::ActionCounts;

use super::{Group, count, counts, passed};
use crate::model::{Agent, Condition, Decided, Perception, Speech, Time, Usage};
use crate::read::Episode;
use crate::statistics::Share;
use crate::trace::grants;

pub(super) fn conditions(groups: &[Group], agents: &[Agent]) -> Vec<Condition> {
    let several_gates = groups.iter().any(|group| group.gate != groups[0].gate);
    groups
        .iter()
        .map(|group| {
            let agent = agents
                .get(group.agent)
                .map_or("?", |agent| agent.name.as_str());
            let gate = group.gate.as_deref().filter(|_| several_gates);
            let gate = gate.map_or_else(String::new, |gate| format!("@{gate}"));
            condition(group, format!("{agent}/{}{gate}", group.mode))
        })
        .collect()
}

fn condition(group: &Group, id: String) -> Condition {
    let mut outcomes = BTreeMap::new();
    let mut causes = BTreeMap::new();
    let mut stages = BTreeMap::new();
    let mut actions = ActionCounts::default();
    for episode in &group.episodes {
        let result = &episode.result;
        *outcomes
            .entry(result.outcome.name().to_owned())
            .or_default() += 1;
        *causes.entry(result.cause.name()).or_default() += 1;
        if let Ok(trace) = &episode.trace
            && let Some(stage) = trace.stage
        {
            *stages.entry(stage).or_default() += 1;
        }
        actions += &result.actions;
    }
    let of_counted =
        |pick: fn(&Episode) -> Option<f64>| Spread::of(group.counted().filter_map(pick));
    Condition {
        id,
        agent: group.agent,
        mode: group.mode.clone(),
        gate: group.gate.clone(),
        counts: count(group.episodes.iter().copied()),
        success: Share::of(&group.tally(|_| true)),
        decided: decided(group),
        outcomes,
        causes,
        stages,
        steps: of_counted(|episode| Some(f64::from(episode.result.steps))),
        completion_s: of_counted(|episode| {
            episode
                .result
                .time_to_completion_s
                .filter(|_| passed(episode))
        }),
        wall_s: of_counted(|episode| Some(episode.result.wall_s)),
        time: time(group),
        perception: perception(group),
        speech: speech(group),
        actions,
        usage: usage(group),
    }
}

/// Success with every episode of the group, those that do not count as failed and as passed.
fn decided(group: &Group) -> Option<Decided> {
    let mut tasks: BTreeMap<&str, (f64, f64, f64)> = BTreeMap::new();
    for episode in &group.episodes {
        let (all, passes, voids) = tasks.entry(episode.result.task.as_str()).or_default();
        *all += 1.0;
        *passes += f64::from(u8::from(passed(episode)));
        *voids += f64::from(u8::from(!super::counts(episode)));
    }
    let mean =
        |of: fn(&(f64, f64, f64)) -> f64| tasks.values().map(of).sum::<f64>() / tasks.len() as f64;
    (!tasks.is_empty()).then(|| Decided {
        failed: mean(|(all, passes, _)| passes / all),
        passed: mean(|(all, passes, voids)| (passes + voids) / all),
    })
}

fn time(group: &Group) -> Time {
    let spread =
        |pick: fn(&Episode) -> &Vec<u64>| Spread::of_millis(group.counted().flat_map(pick));
    let seconds = |values: &[u64]| values.iter().sum::<u64>() as f64 / 1000.0;
    let episodes = group.counted().count().max(1) as f64;
    let asked = group
        .counted()
        .any(|episode| episode.result.model.is_some());
    let total = |of: &dyn Fn(&Episode) -> f64| group.counted().map(of).sum::<f64>() / episodes;
    let observe = total(&|episode| seconds(&episode.result.overhead_ms.observe));
    let model = total(&|episode| seconds(&episode.result.model_ms));
    let wall = total(&|episode| episode.result.wall_s);
    Time {
        observe_ms: spread(|episode| &episode.result.overhead_ms.observe),
        asr_ms: spread(|episode| &episode.result.overhead_ms.asr),
        keyframe_ms: spread(|episode| &episode.result.overhead_ms.keyframe),
        encode_ms: spread(|episode| &episode.result.overhead_ms.encode),
        model_ms: spread(|episode| &episode.result.model_ms),
        observe_s_per_episode: observe,
        model_s_per_episode: asked.then_some(model),
        rest_s_per_episode: (wall - observe - model).max(0.0),
    }
}

fn perception(group: &Group) -> Perception {
    let mut all = Perception::default();
    let mut delays = Vec::new();
    for episode in group.counted() {
        let perception = &episode.result.perception;
        all.frames += perception.frames;
        all.late_frames += perception.late_frames;
        all.keyframes += perception.keyframes;
        all.sentences += perception.sentences;
        all.heard_s += perception.heard_s;
        all.sound_gaps_ms += perception.sound_gaps_ms;
        all.recognition_failures += u64::from(perception.recognition_failures);
        if let Ok(trace) = &episode.trace {
            for moment in &trace.moments {
                let granted = grants(&trace.granted, moment.channel);
                if granted {
                    let moments = all.moments.get_or_insert_default();
                    moments.shown += 1;
                    moments.perceived += u64::from(moment.by.is_some());
                    delays.extend(moment.delay_ms);
                }
            }
        }
    }
    all.delay_ms = Spread::of_millis(delays);
    all
}

fn speech(group: &Group) -> Option<Speech> {
    let speaking = || {
        group
            .counted()
            .filter(|episode| episode.result.speech.utterances > 0)
    };
    speaking().next()?;
    let sum = |of: fn(&Episode) -> u32| speaking().map(|episode| u64::from(of(episode))).sum();
    Some(Speech {
        utterances: sum(|episode| episode.result.speech.utterances),
        received: sum(|episode| episode.result.speech.received),
        latency_p95_ms: Spread::of_millis(
            speaking().filter_map(|episode| episode.result.speech.latency_ms_p95),
        ),
        accepted: Share::of(&group.tally(|episode| episode.result.speech.utterances > 0)),
    })
}

/// Over all episodes, since those that do not count cost money, too.
fn usage(group: &Group) -> Option<Usage> {
    let asking = || {
        group
            .episodes
            .iter()
            .copied()
            .filter(|e| e.result.model.is_some())
    };
    asking().next()?;
    let sum = |of: fn(&Episode) -> u64| asking().map(of).sum::<u64>();
    let costs: Vec<f64> = asking().filter_map(|e| e.result.usage.cost_usd).collect();
    let unpriced = asking()
        .filter(|e| e.result.usage.cost_usd.is_none() && e.result.model_calls > 0)
        .count() as u64;
    let cost = (!costs.is_empty()).then(|| costs.iter().sum::<f64>());
    let passes = asking().filter(|e| counts(e) && passed(e)).count();
    Some(Usage {
        calls: sum(|e| e.result.model_calls),
        answers: sum(|e| e.result.model_ms.len() as u64),
        retries: sum(|e| e.trace.as_ref().map_or(0, |trace| trace.retries)),
        input_tokens: sum(|e| e.result.usage.input_tokens),
        cached_input_tokens: sum(|e| e.result.usage.cached_input_tokens),
        output_tokens: sum(|e| e.result.usage.output_tokens),
        reasoning_tokens: sum(|e| e.result.usage.reasoning_tokens),
        cost_usd: cost,
        unpriced,
        cost_usd_per_pass: cost
            .filter(|_| unpriced == 0 && passes > 0)
            .map(|cost| cost / passes as f64),
    })
}
