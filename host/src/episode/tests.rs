use serde_json::json;

use super::*;

/// The result of an episode that ended with this outcome.
pub(crate) fn result(outcome: &str) -> EpisodeResult {
    serde_json::from_value(json!({
        "schema": 2, "gate": "local", "model_calls": 0, "task": "PAGE", "category": "P", "tier": "medium", "mode": "standard", "trial": 2, "seed": "1",
        "policy": {"name": "idle", "version": "1", "sha256": ""}, "model": null,
        "outcome": outcome, "cause": "task-ended", "detail": "", "page_result": "over", "steps": 0,
        "score": {"value": 1.0, "passed": true, "explanation": "", "metrics": {}},
        "time_to_completion_s": null, "wall_s": 1.0,
        "overhead_ms": {"observe": [], "asr": [], "keyframe": [], "encode": []}, "model_ms": [],
        "usage": {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_tokens": 0, "cost_usd": null},
        "perception": {"frames": 0, "late_frames": 0, "interval_ms": null, "recognition_failures": 0, "keyframes": 0, "sentences": 0, "heard_s": 0.0,
                       "sound_gaps_ms": 0, "moments": 0, "delay_ms_p95": null},
        "speech": {"utterances": 0, "received": 0, "latency_ms_p95": null},
        "actions": {"done": 0, "off_screen": 0, "forbidden": 0, "unknown_key": 0, "not_granted": 0, "cancelled": 0, "invalid": 0, "failed": 0},
        "earlier_infrastructure_errors": 0
    }))
    .unwrap()
}

fn closed(folder: &Path, result: EpisodeResult) -> EpisodeResult {
    let (writer, recorder) = Writer::start(folder).unwrap();
    close(writer, recorder, folder, result, 7, Instant::now())
}

#[test]
fn a_result_that_cannot_be_written_is_lost_and_leaves_no_result_behind() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("1");
    let (writer, recorder) = Writer::start(&folder).unwrap();
    // What no file can take the place of.
    std::fs::create_dir_all(folder.join("episode.json/inside")).unwrap();
    let lost = close(
        writer,
        recorder,
        &folder,
        result("passed"),
        7,
        Instant::now(),
    );
    assert_eq!(lost.cause, EndCause::RecordLost);
    assert_eq!(lost.outcome, Outcome::InfrastructureError);
    assert!(
        lost.detail.contains("cannot write the result into"),
        "{}",
        lost.detail
    );
    assert!(dynacu_record::read_episode(&folder).is_err());
}

#[test]
fn what_a_page_says_is_cut_where_it_becomes_a_result() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("1");
    let mut said = result("passed");
    let long = "x".repeat(200_000_000);
    said.page_result.clone_from(&long);
    said.detail = format!("the page reports an error: {long}");
    if let Some(score) = &mut said.score {
        score.explanation = long;
    }
    let kept = closed(&folder, said);
    assert!(kept.page_result.ends_with("x…"));
    let size = folder.join("episode.json").metadata().unwrap().len();
    assert!(size < 16_000, "{size}");
    assert!(folder.join("events.jsonl").metadata().unwrap().len() < 16_000);
}
