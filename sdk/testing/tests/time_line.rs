//! The script's own clock, seen by built policies.

#![allow(
    clippy::unwrap_used,
    reason = "a test stops where something is missing"
)]

use std::path::Path;

use dynacu_runtime::types::{Channel, StopCause};
use dynacu_runtime::{Plugin, PolicyEnd};
use dynacu_sdk_testing::{Model, Picture, Reply, Script, load};

fn policy(name: &str) -> Plugin {
    let path = Path::new(concat!(env!("DYNACU_CHECKOUT"), "/sdk/testing"))
        .join(format!("../../plugins/dist/{name}.wasm"));
    assert!(path.exists(), "it is not built: run `make guests`");
    load(path).unwrap()
}

#[tokio::test]
async fn a_policy_that_does_nothing_meets_the_end_of_its_time_at_the_pace() {
    let ran = Script::new("Wait.")
        .lasting(22_000, 99)
        .run(&policy("idle"), Model::nobody(), "{}")
        .await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    assert_eq!(ran.stopped, Some(StopCause::TimeLimit));
    assert_eq!(ran.observations, 5, "at 0, 5, 10, 15 and 20 s");
    let ran = Script::new("Wait.")
        .lasting(60_000, 3)
        .run(&policy("idle"), Model::nobody(), "{}")
        .await;
    assert_eq!(
        (ran.stopped, ran.observations),
        (Some(StopCause::StepLimit), 3)
    );
}

#[tokio::test]
async fn a_wait_and_a_slow_model_take_the_script_s_time_and_channels_are_what_was_granted() {
    let script = |granted: &[Channel]| {
        Script::new("Type what you hear.")
            .granting(granted.iter().copied())
            .shows(0, Picture::named("form"))
            .shows(6_000, Picture::named("toast"))
            .says(7_000, 8_000, "Four.")
    };
    let model = || {
        Model::answering([
            Reply::calls(&[("wait", r#"{"seconds": 4}"#)]).after(3_000),
            Reply::calls(&[("done", "{}")]),
        ])
    };
    let all = [Channel::Keyframes, Channel::Audio];
    let ran = script(&all).run(&policy("aoi-full"), model(), "{}").await;
    assert_eq!(ran.end, PolicyEnd::Returned);
    let ats: Vec<u64> = ran.performed.iter().map(|one| one.at).collect();
    assert_eq!(ats, [3_000, 7_000], "the wait begins after the answer");
    let shown = ran.shown(&ran.requests[1]);
    assert!(
        shown.contains("<toast>") && !shown.contains("Four."),
        "{shown}"
    );
    let ran = script(&[]).run(&policy("standard"), model(), "{}").await;
    let shown = ran.shown(&ran.requests[1]);
    assert!(shown.ends_with("<toast>\n"), "the screen itself: {shown}");
    assert_eq!(shown.matches("<toast>").count(), 1, "no keyframe: {shown}");
}
