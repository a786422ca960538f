//! One trial: start the parts, wire them, wait for the first reason to end, tear down, score.
//!
//! This is the only place where desktop, perception, policy, page and scorer meet. What an episode can end for is the
//! closed list [`EndCause`]; whoever ends it is named by it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use dynacu_figures::plain::cut;
use dynacu_record::{
    AskedAs, DeclaredMoment, EndCause, EpisodeResult, EpisodeStarted, Event, Inputs, ModelIdentity,
    Outcome, Overhead, PerceptionSettings, PolicyIdentity, RecordError, Recorder, SCHEMA,
    ScoreResult, Usage, Writer,
};
use dynacu_runtime::types::{Assist, Brief, Channel, Size};
use dynacu_runtime::{Engine, Plugin};

use crate::desktop::display::{HEIGHT, WIDTH};
use crate::desktop::lane::Lane;
use crate::inference::provider::Model;
use crate::mode::{Grants, Mode};
use crate::perception::encoder::Encoder;
use crate::perception::keyframe::GateKind;
use crate::perception::reading::Reader;
use crate::perception::recognizer::Transcribe;
use crate::speech::Voice;
use crate::task::home::Home;
use crate::task::manifest::{Moment, MomentChannel};
use crate::task::prepare::Prepared;
use crate::task::variant::Seed;

mod desk;
mod ending;
pub mod inputs;
pub(crate) mod judge;
mod lateness;
mod live;
mod names;
pub mod observing;
pub mod phase;
mod processor;
pub(crate) mod scoring;
pub mod session;
pub mod stage;
pub mod stop;
#[cfg(test)]
pub(crate) mod tests;

use ending::Ended;
use observing::millis;
use stage::Stage;
use stop::Stop;

/// Characters of a page's result, a cause's detail and a score's explanation.
const WORDS: usize = 4096;

/// Is told each event of an episode's record, on the thread that writes it.
pub type Watcher = Arc<dyn Fn(u64, &Event) + Send + Sync>;

/// What all episodes of a run share: loaded models, the engine, the scorers' home.
pub struct Bench {
    pub engine: Engine,
    pub home: Home,
    pub encoder: Arc<dyn Encoder>,
    /// What hears for the policy.
    pub recognizer: Arc<dyn Transcribe>,
    /// What hears for the page and its scorer: the same one whatever the policy hears with.
    pub page_recognizer: Arc<dyn Transcribe>,
    pub voice: Arc<dyn Voice>,
    pub reader: Arc<Reader>,
}

/// A policy that was loaded.
pub struct Policy {
    pub plugin: Plugin,
    /// The policy's table of the run configuration, as JSON.
    pub settings: String,
    /// Whether the operator (or being bundled) allows what it asks for.
    pub reading: bool,
    pub solution: bool,
    /// Whether it may have more memory than plugins have by default.
    pub memory: bool,
    /// Whether it has a folder of its own during an episode.
    pub scratch: bool,
}

impl Policy {
    /// The channels of a mode that this policy asked for.
    #[must_use]
    pub fn grants(&self, mode: Mode) -> Grants {
        let asked = |channel| self.plugin.manifest.channels.contains(&channel);
        mode.grants().and(Grants {
            keyframes: asked(Channel::Keyframes),
            audio: asked(Channel::Audio),
            speech: asked(Channel::Speech),
        })
    }

    /// The assists that are granted.
    #[must_use]
    pub fn assists(&self) -> Vec<Assist> {
        let granted = |assist: &Assist| match assist {
            Assist::Reading => self.reading,
            Assist::Solution => self.solution,
        };
        Assist::ALL.into_iter().filter(granted).collect()
    }

    /// What it has beyond other plugins, by name.
    #[must_use]
    pub fn resources(&self) -> Vec<String> {
        let resources = [(self.memory, "memory"), (self.scratch, "scratch")];
        let granted = resources.into_iter().filter(|(granted, _)| *granted);
        granted.map(|(_, name)| name.to_owned()).collect()
    }
}

/// Attempts at an episode that the infrastructure spoiled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    pub all: u32,
    /// Those that an agent can have brought about.
    pub by_agent: u32,
}

impl Losses {
    /// One more, with its cause.
    #[must_use]
    pub fn and(self, cause: EndCause) -> Self {
        Self {
            all: self.all + 1,
            by_agent: self.by_agent + u32::from(cause.agent_can_cause()),
        }
    }
}

/// One attempt.
pub struct Trial {
    pub task: Arc<Prepared>,
    pub mode: Mode,
    pub number: u32,
    pub pace: Duration,
    pub fps: f32,
    pub gate: GateKind,
    pub burst: bool,
    /// The episode's folder; what an unfinished attempt left there is replaced.
    pub folder: PathBuf,
    /// Attempts that were lost before this one.
    pub earlier: Losses,
    /// What the policy asks, where it asks a model.
    pub model: Option<Arc<Model>>,
    pub stop: Stop,
    pub watcher: Option<Watcher>,
}

impl Trial {
    /// What decides the moments of the gate `random`: the same seed gives the same ones.
    #[must_use]
    pub fn gate_key(&self) -> u64 {
        match self.task.variant.seed {
            Seed::Number(number) => number,
            Seed::Bits(bits) => (bits ^ bits >> 64) as u64,
        }
    }
}

/// Runs one trial on a lane and writes its record. An error means that not even a record could be begun.
pub async fn run(
    bench: &Bench,
    lane: &Lane,
    policy: &Policy,
    trial: &Trial,
) -> anyhow::Result<EpisodeResult> {
    let began = Instant::now();
    let (writer, recorder) = record(trial)?;
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).context("the system provides no random numbers")?;
    let brief = brief(policy, trial);
    recorder.event(0, started(bench, policy, trial, brief.clone(), &random));

    let mut result = blank(policy, trial);
    let mut duration = 0;
    let set = tokio::select! {
        biased;
        () = trial.stop.wished() => Err(stage::Failure {
            cause: EndCause::Operator,
            error: anyhow::anyhow!("interrupted before it began"),
        }),
        set = Stage::set(bench, lane, policy, trial, &recorder) => set,
    };
    match set {
        Ok(stage) => {
            let ended = live::run(stage, lane, policy, trial, random, brief).await;
            duration = ended.duration;
            fill(&mut result, ended);
        }
        Err(failure) => {
            result.cause = failure.cause;
            result.detail = format!("{:#}", failure.error);
        }
    }
    Ok(close(
        writer,
        recorder,
        &trial.folder,
        result,
        duration,
        began,
    ))
}

/// Writes the record of an episode that could not begin, for the infrastructure's fault.
pub fn not_begun(
    bench: &Bench,
    policy: &Policy,
    trial: &Trial,
    cause: EndCause,
    why: &anyhow::Error,
) -> anyhow::Result<EpisodeResult> {
    let (writer, recorder) = record(trial)?;
    recorder.event(0, started(bench, policy, trial, brief(policy, trial), &[]));
    let mut result = blank(policy, trial);
    result.cause = cause;
    result.detail = format!("{why:#}");
    Ok(close(
        writer,
        recorder,
        &trial.folder,
        result,
        0,
        Instant::now(),
    ))
}

/// What an episode comes to of which nothing can be kept. It has no `episode.json`, so that it is run again.
#[must_use]
pub fn unwritten(policy: &Policy, trial: &Trial, why: &anyhow::Error) -> EpisodeResult {
    let mut result = blank(policy, trial);
    result.cause = EndCause::RecordLost;
    result.detail = cut(&format!("{why:#}"), WORDS).into_owned();
    result
}

fn record(trial: &Trial) -> Result<(Writer, Recorder), RecordError> {
    match trial.watcher.clone() {
        Some(watcher) => Writer::tapped(
            &trial.folder,
            Box::new(move |t: u64, event: &Event| watcher(t, event)),
        ),
        None => Writer::start(&trial.folder),
    }
}

/// The last lines of the record, and the result. One that cannot be written is lost, and its episode with it.
fn close(
    writer: Writer,
    recorder: Recorder,
    folder: &Path,
    mut result: EpisodeResult,
    duration: u64,
    began: Instant,
) -> EpisodeResult {
    result.wall_s = began.elapsed().as_secs_f64();
    bound(&mut result);
    if let Err(error) = recorder.health() {
        result.cause = EndCause::RecordLost;
        result.detail = error.to_string();
    }
    result.outcome = outcome(&result);
    recorder.event(
        duration,
        Event::Ended {
            cause: result.cause,
            detail: result.detail.clone(),
        },
    );
    recorder.event(
        duration,
        Event::Scored {
            score: result.score.clone(),
        },
    );
    drop(recorder);
    let written = writer.finish().map_err(anyhow::Error::from);
    // Interrupted from outside, it says nothing about anybody: the episode has to be run again.
    if interrupted(result.cause) {
        return result;
    }
    let kept = written.and_then(|()| {
        dynacu_record::write_json(&folder.join("episode.json"), &result)
            .with_context(|| format!("cannot write the result into {}", folder.display()))
    });
    if let Err(error) = kept {
        result.cause = EndCause::RecordLost;
        result.detail = cut(&format!("{error:#}"), WORDS).into_owned();
        result.outcome = outcome(&result);
    }
    result
}

/// Cuts what a page, a policy or a scorer said: a result is read by people, and printed.
fn bound(result: &mut EpisodeResult) {
    let explanation = result.score.as_mut().map(|score| &mut score.explanation);
    let all = [&mut result.page_result, &mut result.detail];
    for text in all.into_iter().chain(explanation) {
        if let Cow::Owned(shorter) = cut(text, WORDS) {
            *text = shorter;
        }
    }
}

/// Whether an episode was ended by the operator or by the run's budget. Such a one has no `episode.json` and is not counted.
#[must_use]
pub fn interrupted(cause: EndCause) -> bool {
    matches!(cause, EndCause::Operator | EndCause::Budget)
}

/// What the policy is told at its start.
fn brief(policy: &Policy, trial: &Trial) -> Brief {
    let mut opaque = [0_u8; 8];
    // Only a name for logs: without randomness it may as well be zeros.
    let _ = getrandom::fill(&mut opaque);
    let manifest = trial.task.manifest();
    Brief {
        episode: hex::encode(opaque),
        instruction: trial.task.variant.instruction.clone(),
        screen: Size {
            width: WIDTH.into(),
            height: HEIGHT.into(),
        },
        pace_ms: millis(trial.pace),
        time_limit_ms: millis(manifest.time_limit),
        step_limit: manifest.step_limit,
        granted: policy.grants(trial.mode).channels(),
    }
}

fn started(bench: &Bench, policy: &Policy, trial: &Trial, brief: Brief, random: &[u8]) -> Event {
    let task = &trial.task;
    Event::EpisodeStarted(Box::new(EpisodeStarted {
        schema: SCHEMA,
        task: task.manifest().id.clone(),
        mode: trial.mode.to_string(),
        trial: trial.number,
        seed: task.variant.seed.to_string(),
        sub_seed: task.variant.sub_seed,
        variant: task.variant.scorer_input.clone(),
        policy: policy.plugin.name.clone(),
        settings: policy.settings.clone(),
        model: trial.model.as_ref().map(|model| AskedAs {
            name: model.name.clone(),
            images: model.capabilities.images,
            max_images: model.capabilities.max_images,
            audio: model.capabilities.audio,
            tools: model.capabilities.tools,
            coordinate_grid: model.capabilities.coordinate_grid,
        }),
        assists: policy.assists(),
        brief,
        guest_random: hex::encode(random),
        perception: PerceptionSettings {
            fps: trial.fps,
            gate: trial.gate.name().to_owned(),
            gate_key: format!("{:016x}", trial.gate_key()),
            pixel_threshold: trial.gate.pixel_threshold(),
            semantic_threshold: trial.gate.semantic_threshold(),
            burst: trial.burst,
            encoder: bench.encoder.name().to_owned(),
        },
        inputs: known_inputs(bench, policy, trial),
        moments: task.manifest().moments.iter().map(declared).collect(),
    }))
}

/// What is missing here is missing on the stage too, and is told there.
fn known_inputs(bench: &Bench, policy: &Policy, trial: &Trial) -> Option<Inputs> {
    if trial.task.foreign.is_some() {
        return None;
    }
    inputs::inputs(&bench.home, &trial.task.task, &policy.plugin.sha256)
        .inspect_err(|error| tracing::warn!("{error:#}"))
        .ok()
}

fn declared(moment: &Moment) -> DeclaredMoment {
    DeclaredMoment {
        name: moment.name.clone(),
        channel: match moment.channel {
            MomentChannel::Audio => dynacu_record::MomentChannel::Audio,
            MomentChannel::Screen => dynacu_record::MomentChannel::Screen,
        },
        seconds: moment.seconds,
        needed: moment.needed,
    }
}

fn blank(policy: &Policy, trial: &Trial) -> EpisodeResult {
    let manifest = trial.task.manifest();
    EpisodeResult {
        schema: SCHEMA,
        task: manifest.id.clone(),
        category: manifest.category.to_string(),
        tier: manifest.tier.name().to_owned(),
        mode: trial.mode.to_string(),
        gate: trial.gate.name().to_owned(),
        trial: trial.number,
        seed: trial.task.variant.seed.to_string(),
        policy: PolicyIdentity {
            name: policy.plugin.name.clone(),
            version: policy.plugin.version.clone(),
            sha256: policy.plugin.sha256.clone(),
        },
        model: trial.model.as_ref().map(|model| ModelIdentity {
            adapter: model.provider.plugin.name.clone(),
            sha256: model.provider.plugin.sha256.clone(),
            model: model.name.clone(),
        }),
        outcome: Outcome::InfrastructureError,
        cause: EndCause::HostError,
        detail: String::new(),
        page_result: "pending".to_owned(),
        score: None,
        steps: 0,
        time_to_completion_s: None,
        wall_s: 0.0,
        overhead_ms: Overhead::default(),
        model_calls: 0,
        model_ms: Vec::new(),
        usage: Usage::default(),
        perception: dynacu_record::Perception::default(),
        speech: dynacu_record::Speech::default(),
        actions: dynacu_record::ActionCounts::default(),
        earlier_infrastructure_errors: trial.earlier.all,
        earlier_losses_by_agent: trial.earlier.by_agent,
    }
}

fn fill(result: &mut EpisodeResult, ended: Ended) {
    result.cause = ended.cause;
    result.detail = ended.detail;
    result.page_result = ended.page_result;
    result.steps = ended.tally.steps;
    result.time_to_completion_s = ended.verdict_at.map(|at| at as f64 / 1000.0);
    result.overhead_ms = Overhead {
        observe: ended.tally.observe_ms,
        asr: ended.tally.tails.iter().map(|(_, ms)| *ms).collect(),
        keyframe: ended.keyframe_ms,
        encode: ended.encode_ms,
    };
    result.model_calls = ended.model.calls;
    result.model_ms = ended.model.model_ms;
    result.usage = ended.model.usage;
    result.perception = ended.perception;
    result.speech = ended.speech;
    result.actions = ended.tally.counts;
    match ended.score {
        Some(Ok(score)) => result.score = Some(score),
        Some(Err(error)) => result.detail = format!("{}; unscored: {error}", result.detail),
        None => {}
    }
}

/// How an episode counts, from its cause and its score.
pub(crate) fn outcome(result: &EpisodeResult) -> Outcome {
    use EndCause as C;
    if result.earlier_losses_by_agent > 0 && result.cause.agent_can_cause() {
        return Outcome::AgentError;
    }
    match result.cause {
        C::PageFailed
        | C::PageHung
        | C::BrowserLost
        | C::SoundLost
        | C::ScreenLost
        | C::CaptureLate
        | C::LaneCheckFailed
        | C::RecordLost
        | C::HostError
        | C::ProviderOutage
        | C::ModelAuthentication
        | C::ModelQuota => Outcome::InfrastructureError,
        C::GuestTimeout
        | C::GuestOutOfMemory
        | C::GuestTrap
        | C::GuestOutputTooLarge
        | C::GuestError
        | C::ModelRefused
        | C::ModelMalformed => Outcome::AgentError,
        C::LeftPage => Outcome::Failed,
        C::Done
        | C::TaskEnded
        | C::TimeLimit
        | C::StepLimit
        | C::Budget
        | C::Operator
        | C::PolicyReturned => match &result.score {
            Some(ScoreResult { passed: true, .. }) => Outcome::Passed,
            Some(_) if matches!(result.cause, C::TimeLimit | C::StepLimit) => Outcome::Timeout,
            Some(_) => Outcome::Failed,
            None => Outcome::Unscored,
        },
    }
}
