//! A run folder made up from a seed: for tests of reading and drawing, and for measuring them at a size that nobody runs by hand.

use std::fs;
use std::path::Path;

use dynacu_record::vocabulary::{
    Action, AudioContext, Brief, Channel, MouseButton, RecentAudio, Sentence,
};
use dynacu_record::{
    ActionCounts, AskedAs, DeclaredMoment, EndCause, EpisodeResult, EpisodeStarted, Event, Machine,
    ModelIdentity, MomentChannel, Observation, ObservedKeyframe, Outcome, Overhead, PageEvent,
    Perception, PerceptionSettings, PolicyIdentity, RunInfo, SCHEMA, ScoreResult, Speech, Usage,
    Writer,
};
use fastrand::Rng;
use serde_json::json;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How large the run is: tasks × modes × models × trials episodes.
#[derive(Debug, Clone)]
pub(crate) struct Size {
    pub tasks: usize,
    pub modes: usize,
    pub models: usize,
    pub trials: u32,
}

const MODES: [&str; 5] = [
    "standard",
    "aoi_visual",
    "aoi_audio",
    "aoi_full",
    "aoi_interactive",
];
const TIERS: [&str; 10] = [
    "easy", "easy", "easy", "medium", "medium", "medium", "medium", "hard", "hard", "hard",
];

/// Writes the run; gives how many episodes it has.
pub(crate) fn write(folder: &Path, size: &Size, seed: u64) -> Result<u64> {
    fs::create_dir_all(folder)?;
    let mut random = Rng::with_seed(seed);
    let mut written = 0;
    let mut tasks = Vec::new();
    for task in 0..size.tasks {
        let letter = char::from(b'A' + (task / 10 % 10) as u8);
        let tier = TIERS[task % 10];
        let id = format!(
            "{letter}-{}{}",
            tier[..1].to_uppercase(),
            task % 10 + 1 + 10 * (task / 100)
        );
        for mode in MODES.iter().take(size.modes) {
            for model in 0..size.models {
                for trial in 1..=size.trials {
                    let named = format!("model-{}", model + 1);
                    let at = folder.join(format!(
                        "episodes/{mode}+{named}/{mode}/{id}-made-up/{trial}"
                    ));
                    let episode = Plan {
                        id: &id,
                        letter,
                        tier,
                        mode,
                        model,
                        named: &named,
                        trial,
                    };
                    episode.write(&at, &mut random)?;
                    written += 1;
                }
            }
        }
        tasks.push(id);
    }
    dynacu_record::write_json(&folder.join("run.json"), &info(size, tasks))?;
    Ok(written)
}

fn info(size: &Size, tasks: Vec<String>) -> RunInfo {
    RunInfo {
        schema: SCHEMA,
        command: vec!["made-up".to_owned()],
        host_version: "0.1.0".to_owned(),
        host_commit: Some("0".repeat(40)),
        plugins: Vec::new(),
        models: Vec::new(),
        task_set: "0".repeat(64),
        machine: Machine::default(),
        tasks,
        modes: MODES
            .iter()
            .take(size.modes)
            .map(|&mode| mode.to_owned())
            .collect(),
        seed: "0".to_owned(),
        trials: size.trials,
        pace_ms: 5000,
        fps: 3.0,
        gate: "local".to_owned(),
        gates: Vec::new(),
        pixel_threshold: None,
        semantic_threshold: None,
        burst: false,
        encoder: "made-up".to_owned(),
        recognizer: "made-up".to_owned(),
        started: 1_796_000_000,
        resumed: Vec::new(),
        ended: Some(1_796_090_000),
        lanes: 1,
        planned: 0,
        config: serde_json::Value::Null,
        inference: None,
    }
}

struct Plan<'a> {
    id: &'a str,
    letter: char,
    tier: &'a str,
    mode: &'a str,
    model: usize,
    named: &'a str,
    trial: u32,
}

impl Plan<'_> {
    /// The chance to pass: none in `standard`, more with more channels, less in harder tiers, a little by model.
    fn chance(&self) -> f64 {
        let mode = match self.mode {
            "standard" => return 0.02,
            "aoi_visual" => 0.45,
            "aoi_audio" => 0.5,
            "aoi_full" => 0.9,
            _ => 1.0,
        };
        let tier = match self.tier {
            "easy" => 0.8,
            "medium" => 0.5,
            _ => 0.25,
        };
        mode * tier * (1.0 - 0.15 * self.model as f64)
    }

    fn write(&self, folder: &Path, random: &mut Rng) -> Result<()> {
        let drawn = random.f64();
        let (outcome, cause) = if drawn < 0.01 {
            (Outcome::InfrastructureError, EndCause::ProviderOutage)
        } else if drawn < 0.02 {
            (Outcome::AgentError, EndCause::ModelMalformed)
        } else if random.f64() < self.chance() {
            (Outcome::Passed, EndCause::TaskEnded)
        } else if random.f64() < 0.3 {
            (Outcome::Timeout, EndCause::TimeLimit)
        } else {
            (Outcome::Failed, EndCause::TaskEnded)
        };
        let steps = 3 + random.u64(..9) as u32;
        self.events(folder, outcome, cause, steps, random)?;
        let result = self.result(outcome, cause, steps, random);
        dynacu_record::write_json(&folder.join("episode.json"), &result)?;
        Ok(())
    }

    #[allow(clippy::too_many_lines, reason = "one episode, event after event")]
    fn events(
        &self,
        folder: &Path,
        outcome: Outcome,
        cause: EndCause,
        steps: u32,
        random: &mut Rng,
    ) -> Result<()> {
        let (writer, recorder) = Writer::start(folder)?;
        let hears = !matches!(self.mode, "standard" | "aoi_visual");
        let sees = !matches!(self.mode, "standard" | "aoi_audio");
        let audio = matches!(self.letter, 'A' | 'G' | 'H');
        let mut granted = Vec::new();
        if sees {
            granted.push(Channel::Keyframes);
        }
        if hears {
            granted.push(Channel::Audio);
        }
        recorder.event(
            0,
            Event::EpisodeStarted(Box::new(EpisodeStarted {
                schema: SCHEMA,
                task: self.id.to_owned(),
                mode: self.mode.to_owned(),
                trial: self.trial,
                seed: self.trial.to_string(),
                sub_seed: 0,
                variant: json!({"settings": {"value": "42"}}),
                policy: self.mode.to_owned(),
                settings: "{}".to_owned(),
                model: Some(AskedAs {
                    name: self.named.to_owned(),
                    images: true,
                    max_images: None,
                    audio: false,
                    tools: true,
                    coordinate_grid: None,
                }),
                assists: Vec::new(),
                brief: Brief {
                    episode: "0".repeat(16),
                    instruction: "Do what the page asks, <now> & \"here\".".to_owned(),
                    screen: (1280, 720).into(),
                    pace_ms: 5000,
                    time_limit_ms: 120_000,
                    step_limit: 24,
                    granted,
                },
                guest_random: "0".repeat(64),
                perception: PerceptionSettings {
                    fps: 3.0,
                    gate: "local".to_owned(),
                    gate_key: String::new(),
                    pixel_threshold: Some(0.01),
                    semantic_threshold: Some(0.04),
                    burst: false,
                    encoder: "made up".to_owned(),
                },
                inputs: None,
                moments: vec![DeclaredMoment {
                    name: "fact".to_owned(),
                    channel: if audio {
                        MomentChannel::Audio
                    } else {
                        MomentChannel::Screen
                    },
                    seconds: (!audio).then_some(1.5),
                    needed: true,
                }],
            })),
        );
        recorder.event(
            0,
            Event::PageStarted {
                url: "http://127.0.0.1:1/".to_owned(),
            },
        );
        let fact = 6000 + random.u64(..400);
        recorder.event(
            fact,
            Event::Page(PageEvent {
                at: fact,
                name: "moment".to_owned(),
                data: json!({"name": "fact"}),
            }),
        );
        let blob = format!("{:064x}", random.u64(..));
        let said = Sentence {
            started_at: fact,
            ended_at: fact + 2000,
            text: "It is forty-two.".to_owned(),
            confidence: 0.9,
            is_final: true,
            starts_turn: true,
        };
        if random.f64() < 0.9 {
            recorder.event(
                fact + 500,
                Event::Keyframe {
                    frame: blob.clone(),
                    captured_at: fact + 300,
                    changed: (10, 20, 300, 60).into(),
                    changed_fraction: 0.02,
                    semantic_distance: Some(0.2),
                    settled: false,
                    decided_after_ms: 200,
                },
            );
            recorder.event(
                fact + 3000,
                Event::Sentence {
                    sentence: said.clone(),
                },
            );
        }
        let click = Action::Click {
            at: (640, 360).into(),
            button: MouseButton::Left,
            count: 1,
        };
        for step in 1..=steps {
            let t = u64::from(step) * 5000 + 4000;
            recorder.event(
                t,
                Event::Observation {
                    asked_at: t - 40,
                    paced_ms: 10,
                    took_ms: 30,
                    observation: Box::new(Observation {
                        step,
                        taken_at: t - 30,
                        screenshot: format!("{:064x}", random.u64(..)),
                        pointer: (640, 360).into(),
                        keyframes: sees
                            .then(|| ObservedKeyframe {
                                frame: blob.clone(),
                                captured_at: fact + 300,
                                changed: (10, 20, 300, 60).into(),
                                changed_fraction: 0.02,
                                semantic_distance: Some(0.2),
                            })
                            .into_iter()
                            .collect(),
                        keyframes_dropped: 0,
                        recent_audio: hears.then(|| RecentAudio {
                            started_at: t - 5000,
                            ended_at: t - 30,
                            transcript: "It is forty-two.".to_owned(),
                            keyframes: Vec::new(),
                        }),
                        audio_context: hears.then(|| AudioContext {
                            started_at: 0,
                            ended_at: t - 30,
                            sentences: vec![said.clone(); step.min(6) as usize],
                        }),
                        remaining_ms: 100_000_u64.saturating_sub(t),
                    }),
                },
            );
            recorder.event(
                t + 900,
                Event::ActionsQueued {
                    first: u64::from(step),
                    actions: vec![click.clone()],
                },
            );
            recorder.event(
                t + 1000,
                Event::ActionDone {
                    id: u64::from(step),
                    action: click.clone(),
                    started_at: t + 950,
                    ended_at: t + 1000,
                },
            );
            recorder.event(
                t + 1010,
                Event::GuestLog {
                    plugin: self.mode.to_owned(),
                    level: "info".to_owned(),
                    message: format!("step {step}"),
                },
            );
        }
        let end = u64::from(steps) * 5000 + 6000;
        if outcome == Outcome::Failed || outcome == Outcome::Passed {
            recorder.event(
                end,
                Event::Page(PageEvent {
                    at: end,
                    name: "submit".to_owned(),
                    data: json!({"values": {"answer": "42"}}),
                }),
            );
            recorder.event(
                end,
                Event::Verdict {
                    label: if outcome == Outcome::Passed {
                        "right"
                    } else {
                        "wrong_answer"
                    }
                    .to_owned(),
                },
            );
        }
        recorder.event(
            end,
            Event::Ended {
                cause,
                detail: "made up".to_owned(),
            },
        );
        drop(recorder);
        writer.finish()?;
        Ok(())
    }

    fn result(
        &self,
        outcome: Outcome,
        cause: EndCause,
        steps: u32,
        random: &mut Rng,
    ) -> EpisodeResult {
        let passed = outcome == Outcome::Passed;
        let each = |low: u64, more: u64, random: &mut Rng| -> Vec<u64> {
            (0..steps).map(|_| low + random.u64(..more)).collect()
        };
        EpisodeResult {
            schema: SCHEMA,
            task: self.id.to_owned(),
            category: self.letter.to_string(),
            tier: self.tier.to_owned(),
            mode: self.mode.to_owned(),
            gate: "local".to_owned(),
            trial: self.trial,
            seed: self.trial.to_string(),
            policy: PolicyIdentity {
                name: self.mode.to_owned(),
                version: "0.1.0".to_owned(),
                sha256: "0".repeat(64),
            },
            model: Some(ModelIdentity {
                adapter: "made-up".to_owned(),
                sha256: "1".repeat(64),
                model: self.named.to_owned(),
            }),
            outcome,
            cause,
            detail: "made up".to_owned(),
            page_result: if passed { "right" } else { "wrong_answer" }.to_owned(),
            score: Some(ScoreResult {
                value: f64::from(u8::from(passed)),
                passed,
                explanation: "made up".to_owned(),
                metrics: std::collections::BTreeMap::new(),
            }),
            steps,
            time_to_completion_s: passed.then_some(f64::from(steps) * 5.0),
            wall_s: f64::from(steps) * 5.0 + 8.0,
            overhead_ms: Overhead {
                observe: each(20, 900, random),
                asr: each(0, 700, random),
                keyframe: each(100, 200, random),
                encode: each(80, 60, random),
            },
            model_calls: u64::from(steps),
            model_ms: each(1500, 3000, random),
            usage: Usage {
                input_tokens: 4000 * u64::from(steps),
                cached_input_tokens: 2500 * u64::from(steps),
                output_tokens: 150 * u64::from(steps),
                reasoning_tokens: 0,
                cost_usd: (self.model == 0).then_some(0.012 * f64::from(steps)),
            },
            perception: Perception {
                frames: 15 * u64::from(steps),
                keyframes: 6,
                sentences: 4,
                heard_s: 30.0,
                moments: 1,
                ..Perception::default()
            },
            speech: if self.mode == "aoi_interactive" && self.letter == 'H' {
                Speech {
                    utterances: 2,
                    received: 1 + random.u64(..2) as u32,
                    latency_ms_p95: Some(300 + random.u64(..200)),
                }
            } else {
                Speech::default()
            },
            actions: ActionCounts {
                done: steps,
                off_screen: u32::from(random.f64() < 0.1),
                ..ActionCounts::default()
            },
            earlier_infrastructure_errors: u32::from(random.f64() < 0.01),
            earlier_losses_by_agent: 0,
        }
    }
}
