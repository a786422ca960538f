//! Where episodes are run, whoever asks for them: a run, a task's author, or a measurement. Models and studio, a trial as the
//! configuration wants it, and a lane that runs one episode after the other.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dynacu_record::{EndCause, EpisodeResult, Outcome};
use dynacu_runtime::Engine;

use crate::config::{DEFAULT_GATE, RunConfig};
use crate::desktop::check;
use crate::desktop::lane::Lane;
use crate::episode::phase::{Phase, within};
use crate::episode::stop::Stop;
use crate::episode::{self, Bench, Losses, Policy, Trial};
use crate::mode::Mode;
use crate::perception::encoder::load_encoder;
use crate::perception::reading::Reader;
use crate::perception::recognizer::RecognizerChoice;
use crate::speech::Pcm;
use crate::speech::piper::Piper;
use crate::studio::Studio;
use crate::task::home::Home;
use crate::task::prepare::Prepared;

/// Loads every model once.
///
/// # Errors
/// A model's file is missing or broken.
pub fn bench(engine: Engine, home: Home, recognizer: &RecognizerChoice) -> Result<Bench> {
    let page_recognizer = RecognizerChoice::Base.load()?;
    Ok(Bench {
        engine,
        home,
        encoder: load_encoder()?,
        recognizer: match recognizer {
            RecognizerChoice::Base => Arc::clone(&page_recognizer),
            other => other.load()?,
        },
        page_recognizer,
        voice: Arc::new(Piper::load()?),
        reader: Arc::new(Reader::load()?),
    })
}

/// Where tasks' speech is made, with the models that are loaded already.
#[must_use]
pub fn studio(bench: &Bench) -> Studio {
    Studio::new(
        Some(Arc::clone(&bench.page_recognizer)),
        Some(Arc::clone(&bench.reader)),
    )
}

/// A trial as the configuration wants it: a task's first, with the first of the keyframe gates, of a policy that asks no model.
#[must_use]
pub fn trial(
    config: &RunConfig,
    task: Arc<Prepared>,
    mode: Mode,
    folder: PathBuf,
    stop: &Stop,
) -> Trial {
    Trial {
        task,
        mode,
        number: 1,
        pace: Duration::from_millis(config.pace_ms),
        fps: config.fps,
        gate: config.gates.first().copied().unwrap_or(DEFAULT_GATE),
        burst: config.burst,
        folder,
        earlier: Losses::default(),
        model: None,
        stop: stop.clone(),
        watcher: None,
    }
}

/// Is told what a driver's lane does outside the episodes.
pub trait LaneWatch: Send + Sync {
    /// A phase begins.
    fn begins(&self, phase: Phase);
    /// The desktop came, with its name as in `$DISPLAY`, or went.
    fn desktop(&self, display: Option<&str>);
}

/// Nobody looks.
impl LaneWatch for () {
    fn begins(&self, _phase: Phase) {}
    fn desktop(&self, _display: Option<&str>) {}
}

/// Why there is no lane.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    #[error("{0:#}")]
    NotStarted(anyhow::Error),
    /// It started, and its check failed.
    #[error("{0:#}")]
    Faulty(anyhow::Error),
}

/// Why nothing is known of an episode.
#[derive(Debug, thiserror::Error)]
pub enum NotRun {
    /// No lane starts; another driver may run it.
    #[error("{0:#}")]
    NoLane(anyhow::Error),
    /// There is no place for the record.
    #[error("{0:#}")]
    Unwritten(anyhow::Error),
}

/// Runs episodes on one lane. The lane is started when it is first needed, everything on it is tried, and it is replaced once the
/// infrastructure failed on it.
pub struct Driver {
    number: usize,
    voice: Pcm,
    watch: Box<dyn LaneWatch>,
    lane: Option<Lane>,
    failed_checks: u32,
}

impl Driver {
    /// Starts nothing yet; `voice` says [`check::WORDS`], to try the microphone.
    #[must_use]
    pub fn new(number: usize, voice: Pcm, watch: Box<dyn LaneWatch>) -> Self {
        Self {
            number,
            voice,
            watch,
            lane: None,
            failed_checks: 0,
        }
    }

    /// How often in a row a lane started and failed its check.
    #[must_use]
    pub fn failed_checks(&self) -> u32 {
        self.failed_checks
    }

    /// The lane: the one that is there, or a new one on which everything was tried.
    ///
    /// # Errors
    /// It does not start, or a part of it does not work; both name the phase.
    pub async fn lane(&mut self) -> Result<&Lane, NotReady> {
        let lane = match self.lane.take() {
            Some(lane) => lane,
            None => self.start().await?,
        };
        Ok(self.lane.insert(lane))
    }

    async fn start(&mut self) -> Result<Lane, NotReady> {
        self.watch.begins(Phase::LaneStart);
        let started = within(Phase::LaneStart, Lane::start(self.number, None)).await;
        let lane = started.map_err(NotReady::NotStarted)?;
        self.watch.desktop(Some(&lane.display));
        self.watch.begins(Phase::LaneCheck);
        let checked = within(Phase::LaneCheck, async {
            check::all_work(check::check(&lane, Ok(self.voice.clone())).await)
        });
        if let Err(error) = checked.await {
            self.failed_checks += 1;
            self.watch.desktop(None);
            if let Err(error) = lane.stop().await {
                tracing::warn!("a lane that failed its check did not stop: {error}");
            }
            return Err(NotReady::Faulty(error));
        }
        self.failed_checks = 0;
        Ok(lane)
    }

    /// Runs one episode. The trial is asked for once there is a lane, or a lane that failed its check: such an episode has a record
    /// that says so.
    ///
    /// # Errors
    /// See [`NotRun`]; an error of `trial` counts as no place for the record. A record that cannot be written is no error, but an
    /// episode that ended as `record-lost`.
    pub async fn run(
        &mut self,
        bench: &Bench,
        policy: &Policy,
        trial: impl FnOnce() -> Result<Trial>,
    ) -> Result<EpisodeResult, NotRun> {
        let ready = match self.lane().await {
            Ok(lane) => Ok(lane),
            Err(NotReady::Faulty(error)) => Err(error),
            Err(NotReady::NotStarted(error)) => return Err(NotRun::NoLane(error)),
        };
        let trial = trial().map_err(NotRun::Unwritten)?;
        let result = match ready {
            Ok(lane) => episode::run(bench, lane, policy, &trial).await,
            Err(error) => {
                let cause = EndCause::LaneCheckFailed;
                episode::not_begun(bench, policy, &trial, cause, &error)
            }
        };
        let result = result.unwrap_or_else(|error| episode::unwritten(policy, &trial, &error));
        if result.outcome == Outcome::InfrastructureError
            && let Err(error) = self.close().await
        {
            tracing::warn!("lane {}: {error:#}", self.number);
        }
        Ok(result)
    }

    /// Ends the lane, if there is one.
    ///
    /// # Errors
    /// It does not end in order.
    pub async fn close(&mut self) -> Result<()> {
        let Some(lane) = self.lane.take() else {
            return Ok(());
        };
        self.watch.desktop(None);
        within(Phase::Close, lane.stop()).await
    }
}
