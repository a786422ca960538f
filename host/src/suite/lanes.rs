//! The lanes of a run: isolated desktops, each with a thread of its own, that take episodes from one queue.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, Result, anyhow};
use dynacu_figures::plain;
use dynacu_record::{EndCause, EpisodeResult};
use parking_lot::{Mutex, MutexGuard};
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;

use super::agents::Crew;
use super::plan::Planned;
use super::resume::{self, Found};
use super::streak::Streak;
use super::view::Views;
use crate::config::RunConfig;
use crate::driver::{self, Driver, NotRun};
use crate::episode::stop::Stop;
use crate::episode::{self, Bench, Losses, Policy, Trial};
use crate::speech::Pcm;
use crate::studio::Studio;
use crate::task::prepare::{Prepared, prepare};

/// A lane whose check fails so often in a row is given up.
const FAILED_CHECKS: u32 = 2;

/// Everything that the lanes of a run share.
pub struct Work {
    pub config: RunConfig,
    pub bench: Bench,
    pub crew: Crew,
    /// One at a time: two lanes must not render the same speech.
    pub studio: Mutex<Studio>,
    /// What is said to try a microphone.
    pub voice: Pcm,
    pub folder: PathBuf,
    pub plan: Vec<Planned>,
    /// What was there of each planned episode.
    pub found: Vec<Found>,
    /// Indices into the plan, in the order in which they are run.
    pub queue: Mutex<VecDeque<usize>>,
    /// No further episode is begun.
    pub halted: AtomicBool,
    /// By model: one provider's silence says nothing about another's.
    pub streaks: Mutex<HashMap<Option<usize>, Streak>>,
    pub stop: Stop,
    pub views: Views,
}

/// What happened on a lane.
pub enum LaneEvent {
    Began {
        lane: usize,
        index: usize,
    },
    Ended {
        lane: usize,
        index: usize,
        result: Box<EpisodeResult>,
        /// Why the run ends with it.
        last: Option<String>,
    },
    /// The episode's task could not be made ready; the others still run.
    Unprepared {
        lane: usize,
        index: usize,
        error: anyhow::Error,
    },
    /// The lane takes no more episodes.
    GaveUp {
        lane: usize,
        error: anyhow::Error,
    },
}

impl Work {
    fn queue(&self) -> MutexGuard<'_, VecDeque<usize>> {
        self.queue.lock()
    }

    /// Whether episodes are left that no lane has taken.
    #[must_use]
    pub fn is_left(&self) -> bool {
        !self.queue().is_empty()
    }

    /// How many those are.
    #[must_use]
    pub fn left(&self) -> usize {
        self.queue().len()
    }

    fn next(&self) -> Option<usize> {
        if self.halted.load(Ordering::Relaxed) || self.stop.is_wished() {
            return None;
        }
        self.queue().pop_front()
    }

    /// Looks whether the run should go on after an episode, before the lane takes the next one; a sentence where it should not.
    fn judge(&self, index: usize, result: &EpisodeResult) -> Option<String> {
        let model = self.plan.get(index).and_then(|planned| planned.model);
        let mut streaks = self.streaks.lock();
        let why = streaks.entry(model).or_default().after(
            result.cause,
            &result.detail,
            result.model_calls,
            result.model_ms.len(),
        );
        let halts = why.is_some() || result.cause == EndCause::Operator;
        let halted = halts && self.halted.swap(true, Ordering::Relaxed);
        why.filter(|_| !halted)
    }

    /// An episode for people: task, condition, agent.
    #[must_use]
    pub fn name(&self, index: usize) -> String {
        self.plan.get(index).map_or_else(String::new, |planned| {
            let model = planned.model.and_then(|model| self.crew.models.get(model));
            let policy = self.crew.policies.get(planned.policy);
            format!(
                "{} in {} by {}{}{}",
                planned.task.manifest.folder_name(),
                planned.condition(),
                policy.map_or("", |policy| policy.plugin.name.as_str()),
                model.map_or_else(String::new, |model| format!(" with {}", model.name)),
                if self.config.trials() > 1 {
                    format!(", trial {}", planned.trial)
                } else {
                    String::new()
                }
            )
        })
    }

    fn prepared(&self, planned: &Planned) -> Result<Arc<Prepared>> {
        let seed = self.config.seed.for_trial(planned.trial);
        let mut pages = self.config.pages.iter();
        let page = pages.find(|page| page.id == planned.task.manifest.id);
        Ok(Arc::new(match page {
            Some(page) => page.prepared(seed)?,
            None => {
                let studio = self.studio.lock();
                prepare(&planned.task, seed, &*studio)?
            }
        }))
    }

    fn policy(&self, planned: &Planned) -> Result<&Policy> {
        let policy = self.crew.policies.get(planned.policy);
        policy.ok_or_else(|| anyhow!("the plan names no policy"))
    }

    /// What runs the episodes of a lane.
    #[must_use]
    pub fn driver(&self, lane: usize) -> Driver {
        Driver::new(
            lane,
            self.voice.clone(),
            Box::new(self.views.watch_of(lane)),
        )
    }

    fn trial(&self, lane: usize, planned: &Planned, task: Arc<Prepared>, earlier: Losses) -> Trial {
        let folder = resume::episode_folder(&self.folder, planned);
        Trial {
            number: planned.trial,
            gate: planned.gate,
            earlier,
            model: planned
                .model
                .and_then(|index| self.crew.models.get(index))
                .map(Arc::clone),
            watcher: Some(self.views.watcher(lane)),
            ..driver::trial(&self.config, task, planned.mode, folder, &self.stop)
        }
    }
}

/// Starts a lane's thread, with a driver of its own where none is handed in. It ends when nothing is left to do, or when the lane is
/// given up.
///
/// # Errors
/// The system gives no thread.
pub fn spawn(
    work: &Arc<Work>,
    number: usize,
    driver: Option<Driver>,
    events: Sender<LaneEvent>,
) -> std::io::Result<JoinHandle<()>> {
    let (work, runtime) = (Arc::clone(work), Handle::current());
    std::thread::Builder::new()
        .name(format!("lane-{number}"))
        .spawn(move || {
            runtime.block_on(async {
                let mut worker = Worker {
                    work: &work,
                    number,
                    driver: driver.unwrap_or_else(|| work.driver(number)),
                };
                if let Err(error) = worker.work_off(&events).await {
                    let lane = number;
                    // Whoever listens is gone only when the run is over.
                    let _ = events.send(LaneEvent::GaveUp { lane, error }).await;
                }
                if let Err(error) = worker.driver.close().await {
                    eprintln!("lane {number}: {}", plain(&format!("{error:#}")));
                }
                work.views.rests(number);
            });
        })
}

/// One lane's thread at work.
struct Worker<'a> {
    work: &'a Work,
    number: usize,
    driver: Driver,
}

impl Worker<'_> {
    async fn work_off(&mut self, events: &Sender<LaneEvent>) -> Result<()> {
        while let Some(index) = self.work.next() {
            let lane = self.number;
            self.work.views.begins(lane, self.work.name(index));
            let _ = events.send(LaneEvent::Began { lane, index }).await;
            let planned = self
                .work
                .plan
                .get(index)
                .context("the queue names no episode")?;
            self.work.views.doing(lane, "preparing");
            let task = match self.work.prepared(planned) {
                Ok(task) => task,
                Err(error) => {
                    let _ = events
                        .send(LaneEvent::Unprepared { lane, index, error })
                        .await;
                    continue;
                }
            };
            let result = self.episode(index, planned, task).await?;
            let last = self.work.judge(index, &result);
            let result = Box::new(result);
            let _ = events
                .send(LaneEvent::Ended {
                    lane,
                    index,
                    result,
                    last,
                })
                .await;
            if self.driver.failed_checks() >= FAILED_CHECKS {
                return Err(anyhow!(
                    "the lane's check failed {FAILED_CHECKS} times in a row"
                ));
            }
        }
        Ok(())
    }

    /// Runs one episode. An error means that there is no lane to be had; where no record can be written the episode ends, and the next
    /// one is tried, since its place may be a better one.
    async fn episode(
        &mut self,
        index: usize,
        planned: &Planned,
        task: Arc<Prepared>,
    ) -> Result<EpisodeResult> {
        let work = self.work;
        let policy = work.policy(planned)?;
        let number = self.number;
        // What an earlier attempt left is set aside once there is a lane for the next one, and not before.
        let trial = || {
            let earlier = match work.found.get(index) {
                Some(found) => resume::set_aside(&work.folder, planned, found)?,
                None => Losses::default(),
            };
            Ok(work.trial(number, planned, Arc::clone(&task), earlier))
        };
        match self.driver.run(&work.bench, policy, trial).await {
            Ok(result) => Ok(result),
            Err(NotRun::Unwritten(error)) => {
                let earlier = work.found.get(index).map(|found| found.spoiled);
                let earlier = earlier.unwrap_or_default();
                let trial = work.trial(number, planned, task, earlier);
                Ok(episode::unwritten(policy, &trial, &error))
            }
            Err(NotRun::NoLane(error)) => {
                // Another lane may do it.
                work.queue().push_front(index);
                Err(error)
            }
        }
    }
}
