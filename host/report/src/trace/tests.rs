use dynacu_record::EndCause;
use serde_json::{Value, json};

use super::*;

/// A result with an outcome; everything else of it is beside the point.
fn result(outcome: &str) -> EpisodeResult {
    serde_json::from_value(json!({
        "schema": 2, "gate": "local", "model_calls": 0, "task": "F-E1", "category": "F", "tier": "easy", "mode": "aoi_full", "trial": 1, "seed": "0",
        "policy": {"name": "p", "version": "1", "sha256": ""}, "model": null, "outcome": outcome, "cause": "task-ended",
        "detail": "why it ended", "page_result": "", "score": null, "steps": 1, "time_to_completion_s": null, "wall_s": 1.0,
        "overhead_ms": {"observe": [], "asr": [], "keyframe": [], "encode": []}, "model_ms": [],
        "usage": {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_tokens": 0, "cost_usd": null},
        "perception": {"frames": 0, "late_frames": 0, "interval_ms": null, "recognition_failures": 0, "keyframes": 0, "sentences": 0, "heard_s": 0.0, "sound_gaps_ms": 0,
            "moments": 0, "delay_ms_p95": null},
        "speech": {"utterances": 0, "received": 0, "latency_ms_p95": null},
        "actions": {"done": 0, "off_screen": 0, "forbidden": 0, "unknown_key": 0, "not_granted": 0, "cancelled": 0, "invalid": 0, "failed": 0},
        "earlier_infrastructure_errors": 0
    }))
    .unwrap()
}

/// The beginning of an episode whose task needs one moment, then these events.
fn entries(granted: &[&str], channel: &str, events: &[(u64, Value)]) -> Vec<Line> {
    let seconds = (channel == "screen").then_some(1.0);
    let beginning = json!({
        "event": "episode-started", "schema": 2, "task": "F-E1", "mode": "aoi_full", "trial": 1, "seed": "0", "sub_seed": 0,
        "variant": {}, "policy": "p", "settings": "{}", "model": null, "assists": [], "guest_random": "",
        "brief": {"episode": "", "instruction": "Do it.", "screen": [1280, 720], "pace_ms": 5000, "time_limit_ms": 60000,
            "step_limit": 10, "granted": granted},
        "perception": {"fps": 3.0, "gate": "local", "gate_key": "", "pixel_threshold": null, "semantic_threshold": null,
            "burst": false, "encoder": ""},
        "moments": [{"name": "fact", "channel": channel, "seconds": seconds, "needed": true}],
    });
    let all = std::iter::once((0, beginning)).chain(events.iter().cloned());
    all.enumerate()
        .map(|(seq, (t, mut event))| {
            event["seq"] = json!(seq);
            event["t"] = json!(t);
            event["previous"] = json!("");
            serde_json::from_value(event).unwrap()
        })
        .collect()
}

fn moment(at: u64) -> (u64, Value) {
    (
        at,
        json!({"event": "page", "at": at, "name": "moment", "data": {"name": "fact"}}),
    )
}

fn keyframe(captured: u64) -> (u64, Value) {
    (
        captured + 200,
        json!({"event": "keyframe", "frame": "k", "captured_at": captured, "changed": [0, 0, 9, 9], "changed_fraction": 0.1,
            "semantic_distance": null, "settled": false, "decided_after_ms": 200}),
    )
}

fn observation(at: u64, keyframes: &[&str], heard: Value) -> (u64, Value) {
    let keyframes: Vec<Value> = keyframes
        .iter()
        .map(|frame| {
            json!({"frame": frame, "captured_at": at, "changed": [0, 0, 9, 9], "changed_fraction": 0.1,
                "semantic_distance": null})
        })
        .collect();
    let context =
        (!heard.is_null()).then(|| json!({"started_at": 0, "ended_at": at, "sentences": heard}));
    (
        at + 50,
        json!({"event": "observation", "step": 1, "asked_at": at, "paced_ms": 0, "took_ms": 50, "taken_at": at,
            "screenshot": "s", "pointer": [0, 0], "keyframes": keyframes, "keyframes_dropped": 0, "recent_audio": null,
            "audio_context": context, "remaining_ms": 0}),
    )
}

fn submit(at: u64) -> (u64, Value) {
    (
        at,
        json!({"event": "page", "at": at, "name": "submit", "data": {}}),
    )
}

fn of(granted: &[&str], channel: &str, events: &[(u64, Value)]) -> Trace {
    Trace::of(&result("failed"), &entries(granted, channel, events))
}

#[test]
fn the_stage_is_the_first_thing_that_did_not_happen() {
    let both = &["keyframes", "audio"];
    let stage = |events: &[(u64, Value)]| of(both, "screen", events).stage;
    assert_eq!(stage(&[]), Some(FailureStage::NotShown));
    assert_eq!(stage(&[moment(1000)]), Some(FailureStage::NotCaptured));
    assert_eq!(
        stage(&[moment(1000), keyframe(1300)]),
        Some(FailureStage::NotObserved)
    );
    let seen = [
        moment(1000),
        keyframe(1300),
        observation(5000, &["k"], Value::Null),
    ];
    assert_eq!(stage(&seen), Some(FailureStage::NotAnswered));
    let answered = [&seen[..], &[submit(6000)]].concat();
    assert_eq!(stage(&answered), Some(FailureStage::NotAccepted));
    assert_eq!(
        Trace::of(&result("passed"), &entries(both, "screen", &answered)).stage,
        None
    );
    assert_eq!(
        Trace::of(&result("agent-error"), &entries(both, "screen", &[])).stage,
        Some(FailureStage::AgentFailed)
    );
}

#[test]
fn a_channel_that_is_not_granted_is_told_from_one_that_missed() {
    assert_eq!(
        of(&[], "screen", &[moment(1000)]).stage,
        Some(FailureStage::NotGranted)
    );
    assert_eq!(
        of(&["keyframes"], "audio", &[moment(1000)]).stage,
        Some(FailureStage::NotGranted)
    );
    // A policy that gives up before the moment lacked the channel all the same.
    assert_eq!(of(&[], "audio", &[]).stage, Some(FailureStage::NotGranted));
    // The host records keyframes in every mode: they are no perception where they were not granted.
    let trace = of(&[], "screen", &[moment(1000), keyframe(1300)]);
    assert_eq!(trace.moments[0].by, None);
    // But a screenshot that falls on it is.
    let lucky = of(
        &[],
        "screen",
        &[
            moment(1000),
            observation(1500, &[], Value::Null),
            submit(3000),
        ],
    );
    assert_eq!(lucky.moments[0].by, Some(By::Screenshot));
    assert_eq!(lucky.stage, Some(FailureStage::NotAccepted));
}

#[test]
fn a_frame_before_or_long_after_does_not_count_and_the_delay_is_measured_from_the_change() {
    let trace = of(
        &["keyframes"],
        "screen",
        &[keyframe(900), moment(1000), keyframe(4000)],
    );
    assert_eq!(trace.moments[0].by, None);
    let trace = of(&["keyframes"], "screen", &[moment(1000), keyframe(1300)]);
    assert_eq!(trace.moments[0].delay_ms, Some(500));
}

#[test]
fn a_sentence_over_the_moments_beginning_is_its_hearing() {
    let said = |from: u64| json!({"started_at": from, "ended_at": from + 2000, "text": "It is.", "confidence": 0.9, "is_final": true, "starts_turn": false});
    let sentence = |from: u64| {
        (
            from + 3000,
            json!({"event": "sentence", "sentence": said(from)}),
        )
    };
    let late = of(&["audio"], "audio", &[moment(10_000), sentence(17_000)]);
    assert_eq!(late.stage, Some(FailureStage::NotCaptured));
    let heard = of(
        &["audio"],
        "audio",
        &[
            moment(10_000),
            sentence(10_500),
            observation(14_000, &[], json!([said(10_500)])),
        ],
    );
    assert_eq!(heard.moments[0].by, Some(By::Sentence));
    assert_eq!(heard.moments[0].delay_ms, Some(1000));
    assert_eq!(heard.stage, Some(FailureStage::NotAnswered));
}

#[test]
fn the_pointer_names_the_event_to_look_at() {
    let trace = of(&["keyframes"], "screen", &[moment(1000), submit(1200)]);
    let pointer = trace.look_at.unwrap();
    assert_eq!((pointer.seq, pointer.t), (1, 1000));
    assert!(pointer.why.contains("fact"));
    let ended = (
        9000,
        json!({"event": "ended", "cause": EndCause::TimeLimit, "detail": ""}),
    );
    let trace = of(&["keyframes"], "screen", &[ended]);
    assert_eq!(trace.look_at.unwrap().t, 9000);
    assert_eq!(trace.missing, ["fact"]);
    let verdict = (2000, json!({"event": "verdict", "label": "wrong"}));
    let events = [
        moment(1000),
        keyframe(1100),
        observation(1500, &["k"], Value::Null),
        submit(1900),
        verdict,
    ];
    assert_eq!(
        of(&["keyframes"], "screen", &events).look_at.unwrap().t,
        2000
    );
}
