//! Runs the episodes that gates and contact sheets ask for, one after the other on one lane.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use dynacu_record::Outcome;

use super::run::Run;
use super::{Check, records};
use crate::config::RunConfig;
use crate::config::settings::RunSettings;
use crate::desktop::check::WORDS;
use crate::desktop::lane::Lane;
use crate::driver::{self, Driver};
use crate::episode::stop::Stop;
use crate::episode::{self, Bench, Losses, Policy, Trial};
use crate::studio::Studio;
use crate::suite::agents::Crew;
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
    config: RunConfig,
    crew: Crew,
    driver: Driver,
    stop: Stop,
    /// Where the records are kept.
    records: PathBuf,
}

impl Runner {
    /// Loads the policies by name, and takes the models that are loaded already.
    ///
    /// # Errors
    /// A policy is not built.
    pub async fn new(bench: Bench, policies: &[&str], records: &Path) -> Result<Self> {
        let asked = RunSettings::of_plugins(policies);
        let config = RunConfig::resolve(asked, RunSettings::default())?;
        let crew = Crew::load(&bench.engine, &bench.home, &config, &[], None).await?;
        Ok(Self {
            studio: driver::studio(&bench),
            config,
            crew,
            driver: Driver::new(0, bench.voice.synthesize(WORDS)?, Box::new(())),
            bench,
            stop: Stop::on_signals().context("cannot listen for interrupts")?,
            records: records.to_owned(),
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
    /// It does not start, or something on it does not work.
    pub async fn lane(&mut self) -> Result<&Lane> {
        Ok(self.driver.lane().await?)
    }

    /// Runs one check of a task and gives the folder of its record; `cut` is when an episode that is to be cut ends.
    ///
    /// # Errors
    /// The variant cannot be prepared, the policy is not loaded, or no record can be written.
    pub async fn run(
        &mut self,
        task: &Task,
        check: &Check,
        cut: Option<Duration>,
    ) -> Result<PathBuf> {
        let mut prepared = prepare(task, Seed::Number(check.seed), &self.studio)?;
        if let Some(cut) = cut {
            let limit = &mut prepared.task.manifest.time_limit;
            *limit = (*limit).min(cut);
        }
        let prepared = Arc::new(prepared);
        let policy = policy(&self.crew, check.policy)?;
        let number = u32::try_from(check.seed + 1)?;
        let folder = records::folder(&self.records, &task.manifest.id, &check.name());
        let mut tries = 0;
        loop {
            let task = Arc::clone(&prepared);
            let trial = Trial {
                number,
                earlier: Losses {
                    all: tries,
                    by_agent: 0,
                },
                ..driver::trial(&self.config, task, check.mode, folder.clone(), &self.stop)
            };
            let result = self.driver.run(&self.bench, policy, || Ok(trial)).await?;
            if episode::interrupted(result.cause) {
                bail!("interrupted");
            }
            tries += 1;
            if result.outcome != Outcome::InfrastructureError || tries >= TRIES {
                return Ok(folder);
            }
        }
    }

    /// Ends the lane.
    ///
    /// # Errors
    /// It does not end in order.
    pub async fn close(mut self) -> Result<()> {
        self.driver.close().await
    }
}

fn policy<'c>(crew: &'c Crew, name: &str) -> Result<&'c Policy> {
    crew.policies
        .iter()
        .find(|policy| policy.plugin.name == name)
        .with_context(|| format!("the policy {name} is not loaded"))
}

/// When an episode that is to be cut ends: a while after the last moment of the reference's episode.
#[must_use]
pub fn cut_after(reference: Option<&Run>) -> Option<Duration> {
    let last = reference?.last_moment?;
    Some(Duration::from_secs_f64(last) + AFTER_THE_LAST)
}
