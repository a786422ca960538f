//! A run from its plan to its last result: starts the lanes, hears what they tell, and keeps `run.json` up to date.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use dynacu_record::{EpisodeResult, RunInfo};
use tokio::sync::mpsc;

use super::lanes::{self, LaneEvent, Work};
use super::progress::{Counts, Progress, REDRAW};
use crate::driver::Driver;
use crate::episode;

/// Events that may wait: each lane has one or two at a time.
const EVENTS: usize = 64;

/// What a run came to.
pub struct Finished {
    /// One for each planned episode, in the plan's order; none where it was not run.
    pub results: Vec<Option<EpisodeResult>>,
    /// Why nothing more could be run, where that is so.
    pub broken: Option<anyhow::Error>,
}

/// Runs what is in the queue on so many lanes; `first` has a lane already.
///
/// # Errors
/// The system gives no thread.
pub async fn run(
    work: &Arc<Work>,
    lanes: usize,
    first: Option<Driver>,
    info: &mut RunInfo,
) -> Result<Finished> {
    let kept = work.found.iter().filter(|found| !found.is_due()).count();
    let (sender, mut events) = mpsc::channel(EVENTS);
    let mut first = first;
    let mut threads = Vec::new();
    for number in 0..lanes {
        threads.push(lanes::spawn(work, number, first.take(), sender.clone())?);
    }
    // The last lane's end is the end of the events.
    drop(sender);
    let mut run = Run {
        work,
        progress: Progress::new(Counts::new(work.plan.len(), kept, lanes)),
        position: kept,
        positions: HashMap::new(),
        kept: true,
        finished: Finished {
            results: work
                .found
                .iter()
                .map(|found| found.result.clone())
                .collect(),
            broken: None,
        },
    };
    let mut redraw = tokio::time::interval(REDRAW);
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => {
                    run.hear(event);
                    run.keep(info);
                }
                None => break,
            },
            _ = redraw.tick() => run.progress.draw(&work.views.now(), run.cost()),
        }
    }
    run.progress.finish();
    for thread in threads {
        if thread.join().is_err() {
            run.finished
                .broken
                .get_or_insert_with(|| anyhow!("a lane's thread panicked: see the message above"));
        }
    }
    Ok(run.finished)
}

struct Run<'a> {
    work: &'a Work,
    progress: Progress,
    /// Episodes begun, those that were there before included.
    position: usize,
    /// Of each episode under way.
    positions: HashMap<usize, usize>,
    /// Whether `run.json` could be written last time.
    kept: bool,
    finished: Finished,
}

impl Run<'_> {
    fn cost(&self) -> f64 {
        self.work.crew.service.budget.spent().cost_usd
    }

    fn hear(&mut self, event: LaneEvent) {
        match event {
            LaneEvent::Began { lane, index } => {
                self.position += 1;
                self.positions.insert(index, self.position);
                self.progress
                    .begins(lane, self.position, &self.work.name(index));
            }
            LaneEvent::Ended {
                lane,
                index,
                result,
                last,
            } => {
                self.ended(lane, index, *result);
                if let Some(why) = last {
                    self.progress.say(&format!("the run stops here: {why}"));
                }
            }
            LaneEvent::Unprepared { lane, index, error } => {
                let name = self.work.name(index);
                self.progress.say(&format!(
                    "      lane {lane}: {name} could not be prepared: {error:#}"
                ));
            }
            LaneEvent::GaveUp { lane, error } => {
                self.progress
                    .say(&format!("lane {lane} is given up: {error:#}"));
                self.finished.broken = Some(error);
            }
        }
    }

    fn ended(&mut self, lane: usize, index: usize, result: EpisodeResult) {
        let position = self.positions.remove(&index).unwrap_or_default();
        let (name, cost) = (self.work.name(index), self.cost());
        self.progress.ended(lane, position, &name, &result, cost);
        // Interrupted from outside it says nothing, and has no `episode.json` either.
        let interrupted = episode::interrupted(result.cause);
        if let Some(place) = self.finished.results.get_mut(index) {
            *place = (!interrupted).then_some(result);
        }
    }

    /// What was spent so far outlives the host, however it dies. A disk that is full may have room again after the next episode.
    fn keep(&mut self, info: &mut RunInfo) {
        let Some(inference) = &mut info.inference else {
            return;
        };
        let spent = self.work.crew.service.budget.spent();
        let same = inference.tokens == spent.tokens && inference.uncounted == spent.uncounted;
        if same && self.kept {
            return;
        }
        inference.tokens = spent.tokens;
        inference.cost_usd = spent.cost_usd;
        inference.uncounted = spent.uncounted;
        let written = dynacu_record::write_json(&self.work.folder.join("run.json"), info);
        if let (Err(error), true) = (&written, self.kept) {
            self.progress
                .say(&format!("run.json cannot be written: {error}"));
        }
        self.kept = written.is_ok();
    }
}
