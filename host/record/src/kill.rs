//! Kills the writing process at each of its writes, one after the other: a reader then sees a whole episode or none, and
//! writing it again completes it.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Event, Outcome, Writer, hash, read_episode, read_events, write_json};

/// Points that are left until the process dies; 0 for never.
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Before, in the middle of and after each write.
pub(crate) fn point() {
    if LEFT.load(Ordering::SeqCst) > 0 && LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        std::process::abort();
    }
}

/// A small episode with everything that the host writes through this crate.
fn write_episode(folder: &Path, outcome: Outcome) {
    let (writer, recorder) = Writer::start(folder).unwrap();
    let note = |text: &str| Event::Note {
        text: text.to_owned(),
    };
    recorder.event(0, note("begins"));
    for step in 1..=2_u32 {
        let screenshot = recorder.blob(
            format!("pixels of step {step}").repeat(50).into_bytes(),
            "image/png",
        );
        recorder.event(
            u64::from(step),
            Event::Observation {
                asked_at: 0,
                paced_ms: 0,
                took_ms: 0,
                observation: Box::new(crate::Observation {
                    step,
                    taken_at: 0,
                    screenshot,
                    pointer: (0, 0).into(),
                    keyframes: Vec::new(),
                    keyframes_dropped: 0,
                    recent_audio: None,
                    audio_context: None,
                    remaining_ms: 0,
                }),
            },
        );
    }
    recorder.event(9, Event::Scored { score: None });
    drop(recorder);
    writer.finish().unwrap();
    write_json(&folder.join("episode.json"), &result(outcome)).unwrap();
}

fn result(outcome: Outcome) -> crate::EpisodeResult {
    serde_json::from_value(serde_json::json!({
        "schema": 2, "gate": "local", "model_calls": 0, "task": "A-E1", "category": "A", "tier": "easy", "mode": "standard", "trial": 1, "seed": "0",
        "policy": {"name": "idle", "version": "1", "sha256": ""}, "model": null,
        "outcome": outcome, "cause": "task-ended", "detail": "", "page_result": "", "score": null,
        "steps": 2, "time_to_completion_s": null, "wall_s": 1.0,
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

/// What a reader finds: the outcome of a whole episode, or none. Half of one is a failure.
fn seen(folder: &Path) -> Option<Outcome> {
    if !folder.join("episode.json").exists() {
        return None;
    }
    let result = read_episode(folder).unwrap();
    let events = read_events(folder).unwrap();
    let mut screenshots = 0;
    for entry in &events {
        if let Event::Observation { observation, .. } = &entry.event {
            let screenshot = &observation.screenshot;
            let blob = std::fs::read(folder.join(format!("blobs/{screenshot}.png"))).unwrap();
            assert_eq!(hash(&blob), *screenshot);
            screenshots += 1;
        }
    }
    assert_eq!(screenshots, 2);
    assert!(
        matches!(events.last().unwrap().event, Event::Scored { .. }),
        "the last line is missing"
    );
    Some(result.outcome)
}

const FOLDER: &str = "DYNACU_TEST_KILLED_FOLDER";
const AT: &str = "DYNACU_TEST_KILLED_AT";

/// Not a test of its own: the process that the test below kills.
#[test]
#[ignore = "started by the test below"]
fn writer_to_be_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let at = std::env::var(AT).unwrap().parse().unwrap();
    LEFT.store(at, Ordering::SeqCst);
    write_episode(Path::new(&folder), Outcome::Passed);
}

/// Gives how many points the writer lived through.
fn killed_at_every_point(earlier: Option<Outcome>) -> usize {
    let mut found = Vec::new();
    for at in 1.. {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("1");
        if let Some(outcome) = earlier {
            write_episode(&folder, outcome);
        }
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "kill::writer_to_be_killed"])
            .env(FOLDER, &folder)
            .env(AT, at.to_string())
            .output()
            .unwrap();
        let whole = seen(&folder);
        if child.status.success() {
            assert_eq!(whole, Some(Outcome::Passed));
            break;
        }
        found.push(whole);
        write_episode(&folder, Outcome::Failed);
        assert_eq!(
            seen(&folder),
            Some(Outcome::Failed),
            "what was left at point {at} hindered the next attempt"
        );
    }
    // The old episode as long as nothing was removed, then none, and the new one only after the very last write.
    let begins = found.iter().take_while(|seen| **seen == earlier).count();
    let none = found.iter().skip(begins).filter(|seen| seen.is_none());
    if earlier.is_some() {
        assert_eq!(begins + none.count() + 1, found.len(), "{found:?}");
    }
    assert_eq!(found.last(), Some(&Some(Outcome::Passed)), "{found:?}");
    found.len()
}

#[test]
fn an_episode_is_whole_or_absent_wherever_its_writer_dies() {
    // Two points for each of the four lines, four for each of the two blobs and for the result, one for the old result.
    assert_eq!(killed_at_every_point(None), 4 * 2 + 3 * 4 + 1);
}

#[test]
fn an_episode_that_is_run_again_is_the_old_one_the_new_one_or_none() {
    assert_eq!(
        killed_at_every_point(Some(Outcome::InfrastructureError)),
        4 * 2 + 3 * 4 + 1
    );
}
