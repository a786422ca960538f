//! Runs the episodes that gates and contact sheets ask for, one after the other on one lane.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use dynacu_record::{EpisodeResult, Event, Outcome, PageEvent, read_events};

use super::{Check, Run};
use crate::config::settings::RunSettings;
use crate::config::{DEFAULT_FPS, DEFAULT_PACE_MS, RunConfig};
use crate::desktop::lane::Lane;
use crate::episode::stop::Stop;
use crate::episode::{self, Bench, Policy, Trial};
use crate::perception::keyframe::GateKind;
use crate::studio::Studio;
use crate::suite::agents::Crew;
use crate::suite::summary::outcome_name;
use crate::task::catalogue::Task;
use crate::task::home::Home;
use crate::task::prepare::prepare;
use crate::task::variant::Seed;

/// A cut episode goes on for so long after the last moment that the reference policy saw.
const AFTER_THE_LAST: Duration = Duration::from_secs(5);
/// An infrastructure's failure is tried again so often.
const TRIES: u32 = 2;

/// Models, policies and a lane.
pub struct Runner {
    bench: Bench,
    studio: Studio,
    crew: Crew,
    lane: Option<Lane>,
    stop: Stop,
    /// Where the records go.
    folder: PathBuf,
}

/// An episode that was run, with where its record lies.
pub struct Ran {
    pub result: EpisodeResult,
    pub folder: PathBuf,
}

impl Runner {
    /// Loads the policies by name, and takes the models that are loaded already.
    ///
    /// # Errors
    /// A policy is not built.
    pub async fn new(bench: Bench, policies: &[&str], folder: &Path) -> Result<Self> {
        let asked = RunSettings::of_plugins(policies);
        let config = RunConfig::resolve(asked, RunSettings::default())?;
        let crew = Crew::load(&bench.engine, &bench.home, &config, &[], None).await?;
        let studio = Studio::new(
            Some(Arc::clone(&bench.page_recognizer)),
            Some(Arc::clone(&bench.reader)),
        );
        Ok(Self {
            bench,
            studio,
            crew,
            lane: None,
            stop: Stop::on_signals().context("cannot listen for interrupts")?,
            folder: folder.to_owned(),
        })
    }

    /// The folders of tasks and plugins that it runs.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.bench.home
    }

    /// The lane, started when it is first needed.
    ///
    /// # Errors
    /// It does not start.
    pub async fn lane(&mut self) -> Result<&Lane> {
        let lane = match self.lane.take() {
            Some(lane) => lane,
            None => Lane::start(0, None).await?,
        };
        Ok(self.lane.insert(lane))
    }

    /// Runs one check of a task; `cut` is when an episode that is to be cut ends.
    ///
    /// # Errors
    /// The variant cannot be prepared, the policy is not loaded, or no record can be written.
    pub async fn run(&mut self, task: &Task, check: &Check, cut: Option<Duration>) -> Result<Ran> {
        let mut prepared = prepare(task, Seed::Number(check.seed), &self.studio)?;
        if let Some(cut) = cut {
            let limit = &mut prepared.task.manifest.time_limit;
            *limit = (*limit).min(cut);
        }
        let prepared = Arc::new(prepared);
        let mut tries = 0;
        loop {
            let trial = Trial {
                task: Arc::clone(&prepared),
                mode: check.mode,
                number: u32::try_from(check.seed + 1)?,
                pace: Duration::from_millis(DEFAULT_PACE_MS),
                fps: DEFAULT_FPS,
                gate: GateKind::Local,
                burst: false,
                folder: self
                    .folder
                    .join(&task.manifest.id)
                    .join(check.name().replace(' ', "-")),
                earlier_infrastructure_errors: tries,
                model: None,
                stop: self.stop.clone(),
                watcher: None,
            };
            self.lane().await?;
            let policy = policy(&self.crew, check.policy)?;
            let lane = self.lane.as_ref().context("a lane was started")?;
            let result = episode::run(&self.bench, lane, policy, &trial).await?;
            if episode::interrupted(result.cause) {
                bail!("interrupted");
            }
            tries += 1;
            if result.outcome != Outcome::InfrastructureError || tries >= TRIES {
                return Ok(Ran {
                    result,
                    folder: trial.folder,
                });
            }
            // A lane on which the infrastructure failed is not trusted again.
            if let Some(lane) = self.lane.take() {
                lane.stop().await?;
            }
        }
    }

    /// Ends the lane.
    ///
    /// # Errors
    /// It does not end in order.
    pub async fn close(self) -> Result<()> {
        if let Some(lane) = self.lane {
            lane.stop().await?;
        }
        Ok(())
    }
}

fn policy<'c>(crew: &'c Crew, name: &str) -> Result<&'c Policy> {
    crew.policies
        .iter()
        .find(|policy| policy.plugin.name == name)
        .with_context(|| format!("the policy {name} is not loaded"))
}

impl Ran {
    /// As the ledger keeps it.
    ///
    /// # Errors
    /// The record cannot be read back.
    pub fn entry(&self, inputs: String) -> Result<Run> {
        let events = read_events(&self.folder)?;
        let last_moment = events
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Page(PageEvent { at, name, .. }) if name == "moment" => Some(*at),
                _ => None,
            })
            .max();
        let ended = events.last().map_or(0, |entry| entry.t);
        Ok(Run {
            inputs,
            outcome: outcome_name(self.result.outcome).to_owned(),
            cause: self.result.cause.name(),
            page_result: self.result.page_result.clone(),
            steps: self.result.steps,
            seconds: tenths(ended),
            last_moment: last_moment.map(tenths),
        })
    }
}

fn tenths(milliseconds: u64) -> f64 {
    ((milliseconds + 50) / 100) as f64 / 10.0
}

/// When an episode that is to be cut ends: a while after the last moment of the reference's episode.
#[must_use]
pub fn cut_after(reference: Option<&Run>) -> Option<Duration> {
    let last = reference?.last_moment?;
    Some(Duration::from_secs_f64(last) + AFTER_THE_LAST)
}
