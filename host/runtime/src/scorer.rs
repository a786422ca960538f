//! A task's scorer as an actor: one store, one call after another.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Engine, Store};

use crate::bindings::scorer as world;
use crate::failure::GuestFailure;
use crate::guest::{Guest, Part, call};
use crate::limits::{Bounds, Limits};
use crate::lines;
use crate::thread;
use crate::types::{Level, PageEvent, Score, ScoreError, ScoredEpisode};

/// A verdict is due while the page waits: this is the scorer's own time; the wall allows for a busy machine.
const JUDGE: Bounds = Bounds::flat(Duration::from_secs(5), Duration::from_millis(100));
const SCORE: Bounds = Bounds::flat(Duration::from_secs(20), Duration::from_secs(2));
const START: Bounds = Bounds::flat(Duration::from_secs(20), Duration::from_secs(5));

pub(crate) struct ScorerPart {
    name: String,
}

impl Part for ScorerPart {
    fn log(&mut self, level: Level, message: String) {
        lines::trace(&self.name, level, &message);
    }
}

pub(crate) fn link(linker: &mut Linker<Guest<ScorerPart>>) -> wasmtime::Result<()> {
    world::Scorer::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)
}

enum Request {
    Judge(
        String,
        Vec<PageEvent>,
        oneshot::Sender<Result<Option<String>, GuestFailure>>,
    ),
    Score(
        Box<ScoredEpisode>,
        oneshot::Sender<Result<Result<Score, ScoreError>, GuestFailure>>,
    ),
}

/// A handle; copies share one scorer, and dropping the last one ends it.
#[derive(Clone)]
pub struct Scorer {
    requests: mpsc::Sender<Request>,
}

impl Scorer {
    pub(crate) fn start(
        name: &str,
        engine: Engine,
        scorer: world::ScorerPre<Guest<ScorerPart>>,
    ) -> Result<Self, GuestFailure> {
        let (requests, inbox) = mpsc::channel(16);
        let actor = Actor {
            name: name.to_owned(),
            engine,
            scorer,
            open: None,
        };
        thread::spawn(&thread::name("scorer", name), move || actor.serve(inbox))
            .map_err(|error| GuestFailure::error(format!("no thread for the scorer: {error}")))?;
        Ok(Self { requests })
    }

    /// The label that `getTaskResult()` is to return from now on, or none while the task is pending.
    ///
    /// # Errors
    /// The scorer failed, or used more than 100 ms of CPU time. The next call gets a fresh instance.
    pub async fn judge(
        &self,
        values_json: &str,
        events: Vec<PageEvent>,
    ) -> Result<Option<String>, GuestFailure> {
        let (reply, answer) = oneshot::channel();
        self.ask(
            Request::Judge(values_json.to_owned(), events, reply),
            answer,
        )
        .await
    }

    /// The score of a whole episode; the inner error is the scorer's own verdict.
    ///
    /// # Errors
    /// The scorer failed, or used more than 2 s of CPU time.
    pub async fn score_episode(
        &self,
        episode: ScoredEpisode,
    ) -> Result<Result<Score, ScoreError>, GuestFailure> {
        let (reply, answer) = oneshot::channel();
        self.ask(Request::Score(Box::new(episode), reply), answer)
            .await
    }

    async fn ask<T>(
        &self,
        request: Request,
        answer: oneshot::Receiver<Result<T, GuestFailure>>,
    ) -> Result<T, GuestFailure> {
        let gone = || {
            GuestFailure::error(
                "the scorer's thread ended without a word: a fault of the host, see its log",
            )
        };
        self.requests.send(request).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

type OpenScorer = (Store<Guest<ScorerPart>>, world::Scorer);

struct Actor {
    name: String,
    engine: Engine,
    scorer: world::ScorerPre<Guest<ScorerPart>>,
    /// None before the first call and after a failure, which leaves an instance unusable.
    open: Option<OpenScorer>,
}

impl Actor {
    async fn serve(mut self, mut inbox: mpsc::Receiver<Request>) {
        while let Some(request) = inbox.recv().await {
            match request {
                Request::Judge(values, events, reply) => {
                    let outcome = self
                        .within(JUDGE, async |scorer, store| {
                            scorer
                                .dynacu_scoring_scorer()
                                .call_judge(store, &values, &events)
                                .await
                        })
                        .await;
                    let _ = reply.send(outcome);
                }
                Request::Score(episode, reply) => {
                    let outcome = self
                        .within(SCORE, async |scorer, store| {
                            scorer
                                .dynacu_scoring_scorer()
                                .call_score_episode(store, &episode)
                                .await
                        })
                        .await;
                    let _ = reply.send(outcome);
                }
            }
        }
    }

    async fn within<T>(
        &mut self,
        bounds: Bounds,
        work: impl AsyncFnOnce(&world::Scorer, &mut Store<Guest<ScorerPart>>) -> wasmtime::Result<T>,
    ) -> Result<T, GuestFailure> {
        let (mut store, scorer) = match self.open.take() {
            Some(open) => open,
            None => self.instantiate().await?,
        };
        let value = call(&mut store, bounds, async |store| work(&scorer, store).await).await?;
        self.open = Some((store, scorer));
        Ok(value)
    }

    async fn instantiate(&self) -> Result<OpenScorer, GuestFailure> {
        let part = ScorerPart {
            name: self.name.clone(),
        };
        let mut store = Guest::store(
            &self.engine,
            &Limits::scorer(),
            crate::wasi::Clock::Still,
            part,
        )?;
        let scorer = call(&mut store, START, async |store| {
            self.scorer.instantiate_async(store).await
        })
        .await?;
        Ok((store, scorer))
    }
}
