//! `dynacu-host rescore`: the scorers again, over the records alone.
//!
//! Nothing that was recorded is changed: what came of it is written beside it, as `rescore.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use dynacu_figures::table;
use dynacu_record::{EndCause, EpisodeResult, Event, Line, ScoreResult};
use dynacu_report::{Episode, read_run};
use dynacu_runtime::types::{Duration, PageEvent, ScoredEpisode};
use dynacu_runtime::{Engine, Plugin, Scorer};
use serde::Serialize;

use super::Done;
use crate::bundled;
use crate::episode::judge::{wants_verdict, wire};
use crate::episode::scoring::{ask, ended, of_page};
use crate::task::catalogue::Catalogue;
use crate::task::foreign::CATEGORY;
use crate::task::home::{Home, home};

#[derive(Debug, Args)]
pub struct RescoreArguments {
    /// The run folder
    run: PathBuf,
    /// Tasks, by id; all if none is given
    #[arg(long, value_delimiter = ',')]
    task: Vec<String>,
    /// A scorer to use instead of the tasks' own: a .wasm file, or the name of a bundled one
    #[arg(long)]
    scorer: Option<String>,
    /// Prints the content of rescore.json on standard output instead of the table
    #[arg(long)]
    json: bool,
}

/// An episode's old score beside its new one.
#[derive(Debug, Serialize)]
struct Row {
    episode: String,
    task: String,
    mode: String,
    agent: String,
    trial: u32,
    old: Judged,
    /// None where it cannot be scored; `why` says the reason.
    new: Option<Judged>,
    why: Option<String>,
    changed: bool,
}

#[derive(Debug, Serialize)]
struct Judged {
    outcome: String,
    page_result: String,
    score: Option<ScoreResult>,
}

impl Judged {
    /// Whether it was scored otherwise; another wording of the same score is no difference.
    fn differs(&self, other: &Judged) -> bool {
        let value = |judged: &Judged| {
            judged
                .score
                .as_ref()
                .map(|score| (score.value, score.passed))
        };
        self.outcome != other.outcome
            || self.page_result != other.page_result
            || value(self) != value(other)
    }
}

/// Scores again, prints, and writes `rescore.json`.
///
/// # Errors
/// The folder is no run, a scorer cannot be loaded, or the file cannot be written.
#[allow(clippy::print_stdout, reason = "the table is this command's output")]
pub async fn run(arguments: &RescoreArguments) -> Result<Done> {
    let home = home()?;
    let run = read_run(&arguments.run, &|_, _, _| Ok(()))?;
    let mut scorers = Scorers::new(home, arguments.scorer.clone())?;
    let mut rows = Vec::new();
    for episode in &run.episodes {
        let wanted = &arguments.task;
        if wanted.is_empty() || wanted.contains(&episode.result.task) {
            rows.push(row(&arguments.run, episode, &mut scorers).await?);
        }
    }
    let changed = rows.iter().filter(|row| row.changed).count();
    let unscored = rows.iter().filter(|row| row.new.is_none()).count();
    let whole = serde_json::json!({"schema": 1, "changed": changed, "not_scored": unscored, "episodes": rows});
    let path = arguments.run.join("rescore.json");
    dynacu_record::write_json(&path, &whole)
        .with_context(|| format!("cannot write {}", path.display()))?;
    if arguments.json {
        println!("{}", serde_json::to_string(&whole)?);
    } else {
        println!("{}", table(&rows));
        println!(
            "{changed} of {} episodes have a different score, {unscored} cannot be scored again",
            rows.len()
        );
    }
    Ok(if unscored == 0 {
        Done::Well
    } else {
        Done::WithFailures
    })
}

/// Every scorer loaded once.
struct Scorers {
    home: Home,
    catalogue: Catalogue,
    engine: Engine,
    /// In place of the tasks' own.
    given: Option<String>,
    loaded: BTreeMap<PathBuf, Scorer>,
}

impl Scorers {
    fn new(home: Home, given: Option<String>) -> Result<Self> {
        Ok(Scorers {
            catalogue: Catalogue::open(&home)?,
            engine: crate::program::engine()?,
            loaded: BTreeMap::new(),
            home,
            given,
        })
    }

    fn of(&mut self, task: &str) -> Result<Scorer> {
        let path = match &self.given {
            Some(named) => bundled::find(&self.home, named)?,
            None => bundled::scorer(&self.home, &self.catalogue.get(task)?)?,
        };
        if let Some(scorer) = self.loaded.get(&path) {
            return Ok(scorer.clone());
        }
        let plugin = Plugin::load(&self.engine, &path)?;
        let scorer = plugin
            .scorer()
            .map_err(|failure| anyhow!("{}: {}", plugin.name, failure.detail))?;
        self.loaded.insert(path, scorer.clone());
        Ok(scorer)
    }
}

async fn row(run: &Path, episode: &Episode, scorers: &mut Scorers) -> Result<Row> {
    let result = &episode.result;
    let old = Judged {
        outcome: result.outcome.name().to_owned(),
        page_result: result.page_result.clone(),
        score: result.score.clone(),
    };
    let agent = match &result.model {
        Some(model) => format!("{} + {}", result.policy.name, model.model),
        None => result.policy.name.clone(),
    };
    let new = if ended(result.cause).is_none() {
        // The agent or the infrastructure failed: no scorer was asked then, none is now.
        Ok(None)
    } else {
        again(&run.join(&episode.path), episode, scorers)
            .await
            .map(Some)
    };
    let (new, why) = match new {
        Ok(None) => (
            Some(Judged {
                outcome: old.outcome.clone(),
                page_result: old.page_result.clone(),
                score: old.score.clone(),
            }),
            None,
        ),
        Ok(Some(judged)) => (Some(judged), None),
        Err(error) => (None, Some(format!("{error:#}"))),
    };
    Ok(Row {
        episode: episode.path.clone(),
        task: result.task.clone(),
        mode: result.mode.clone(),
        agent,
        trial: result.trial,
        changed: new.as_ref().is_some_and(|new| new.differs(&old)),
        old,
        new,
        why,
    })
}

/// What the page's server saw, by time.
struct Recorded {
    variant: String,
    events: Vec<PageEvent>,
    duration: u64,
}

fn recorded(entries: &[Line]) -> Result<Recorded> {
    let mut variant = None;
    let mut events = Vec::new();
    let mut duration = 0;
    for entry in entries {
        match &entry.event {
            Event::EpisodeStarted(started) => variant = Some(started.variant.to_string()),
            Event::Page(event) => events.push(wire(event)),
            Event::Ended { .. } => duration = entry.t,
            _ => {}
        }
    }
    // Utterances are recognised after what followed them; the scorer sees the order in which things were done.
    events.sort_by_key(|event: &PageEvent| event.at.milliseconds);
    Ok(Recorded {
        variant: variant.context("the record has no episode-started event")?,
        events,
        duration,
    })
}

/// The episode through its scorer, as it was while it ran: a verdict after each event that wants one, then the score.
async fn again(folder: &Path, episode: &Episode, scorers: &mut Scorers) -> Result<Judged> {
    let result = &episode.result;
    let recorded = recorded(&dynacu_record::read_events(folder)?)?;
    if result.category.starts_with(CATEGORY) {
        return page(result, &recorded.variant);
    }
    let scorer = scorers.of(&result.task)?;
    let mut label = None;
    for end in 1..=recorded.events.len() {
        let so_far = &recorded.events[..end];
        let wants = so_far
            .last()
            .is_some_and(|event| wants_verdict(&event.name));
        if wants && label.is_none() {
            label = scorer
                .judge(&recorded.variant, so_far.to_vec())
                .await
                .map_err(|failure| anyhow!("the scorer failed: {}", failure.detail))?;
        }
    }
    let page_result = label.unwrap_or_else(|| match result.cause {
        EndCause::TimeLimit | EndCause::StepLimit => "timeout".to_owned(),
        _ => "pending".to_owned(),
    });
    let scored = ask(
        &scorer,
        ScoredEpisode {
            task: result.task.clone(),
            variant_values: recorded.variant,
            page_events: recorded.events,
            page_result: page_result.clone(),
            ended: ended(result.cause).context("nothing to score")?,
            duration: Duration::of(recorded.duration),
        },
    )
    .await;
    let mut rescored = result.clone();
    rescored.score = scored.map_or_else(
        |why| {
            tracing::warn!("{}: unscored: {why}", episode.path);
            None
        },
        Some,
    );
    Ok(Judged {
        outcome: crate::episode::outcome(&rescored).name().to_owned(),
        page_result,
        score: rescored.score,
    })
}

/// A page of somebody else told its result itself: it counts by the results that the record names.
fn page(result: &EpisodeResult, variant: &str) -> Result<Judged> {
    let variant: serde_json::Value = serde_json::from_str(variant)?;
    let success = variant["settings"]["success"].as_str();
    let success = success.context("the record does not say which result is success")?;
    let mut rescored = result.clone();
    rescored.score = Some(of_page(&result.page_result, success));
    Ok(Judged {
        outcome: crate::episode::outcome(&rescored).name().to_owned(),
        page_result: rescored.page_result,
        score: rescored.score,
    })
}

fn table(rows: &[Row]) -> String {
    let head = ["task", "mode", "agent", "trial", "old", "new", "", "why"];
    let mut lines = Vec::new();
    for row in rows {
        let judged = |judged: &Judged| {
            let value = judged
                .score
                .as_ref()
                .map_or("no score".to_owned(), |score| format!("{:.2}", score.value));
            format!("{} {value} {}", judged.outcome, judged.page_result)
        };
        let why = row.why.clone().or_else(|| {
            let score = row.new.as_ref()?.score.as_ref()?;
            row.changed.then(|| score.explanation.clone())
        });
        lines.push(vec![
            row.task.clone(),
            row.mode.clone(),
            row.agent.clone(),
            row.trial.to_string(),
            judged(&row.old),
            row.new
                .as_ref()
                .map_or("cannot be scored".to_owned(), judged),
            if row.changed { "changed" } else { "" }.to_owned(),
            why.unwrap_or_default(),
        ]);
    }
    table::text(&head, &lines)
}
