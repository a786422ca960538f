//! A model adapter as an actor: one thread, a fresh store for each call, several calls at once.
//!
//! A fresh store costs microseconds and keeps what one call left behind out of the next.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, oneshot};
use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Engine, Store};

use crate::bindings::model_adapter as world;
use crate::bindings::model_adapter::dynacu::host::{blobs, http};
use crate::bindings::model_adapter::dynacu::model::types as model;
use crate::egress::{Blobs, DenyEgress, Egress, NoBlobs};
use crate::failure::GuestFailure;
use crate::guest::{Guest, Part, call};
use crate::limits::{Bounds, Limits};
use crate::types::{
    AdapterDescriptor, BlobError, BlobId, BlobInfo, Capabilities, HttpError, HttpRequest,
    HttpResponse, Level, ModelError, ModelRequest, ModelResponse,
};
use crate::wasi::Clock;
use crate::{lines, names, thread};

/// Calls that run at once; more wait.
const AT_ONCE: usize = 16;

/// Where a call's log lines go.
pub type LogSink = Arc<dyn Fn(Level, String) + Send + Sync>;

/// What one model call may reach outside of its sandbox, and for how long.
#[derive(Clone)]
pub struct Outside {
    /// The way out to the network.
    pub egress: Arc<dyn Egress>,
    /// The episode's media.
    pub blobs: Arc<dyn Blobs>,
    /// Where its lines go.
    pub log: LogSink,
    /// Wall time of the whole call, waiting for the provider included.
    pub deadline: Duration,
}

impl Outside {
    /// Nothing to reach: how an adapter describes itself.
    fn closed(name: &str, deadline: Duration) -> Self {
        let name = name.to_owned();
        Self {
            egress: Arc::new(DenyEgress),
            blobs: Arc::new(NoBlobs),
            log: Arc::new(move |level, message| lines::trace(&name, level, &message)),
            deadline,
        }
    }
}

pub(crate) struct AdapterPart(Outside);

impl Part for AdapterPart {
    fn log(&mut self, level: Level, message: String) {
        (self.0.log)(level, message);
    }
}

pub(crate) fn link(linker: &mut Linker<Guest<AdapterPart>>) -> wasmtime::Result<()> {
    world::ModelAdapter::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)
}

impl blobs::Host for Guest<AdapterPart> {
    fn stat(&mut self, id: BlobId) -> wasmtime::Result<Result<BlobInfo, BlobError>> {
        self.called();
        Ok(self.part.0.blobs.stat(&id.sha256))
    }

    fn read(&mut self, id: BlobId) -> wasmtime::Result<Result<Vec<u8>, BlobError>> {
        self.called();
        Ok(self.part.0.blobs.read(&id.sha256))
    }
}

impl http::Host for Guest<AdapterPart> {
    async fn send(
        &mut self,
        request: HttpRequest,
    ) -> wasmtime::Result<Result<HttpResponse, HttpError>> {
        self.called();
        let egress = self.part.0.egress.clone();
        Ok(self.meter.host_works(egress.send(request)).await)
    }
}

impl model::Host for Guest<AdapterPart> {}

enum Request {
    Describe(oneshot::Sender<Result<AdapterDescriptor, GuestFailure>>),
    Capabilities {
        model: String,
        settings: String,
        reply: oneshot::Sender<Result<Capabilities, GuestFailure>>,
    },
    Complete(Box<Question>, oneshot::Sender<Completed>),
}

struct Question {
    model: String,
    settings: String,
    request: ModelRequest,
    outside: Outside,
}

type Completed = Result<Result<ModelResponse, ModelError>, GuestFailure>;

/// A handle; copies share one adapter, and dropping the last one ends it when its calls are done.
#[derive(Clone)]
pub struct Adapter {
    requests: mpsc::Sender<Request>,
}

impl Adapter {
    pub(crate) fn start(name: &str, inside: Inside) -> Result<Self, GuestFailure> {
        let (requests, inbox) = mpsc::channel(AT_ONCE);
        thread::spawn(&thread::name("adapter", name), move || {
            serve(Arc::new(inside), inbox)
        })
        .map_err(|error| GuestFailure::error(format!("no thread for the adapter: {error}")))?;
        Ok(Self { requests })
    }

    /// The provider and its models.
    ///
    /// # Errors
    /// The guest failed.
    pub async fn describe(&self) -> Result<AdapterDescriptor, GuestFailure> {
        let (reply, answer) = oneshot::channel();
        self.ask(Request::Describe(reply), answer).await
    }

    /// What one model takes under these settings, as far as the adapter knows.
    ///
    /// # Errors
    /// The guest failed.
    pub async fn capabilities_of(
        &self,
        model: &str,
        settings: &str,
    ) -> Result<Capabilities, GuestFailure> {
        let (reply, answer) = oneshot::channel();
        let request = Request::Capabilities {
            model: model.to_owned(),
            settings: settings.to_owned(),
            reply,
        };
        self.ask(request, answer).await
    }

    /// One model call. `settings` is the adapter's table of the run configuration, as JSON; `outside` is all that the
    /// call reaches. Dropping the future cancels the call.
    ///
    /// # Errors
    /// The outer error is the guest's failure, the deadline included; the inner one is the provider's.
    pub async fn complete(
        &self,
        model: &str,
        settings: &str,
        request: ModelRequest,
        outside: Outside,
    ) -> Completed {
        let (reply, answer) = oneshot::channel();
        let question = Question {
            model: model.to_owned(),
            settings: settings.to_owned(),
            request,
            outside,
        };
        self.ask(Request::Complete(Box::new(question), reply), answer)
            .await
    }

    async fn ask<T>(
        &self,
        request: Request,
        answer: oneshot::Receiver<Result<T, GuestFailure>>,
    ) -> Result<T, GuestFailure> {
        let gone = || {
            GuestFailure::error(
                "the adapter's thread ended unexpectedly: a fault in the host, see its log",
            )
        };
        self.requests.send(request).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

/// What every call of an adapter needs.
pub(crate) struct Inside {
    pub(crate) name: String,
    pub(crate) engine: Engine,
    pub(crate) adapter: world::ModelAdapterPre<Guest<AdapterPart>>,
    /// Of each model call; the call brings its own deadline.
    pub(crate) limits: Limits,
}

async fn serve(inside: Arc<Inside>, mut inbox: mpsc::Receiver<Request>) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut calls = tokio::task::JoinSet::new();
    while let Some(request) = inbox.recv().await {
        // Closing the semaphore is the only error, and nobody does.
        let Ok(place) = places.clone().acquire_owned().await else {
            break;
        };
        let inside = inside.clone();
        calls.spawn_local(async move {
            inside.answer(request).await;
            drop(place);
        });
        while calls.try_join_next().is_some() {}
    }
    while calls.join_next().await.is_some() {}
}

impl Inside {
    async fn answer(&self, request: Request) {
        match request {
            Request::Describe(reply) => {
                let limits = Limits::describe();
                let outside = Outside::closed(&self.name, limits.deadline);
                let work = self.fresh(limits, outside, async |adapter, store| {
                    adapter.dynacu_model_adapter().call_describe(store).await
                });
                let work = async { work.await.and_then(names::described) };
                unless_given_up(reply, work).await;
            }
            Request::Capabilities {
                model,
                settings,
                reply,
            } => {
                let limits = Limits::describe();
                let outside = Outside::closed(&self.name, limits.deadline);
                let work = self.fresh(limits, outside, async |adapter, store| {
                    adapter
                        .dynacu_model_adapter()
                        .call_capabilities_of(store, &model, &settings)
                        .await
                });
                unless_given_up(reply, work).await;
            }
            Request::Complete(question, reply) => {
                let Question {
                    model,
                    settings,
                    request,
                    outside,
                } = *question;
                let work = self.fresh(self.limits.clone(), outside, async |adapter, store| {
                    adapter
                        .dynacu_model_adapter()
                        .call_complete(store, &model, &settings, &request)
                        .await
                });
                unless_given_up(reply, work).await;
            }
        }
    }

    async fn fresh<T>(
        &self,
        limits: Limits,
        outside: Outside,
        work: impl AsyncFnOnce(
            &world::ModelAdapter,
            &mut Store<Guest<AdapterPart>>,
        ) -> wasmtime::Result<T>,
    ) -> Result<T, GuestFailure> {
        let deadline = outside.deadline;
        let part = AdapterPart(outside);
        let mut store = Guest::store(&self.engine, &limits, Clock::Machine, part)?;
        let adapter = call(&mut store, limits.start_bounds(), async |store| {
            self.adapter.instantiate_async(store).await
        })
        .await?;
        let bounds = Bounds {
            wall: deadline,
            ..limits.call_bounds()
        };
        call(&mut store, bounds, async |store| {
            work(&adapter, store).await
        })
        .await
    }
}

/// Stops working once nobody waits for the answer.
async fn unless_given_up<T>(mut reply: oneshot::Sender<T>, work: impl Future<Output = T>) {
    let outcome = tokio::select! {
        outcome = work => outcome,
        () = reply.closed() => return,
    };
    let _ = reply.send(outcome);
}
