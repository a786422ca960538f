//! A task's scorer as an actor: one store, one call after another.
//!
//! Nothing about it depends on how fast a machine is: what it reads is bounded, and so are the instructions that it may
//! execute for that. Wall time is looked at only to end a call that hangs in the host.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use wasmtime::Store;
use wasmtime::component::{HasSelf, Linker};

use crate::bindings::scorer as world;
use crate::failure::{FailureKind, GuestFailure};
use crate::guest::{Guest, Part, call};
use crate::limits::{Bounds, Limits};
use crate::lines;
use crate::thread;
use crate::types::{Level, PageEvent, Score, ScoreError, ScoredEpisode};

/// Instructions of one call, whatever it is about. The bundled scorers take a hundredth of it for sixteen thousand events.
const WORK: u64 = 1_200_000_000;
/// Instructions more for each byte that is read. A long text, taken apart word by word, takes seven hundred.
const WORK_PER_BYTE: u64 = 25_000;
/// Far behind the instructions, on a busy machine too: nothing but a call that hangs in the host gets here.
const HANGS: Duration = Duration::from_secs(120);

/// Page events of one episode that a scorer reads.
const EVENTS: usize = 16_384;
/// Bytes of their names and data.
const EVENT_BYTES: usize = 4 << 20;
/// Bytes of a variant's values, which are the task's own.
const VALUE_BYTES: usize = 1 << 20;
/// Bytes of the page's result, which is a label.
const RESULT_BYTES: usize = 64 << 10;

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

/// What a call is about, within what a scorer reads.
struct Bounded<T> {
    what: T,
    bytes: usize,
}

impl<T> Bounded<T> {
    fn bounds(&self) -> Bounds {
        Bounds::counted(HANGS, WORK + WORK_PER_BYTE * self.bytes as u64)
    }
}

/// The bytes that a scorer has to read.
///
/// # Errors
/// It is more than it reads; the failure says what of it.
fn readable(values: &str, events: &[PageEvent], page_result: &str) -> Result<usize, GuestFailure> {
    let said: usize = events
        .iter()
        .map(|event| event.name.len() + event.data.len())
        .sum();
    let parts = [
        ("page events", events.len(), EVENTS),
        ("bytes of page events", said, EVENT_BYTES),
        ("bytes of the variant's values", values.len(), VALUE_BYTES),
        (
            "bytes of the page's result",
            page_result.len(),
            RESULT_BYTES,
        ),
    ];
    match parts.iter().find(|(_, found, most)| found > most) {
        Some((what, found, most)) => Err(GuestFailure::new(
            FailureKind::InputTooLarge,
            format!("a scorer may get at most {most} {what}, but there are {found}"),
        )),
        None => Ok(said + values.len() + page_result.len()),
    }
}

enum Request {
    Judge(
        Bounded<(String, Vec<PageEvent>)>,
        oneshot::Sender<Result<Option<String>, GuestFailure>>,
    ),
    Score(
        Box<Bounded<ScoredEpisode>>,
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
        scorer: world::ScorerPre<Guest<ScorerPart>>,
    ) -> Result<Self, GuestFailure> {
        let (requests, inbox) = mpsc::channel(16);
        let actor = Actor {
            name: name.to_owned(),
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
    /// The scorer failed, used up its work of twelve hundred million instructions and twenty-five thousand more for each byte that it
    /// was handed, or was to read more than 16 384 events of 4 MiB. The next call gets a fresh instance.
    pub async fn judge(
        &self,
        values_json: &str,
        events: Vec<PageEvent>,
    ) -> Result<Option<String>, GuestFailure> {
        let bytes = readable(values_json, &events, "")?;
        let what = (values_json.to_owned(), events);
        let (reply, answer) = oneshot::channel();
        self.ask(Request::Judge(Bounded { what, bytes }, reply), answer)
            .await
    }

    /// The score of a whole episode; the inner error is the scorer's own verdict.
    ///
    /// # Errors
    /// As for [`Self::judge`].
    pub async fn score_episode(
        &self,
        episode: ScoredEpisode,
    ) -> Result<Result<Score, ScoreError>, GuestFailure> {
        let values = &episode.variant_values;
        let bytes = readable(values, &episode.page_events, &episode.page_result)?;
        let what = Bounded {
            what: episode,
            bytes,
        };
        let (reply, answer) = oneshot::channel();
        self.ask(Request::Score(Box::new(what), reply), answer)
            .await
    }

    async fn ask<T>(
        &self,
        request: Request,
        answer: oneshot::Receiver<Result<T, GuestFailure>>,
    ) -> Result<T, GuestFailure> {
        let gone = || {
            GuestFailure::error(
                "the scorer's thread ended unexpectedly: a fault in the host, see its log",
            )
        };
        self.requests.send(request).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

type OpenScorer = (Store<Guest<ScorerPart>>, world::Scorer);

struct Actor {
    name: String,
    scorer: world::ScorerPre<Guest<ScorerPart>>,
    /// None before the first call and after a failure, which leaves an instance unusable.
    open: Option<OpenScorer>,
}

impl Actor {
    async fn serve(mut self, mut inbox: mpsc::Receiver<Request>) {
        while let Some(request) = inbox.recv().await {
            match request {
                Request::Judge(asked, reply) => {
                    let (values, events) = &asked.what;
                    let outcome = self
                        .within(asked.bounds(), async |scorer, store| {
                            scorer
                                .dynacu_scoring_scorer()
                                .call_judge(store, values, events)
                                .await
                        })
                        .await;
                    let _ = reply.send(outcome);
                }
                Request::Score(asked, reply) => {
                    let outcome = self
                        .within(asked.bounds(), async |scorer, store| {
                            scorer
                                .dynacu_scoring_scorer()
                                .call_score_episode(store, &asked.what)
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
            self.scorer.engine(),
            &Limits::scorer(),
            crate::wasi::Clock::Still,
            part,
        )?;
        let scorer = call(&mut store, Bounds::counted(HANGS, WORK), async |store| {
            self.scorer.instantiate_async(store).await
        })
        .await?;
        Ok((store, scorer))
    }
}

#[cfg(test)]
mod tests;
