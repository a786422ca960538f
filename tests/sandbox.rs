//! Hostile plugins in real episodes: each ends its own with its own cause, in bounded time, and the next one is clean.

use std::time::{Duration, Instant};

use anyhow::Result;
use dynacu_record::{EndCause, Event, Outcome, read_events};
use dynacu_tests::{dynacu_host, episode, fixture};

/// Far above what any of them takes, far below a hang.
const BOUND: Duration = Duration::from_secs(60);

fn ends_with(name: &str, cause: EndCause) -> Result<()> {
    let began = Instant::now();
    let path = fixture(name)?;
    let ran = episode(&path.to_string_lossy(), "F-E1", "standard", 0)?;
    assert_eq!(
        (ran.result.outcome, ran.result.cause),
        (Outcome::AgentError, cause),
        "{:?}",
        ran.result
    );
    assert!(began.elapsed() < BOUND, "{name} took {:?}", began.elapsed());
    Ok(())
}

#[test]
fn a_guest_that_loops_for_ever() {
    ends_with("loops-forever", EndCause::GuestTimeout).unwrap();
}

#[test]
fn a_guest_that_grows_memory_for_ever() {
    ends_with("grows-memory", EndCause::GuestOutOfMemory).unwrap();
}

#[test]
fn a_guest_that_traps() {
    ends_with("traps", EndCause::GuestTrap).unwrap();
}

#[test]
fn after_a_hostile_guest_the_next_episode_on_the_lane_is_clean() {
    let run = tempfile::tempdir().unwrap();
    let out = run.path().join("run");
    let traps = fixture("traps").unwrap();
    let output = dynacu_host(&[
        "--plugin",
        traps.to_str().unwrap(),
        "--plugin",
        "reference",
        "--task",
        "F-E1",
        "--mode",
        "aoi_visual",
        "--out",
        out.to_str().unwrap(),
        "--json",
    ])
    .unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["episodes"][0]["cause"], "guest-trap");
    assert_eq!(summary["episodes"][1]["outcome"], "passed", "{summary}");
}

#[test]
fn a_tight_loop_of_observations_gets_one_screenshot_a_pace_and_no_other_channel() {
    let path = fixture("observes-in-a-loop").unwrap();
    let ran = episode(path.to_str().unwrap(), "F-E1", "standard", 0).unwrap();
    let mut taken = Vec::new();
    for entry in read_events(&ran.folder).unwrap() {
        if let Event::Observation {
            asked_at,
            paced_ms,
            keyframes,
            recent_audio,
            audio_context,
            ..
        } = entry.event
        {
            taken.push(asked_at + paced_ms);
            assert!(keyframes.is_empty() && recent_audio.is_none() && audio_context.is_none());
        }
    }
    assert!(taken.len() >= 3, "{taken:?}");
    // The pace is a rule of the benchmark, not a speed: two observations are never nearer than it.
    assert!(
        taken.windows(2).all(|pair| pair[1] - pair[0] >= 4_999),
        "{taken:?}"
    );
}
