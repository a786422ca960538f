//! A run as it is planned, before anything is started.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use dynacu_record::RunInfo;
use dynacu_runtime::Engine;
use parking_lot::Mutex;

use super::CouldNotRun;
use crate::config::RunConfig;
use crate::desktop::{check, programs};
use crate::driver;
use crate::episode::stop::Stop;
use crate::inference::ping::ping;
use crate::suite::agents::Crew;
use crate::suite::describe::describe;
use crate::suite::lanes::Work;
use crate::suite::plan::{Planned, episodes, order, table};
use crate::suite::resume::{Found, look};
use crate::suite::resumed::Resumed;
use crate::suite::slots::{slots, slots_of_pages};
use crate::suite::view::Views;
use crate::task::catalogue::Catalogue;
use crate::task::home::{Home, home};

/// Everything that is known before models and lanes are there.
pub(super) struct Draft {
    config: RunConfig,
    resumed: Option<Resumed>,
    home: Home,
    engine: Engine,
    crew: Crew,
    plan: Vec<Planned>,
    /// What is there of each planned episode.
    found: Vec<Found>,
    /// Indices into the plan, in the order in which they are run.
    due: Vec<usize>,
    info: RunInfo,
}

impl Draft {
    /// Loads the plugins and works out the episodes; of a run that is taken up again, looks at what is there.
    pub(super) async fn new(config: RunConfig, resumed: Option<Resumed>) -> Result<Self> {
        let home = home()?;
        let slots = if config.pages.is_empty() {
            slots(&config, &Catalogue::open(&home)?)?
        } else {
            slots_of_pages(&config)?
        };
        let engine = crate::program::engine()?;
        let earlier = resumed
            .as_ref()
            .and_then(|resumed| resumed.info.inference.as_ref());
        let crew = Crew::load(&engine, &home, &config, &slots, earlier).await?;
        let plan = episodes(&slots, &crew, &config.gates, &config.groups)?;
        let mut info = describe(&config, &plan, &crew, &engine, &home, "")?;
        let mut found = Vec::new();
        if let Some(resumed) = &resumed {
            info.encoder.clone_from(&resumed.info.encoder);
            resumed.check(&info)?;
            resumed.remark(&info);
            for planned in &plan {
                let seed = config.seed.for_trial(planned.trial).to_string();
                found.push(look(&resumed.folder, planned, &seed)?);
            }
        } else {
            found.extend(plan.iter().map(|_| Found::default()));
        }
        let mut due = order(&plan, config.seed);
        due.retain(|&index| found.get(index).is_some_and(Found::is_due));
        Ok(Self {
            config,
            resumed,
            home,
            engine,
            crew,
            plan,
            found,
            due,
            info,
        })
    }

    /// The folder of the run that is taken up again.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.resumed
            .as_ref()
            .map(|resumed| resumed.folder.as_path())
    }

    /// The folder that was asked for.
    pub(super) fn out(&self) -> Option<&Path> {
        self.config.out.as_deref()
    }

    /// Whether the machine has what lanes need, and every model answers.
    pub(super) async fn check(&self) -> Result<()> {
        programs::check()?;
        if self.config.model.preflight && !self.due.is_empty() {
            preflight(&self.crew).await.map_err(CouldNotRun)?;
        }
        Ok(())
    }

    /// Loads the models: what is left to do then, and what `run.json` says of it.
    pub(super) fn work(self, folder: &Path) -> Result<(Arc<Work>, RunInfo)> {
        eprintln!("loading the models …");
        let mut info = self.info;
        let bench = driver::bench(self.engine, self.home, &self.config.recognizer)?;
        bench.encoder.name().clone_into(&mut info.encoder);
        if let Some(resumed) = &self.resumed {
            resumed.check(&info)?;
            resumed.carry_over(&mut info);
        }
        let stop = Stop::on_signals().context("cannot listen for interrupts")?;
        let work = Work {
            studio: Mutex::new(driver::studio(&bench)),
            voice: bench.voice.synthesize(check::WORDS)?,
            bench,
            crew: self.crew,
            folder: folder.to_owned(),
            plan: self.plan,
            found: self.found,
            queue: Mutex::new(self.due.into()),
            halted: AtomicBool::new(false),
            streaks: Mutex::default(),
            stop,
            views: Views::default(),
            config: self.config,
        };
        Ok((Arc::new(work), info))
    }

    /// Prints which episodes would be run, in their order.
    #[allow(clippy::print_stdout, reason = "the plan is what was asked for")]
    pub(super) fn print(&self, json: bool) -> Result<()> {
        let (plan, due, config) = (&self.plan, &self.due, &self.config);
        if !json {
            print!("{}", table(plan, due, config.seed));
            println!("{} of {} episodes", due.len(), plan.len());
            return Ok(());
        }
        let rows: Vec<serde_json::Value> = due
            .iter()
            .filter_map(|&index| plan.get(index))
            .map(|planned| {
                serde_json::json!({
                    "task": planned.task.manifest.id,
                    "mode": planned.mode,
                    "gate": planned.gate.name(),
                    "agent": planned.agent,
                    "trial": planned.trial,
                    "seed": config.seed.for_trial(planned.trial).to_string(),
                    "folder": Path::new("episodes").join(planned.place()),
                })
            })
            .collect();
        println!(
            "{}",
            serde_json::json!({"schema": 1, "planned": plan.len(), "episodes": rows})
        );
        Ok(())
    }
}

/// Asks every model for a word: a wrong key or a spent quota is found out before the first episode.
async fn preflight(crew: &Crew) -> Result<()> {
    for model in crew
        .models
        .iter()
        .filter(|model| model.provider.reaches_a_network())
    {
        // A server that still starts may keep it waiting for half a minute.
        eprintln!("{}: sending a test request …", model.name);
        let pong = ping(model).await?;
        eprintln!(
            "{}: answers as {} after {:.1} s",
            model.name,
            pong.model,
            pong.took.as_secs_f64()
        );
    }
    Ok(())
}
