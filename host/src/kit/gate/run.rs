//! A line of the ledger: what an episode came to. It is made of the episode's record, and of nothing else.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use dynacu_record::{
    EpisodeResult, EpisodeStarted, Event, Line, PageEvent, read_episode, read_events, record_digest,
};
use serde::{Deserialize, Serialize};

use super::Wants;
use super::inputs::digest_of;
use crate::episode::outcome;

/// What an episode came to, as it is committed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The digest of the record that shows it. Private, so that nothing but a record makes a line.
    record: String,
    /// What decided about it, by the record; another one means that it has to be run again.
    pub inputs: String,
    pub outcome: String,
    pub cause: String,
    pub page_result: String,
    pub steps: u32,
    /// From the start signal to the end.
    pub seconds: f64,
    /// When the last moment was marked, in seconds.
    pub last_moment: Option<f64>,
}

impl Run {
    /// Whether it counts for the gate; an infrastructure's failure never does.
    #[must_use]
    pub fn fits(&self, wants: Wants) -> bool {
        let passed = self.outcome == "passed";
        let scored = matches!(self.outcome.as_str(), "passed" | "failed" | "timeout");
        scored
            && match wants {
                Wants::Pass => passed,
                Wants::Shown => true,
                Wants::Nothing => !passed,
            }
    }
}

/// A line with its place in the ledger, which is the record's to say too.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The task's id.
    pub task: String,
    /// The check's name.
    pub check: String,
    pub run: Run,
}

impl Recorded {
    /// Reads the folder of an episode.
    ///
    /// # Errors
    /// The record is missing, was changed or cut, contradicts itself, or does not say what was run.
    pub fn read(folder: &Path) -> Result<Self> {
        let lines = read_events(folder)?;
        let result = read_episode(folder)?;
        let started = whole(&lines, &result)
            .with_context(|| format!("the record in {}", folder.display()))?;
        let inputs = started.inputs.as_ref().with_context(|| {
            format!(
                "the record in {} does not say what was run",
                folder.display()
            )
        })?;
        let moments = lines.iter().filter_map(|line| match &line.event {
            Event::Page(PageEvent { at, name, .. }) if name == "moment" => Some(*at),
            _ => None,
        });
        Ok(Self {
            task: started.task.clone(),
            check: format!("{} {} {}", started.policy, started.mode, started.seed),
            run: Run {
                record: record_digest(folder)?,
                inputs: digest_of(inputs),
                outcome: result.outcome.name().to_owned(),
                cause: result.cause.name(),
                page_result: result.page_result.clone(),
                steps: result.steps,
                seconds: tenths(lines.last().map_or(0, |line| line.t)),
                last_moment: moments.max().map(tenths),
            },
        })
    }
}

/// The first event, where result and events tell the same from start to score.
fn whole<'l>(lines: &'l [Line], result: &EpisodeResult) -> Result<&'l EpisodeStarted> {
    let [first, .., ended, scored] = lines else {
        bail!("is not whole");
    };
    let (Event::EpisodeStarted(started), Event::Ended { cause, .. }, Event::Scored { score }) =
        (&first.event, &ended.event, &scored.event)
    else {
        bail!("is not whole");
    };
    ensure!(
        (&started.task, &started.mode, &started.seed) == (&result.task, &result.mode, &result.seed)
            && started.policy == result.policy.name
            && (*cause, score) == (result.cause, &result.score)
            && outcome(result) == result.outcome,
        "contradicts itself: episode.json tells another episode than events.jsonl"
    );
    Ok(started)
}

fn tenths(milliseconds: u64) -> f64 {
    ((milliseconds + 50) / 100) as f64 / 10.0
}

#[cfg(test)]
pub mod tests {
    use dynacu_record::{EndCause, Inputs, Outcome, ScoreResult, Writer, write_json};
    use serde_json::json;

    use super::*;

    /// A line that no record shows, for what only reads lines.
    pub fn made_up(outcome: &str) -> Run {
        Run {
            record: String::new(),
            inputs: "0".to_owned(),
            outcome: outcome.to_owned(),
            cause: "task-ended".to_owned(),
            page_result: "x".to_owned(),
            steps: 1,
            seconds: 10.0,
            last_moment: None,
        }
    }

    /// Writes the record of an episode of A-E1 that ended after 12 s, the check named as in the ledger.
    pub fn write_record(folder: &Path, check: &str, passed: bool, inputs: Option<&Inputs>) {
        let [policy, mode, seed] = check.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{check} names no check")
        };
        let (writer, recorder) = Writer::start(folder).unwrap();
        let started = json!({
            "event": "episode-started", "schema": 2, "task": "A-E1", "mode": mode, "trial": 1, "seed": seed, "sub_seed": 0,
            "variant": {}, "policy": policy, "settings": "{}", "model": null, "assists": [], "guest_random": "",
            "brief": {"episode": "", "instruction": "Do it.", "screen": [1280, 720], "pace_ms": 5000, "time_limit_ms": 60000,
                "step_limit": 10, "granted": []},
            "perception": {"fps": 3.0, "gate": "local", "gate_key": "", "pixel_threshold": null, "semantic_threshold": null,
                "burst": false, "encoder": ""},
            "inputs": inputs, "moments": [],
        });
        recorder.event(0, serde_json::from_value(started).unwrap());
        recorder.event(
            7040,
            Event::Page(PageEvent {
                at: 7040,
                name: "moment".to_owned(),
                data: json!({"name": "price-said"}),
            }),
        );
        let score = Some(ScoreResult {
            value: f64::from(u8::from(passed)),
            passed,
            explanation: String::new(),
            metrics: std::collections::BTreeMap::new(),
        });
        let cause = EndCause::TaskEnded;
        let detail = String::new();
        recorder.event(12_000, Event::Ended { cause, detail });
        let scored = Event::Scored {
            score: score.clone(),
        };
        recorder.event(12_000, scored);
        drop(recorder);
        writer.finish().unwrap();
        let outcome = if passed {
            Outcome::Passed
        } else {
            Outcome::Failed
        };
        let result = json!({
            "schema": 2, "gate": "local", "model_calls": 0, "task": "A-E1", "category": "A", "tier": "easy", "mode": mode, "trial": 1,
            "seed": seed, "policy": {"name": policy, "version": "1", "sha256": ""}, "model": null, "outcome": outcome, "cause": cause,
            "detail": "", "page_result": if passed { "price_correct" } else { "wrong_answer" }, "score": score, "steps": 3,
            "time_to_completion_s": null, "wall_s": 1.0,
            "overhead_ms": {"observe": [], "asr": [], "keyframe": [], "encode": []}, "model_ms": [],
            "usage": {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_tokens": 0, "cost_usd": null},
            "perception": {"frames": 0, "late_frames": 0, "interval_ms": null, "recognition_failures": 0, "keyframes": 0,
                "sentences": 0, "heard_s": 0.0, "sound_gaps_ms": 0, "moments": 1, "delay_ms_p95": null},
            "speech": {"utterances": 0, "received": 0, "latency_ms_p95": null},
            "actions": {"done": 0, "off_screen": 0, "forbidden": 0, "unknown_key": 0, "not_granted": 0, "cancelled": 0, "invalid": 0,
                "failed": 0},
            "earlier_infrastructure_errors": 0
        });
        write_json(&folder.join("episode.json"), &result).unwrap();
    }

    pub fn some_inputs() -> Inputs {
        Inputs {
            policy: "p".to_owned(),
            scorer: "s".to_owned(),
            task: "t".to_owned(),
            page_library: "l".to_owned(),
            perception: 1,
        }
    }

    #[test]
    fn a_failed_machine_is_no_result() {
        let run = made_up;
        assert!(run("passed").fits(Wants::Pass) && !run("passed").fits(Wants::Nothing));
        assert!(run("timeout").fits(Wants::Nothing) && run("failed").fits(Wants::Shown));
        for outcome in ["infrastructure-error", "unscored", "agent-error"] {
            assert!(!run(outcome).fits(Wants::Nothing) && !run(outcome).fits(Wants::Shown));
        }
    }

    #[test]
    fn a_line_says_what_its_record_says() {
        let root = tempfile::tempdir().unwrap();
        let inputs = some_inputs();
        write_record(root.path(), "guess aoi_audio 0", false, Some(&inputs));
        let recorded = Recorded::read(root.path()).unwrap();
        assert_eq!(
            (recorded.task.as_str(), recorded.check.as_str()),
            ("A-E1", "guess aoi_audio 0")
        );
        let expected = Run {
            record: record_digest(root.path()).unwrap(),
            inputs: digest_of(&inputs),
            outcome: "failed".to_owned(),
            page_result: "wrong_answer".to_owned(),
            steps: 3,
            seconds: 12.0,
            last_moment: Some(7.0),
            ..made_up("failed")
        };
        assert_eq!(recorded.run, expected);
    }

    #[test]
    fn a_record_that_was_changed_or_says_nothing_makes_no_line() {
        let root = tempfile::tempdir().unwrap();
        let check = "guess aoi_audio 0";
        let refused = || format!("{:#}", Recorded::read(root.path()).unwrap_err());
        let edit = |name: &str, from: &str, to: &str| {
            let file = root.path().join(name);
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.contains(from), "{text}");
            std::fs::write(file, text.replace(from, to)).unwrap();
        };
        write_record(root.path(), check, false, None);
        assert!(
            refused().contains("does not say what was run"),
            "{}",
            refused()
        );

        let inputs = some_inputs();
        write_record(root.path(), check, false, Some(&inputs));
        edit(
            "episode.json",
            "\"outcome\": \"failed\"",
            "\"outcome\": \"passed\"",
        );
        assert!(refused().contains("contradicts itself"), "{}", refused());

        write_record(root.path(), check, false, Some(&inputs));
        edit("events.jsonl", "\"policy\":\"p\"", "\"policy\":\"q\"");
        assert!(refused().contains("was changed or cut"), "{}", refused());

        write_record(root.path(), check, false, Some(&inputs));
        std::fs::remove_file(root.path().join("episode.json")).unwrap();
        assert!(refused().contains("episode.json"), "{}", refused());
    }
}
