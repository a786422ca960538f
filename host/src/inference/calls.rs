//! The model calls of one episode: they run beside the page's clock, are retried, counted, recorded, and end as events for
//! the policy or as the end of the episode.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dynacu_record::{EndCause, Event, Recorder, Usage};
use dynacu_runtime::types::{Capabilities, Level, ModelError, ModelRequest, ModelResponse};
use dynacu_runtime::{Completion, FailureKind, GuestFailure, LogSink};
use parking_lot::{Mutex, MutexGuard};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::allotment::Allotment;
use super::attempt::{attempt, jitter};
use super::exchange::ExchangeLog;
use super::provider::Model;
use super::retry::{Next, Patience, TROUBLE_IN_A_STEP, failure, next};
use super::seal::NotIssued;
use crate::capture::timebase::Timebase;

#[cfg(test)]
mod tests;

/// Calls of one policy that run at once; as many as an adapter takes.
const AT_ONCE: usize = 16;
/// Calls of one episode. Each is written down, and no task needs as many.
const IN_AN_EPISODE: u64 = 2_000;
/// Waits are looked at this often, in case the policy has gone on to another step.
const SLICE: Duration = Duration::from_millis(250);

/// The episode as its model calls see it.
pub trait Asker: Send + Sync + 'static {
    /// The current step.
    fn step(&self) -> u32;
    fn deliver(&self, completion: Completion);
    /// The episode has to end.
    fn end(&self, cause: EndCause, detail: String);
}

/// What the episode's calls came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelTally {
    /// Calls that the policy made.
    pub calls: u64,
    /// Calls that got an answer.
    pub answered: u32,
    /// Milliseconds of each answering attempt.
    pub model_ms: Vec<u64>,
    /// The cost is none where one answer has none.
    pub usage: Usage,
}

/// All model calls of one episode.
pub struct Inference {
    pub model: Arc<Model>,
    recorder: Recorder,
    timebase: Arc<Timebase>,
    asker: Box<dyn Asker>,
    patience: Patience,
    allotment: Arc<Allotment>,
    runtime: Handle,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: u64,
    running: HashMap<u64, oneshot::Sender<()>>,
    tasks: JoinSet<()>,
    closed: bool,
    answered: u32,
    unpriced: bool,
    model_ms: Vec<u64>,
    usage: Usage,
}

/// How a call ended.
enum Ended {
    Delivered {
        outcome: Result<ModelResponse, ModelError>,
        attempts: u32,
        took: Duration,
        waited: Duration,
    },
    Episode(EndCause, String),
}

impl Inference {
    /// Call it on the runtime on which the calls are to run.
    #[must_use]
    pub fn new(
        model: Arc<Model>,
        recorder: Recorder,
        timebase: Arc<Timebase>,
        asker: impl Asker,
    ) -> Arc<Inference> {
        Arc::new(Inference {
            model,
            recorder,
            timebase,
            asker: Box::new(asker),
            patience: Patience::new(TROUBLE_IN_A_STEP),
            allotment: Arc::default(),
            runtime: Handle::current(),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Begins a call and returns its id; its end comes to the [`Asker`].
    pub fn submit(self: &Arc<Self>, request: ModelRequest) -> u64 {
        let step = self.asker.step();
        let mut state = self.state();
        state.calls += 1;
        let call = state.calls;
        let refusal = if state.running.len() >= AT_ONCE {
            Some(format!(
                "more than {AT_ONCE} model calls at once: wait for completions"
            ))
        } else if call > IN_AN_EPISODE {
            Some(format!(
                "more than {IN_AN_EPISODE} model calls in one episode"
            ))
        } else if state.closed {
            Some("the episode is over".to_owned())
        } else {
            None
        };
        if let Some(why) = refusal {
            drop(state);
            let outcome = Err(ModelError::InvalidRequest(why));
            self.write_call(call, step, &request);
            self.write_answer(call, step, &outcome, 0, Duration::ZERO, Duration::ZERO);
            self.asker.deliver(Completion { call, outcome });
            return call;
        }
        let (cancel, cancelled) = oneshot::channel();
        state.running.insert(call, cancel);
        let own = Arc::clone(self);
        while state.tasks.try_join_next().is_some() {}
        state.tasks.spawn_on(
            async move { own.see_through(call, step, request, cancelled).await },
            &self.runtime,
        );
        call
    }

    /// Its completion comes as `cancelled`, if it was not done.
    pub fn cancel(&self, call: u64) {
        self.state().running.remove(&call);
    }

    /// Cancels what still runs and waits until it is written down.
    pub async fn close(&self) {
        let mut tasks = {
            let mut state = self.state();
            state.closed = true;
            state.running.clear();
            std::mem::take(&mut state.tasks)
        };
        while tasks.join_next().await.is_some() {}
    }

    #[must_use]
    pub fn tally(&self) -> ModelTally {
        let state = self.state();
        let mut usage = state.usage.clone();
        if state.unpriced {
            usage.cost_usd = None;
        }
        ModelTally {
            calls: state.calls,
            answered: state.answered,
            model_ms: state.model_ms.clone(),
            usage,
        }
    }

    async fn see_through(
        self: Arc<Self>,
        call: u64,
        step: u32,
        mut request: ModelRequest,
        cancelled: oneshot::Receiver<()>,
    ) {
        let Model {
            service, provider, ..
        } = &*self.model;
        let adapter = &provider.plugin.sha256;
        let opened = service.seal.open(adapter, &self.model.name, &mut request);
        // Without the tags, so that the record is the same whatever the key.
        self.write_call(call, step, &request);
        let began = Instant::now();
        let ended = tokio::select! {
            ended = self.ask(call, &request, opened) => ended,
            _ = cancelled => Ended::Delivered {
                outcome: Err(ModelError::Cancelled),
                attempts: 0,
                took: began.elapsed(),
                waited: Duration::ZERO,
            },
        };
        self.state().running.remove(&call);
        match ended {
            Ended::Delivered {
                mut outcome,
                attempts,
                took,
                waited,
            } => {
                self.write_answer(call, step, &outcome, attempts, took, waited);
                if let Ok(response) = &mut outcome {
                    service.seal.close(adapter, &self.model.name, response);
                }
                self.asker.deliver(Completion { call, outcome });
            }
            Ended::Episode(cause, detail) => {
                let failed = Err(ModelError::Other(format!("{}: {detail}", cause.name())));
                self.write_answer(call, step, &failed, 0, began.elapsed(), Duration::ZERO);
                self.asker.end(cause, detail);
            }
        }
    }

    /// Asks where every part of the request is as it was handed out, and looks whether the answer finds room in the record.
    async fn ask(&self, call: u64, request: &ModelRequest, opened: Result<(), NotIssued>) -> Ended {
        if let Err(not_issued) = opened {
            return Ended::Delivered {
                outcome: Err(ModelError::InvalidRequest(not_issued.to_string())),
                attempts: 0,
                took: Duration::ZERO,
                waited: Duration::ZERO,
            };
        }
        let ended = self.converse(call, request).await;
        if let Ended::Delivered {
            outcome: Ok(response),
            ..
        } = &ended
        {
            self.allotment.take_json(response);
        }
        match self.allotment.used_up() {
            Some(why) => self.adapter_failed(&GuestFailure {
                kind: FailureKind::OutputTooLarge,
                detail: why,
            }),
            None => ended,
        }
    }

    /// Asks until there is something to deliver, or no sense in going on.
    async fn converse(&self, call: u64, request: &ModelRequest) -> Ended {
        let began = Instant::now();
        let until = began + self.model.service.deadline;
        for number in 1.. {
            if self.allotment.used_up().is_some() {
                break;
            }
            if let Some(why) = self.model.service.budget.exhausted() {
                return Ended::Episode(EndCause::Budget, why);
            }
            let started = Instant::now();
            let log = ExchangeLog {
                recorder: self.recorder.clone(),
                timebase: Arc::clone(&self.timebase),
                allotment: Arc::clone(&self.allotment),
                call,
                attempt: number,
            };
            let tried = attempt(&self.model, request.clone(), until, Some(log), self.lines()).await;
            let outcome = match tried.outcome {
                Ok(outcome) => outcome,
                Err(failure) => return self.adapter_failed(&failure),
            };
            let (after, trouble) = match next(&outcome, tried.status.as_ref(), number, jitter()) {
                Next::Deliver => {
                    return Ended::Delivered {
                        outcome,
                        attempts: number,
                        took: started.elapsed(),
                        waited: started.duration_since(began),
                    };
                }
                Next::End(cause, detail) => return Ended::Episode(cause, detail),
                Next::Retry { after, trouble } => (after, trouble),
            };
            let reason = outcome
                .as_ref()
                .err()
                .map(|error| failure(error).to_string());
            let reason = reason.unwrap_or_default();
            self.record(Event::ModelRetry {
                call,
                attempt: number,
                reason: reason.clone(),
                after_ms: millis(after),
                trouble,
            });
            if trouble {
                if !self.bear(started, after).await {
                    return Ended::Episode(
                        EndCause::ProviderOutage,
                        format!(
                            "the provider was down or asked to wait for more than {} s in one step, last: {reason}",
                            TROUBLE_IN_A_STEP.as_secs()
                        ),
                    );
                }
            } else if Instant::now() + after < until {
                tokio::time::sleep(after).await;
            } else {
                return Ended::Delivered {
                    outcome,
                    attempts: number,
                    took: started.elapsed(),
                    waited: started.duration_since(began),
                };
            }
        }
        Ended::Episode(
            EndCause::HostError,
            "attempts ran out of numbers".to_owned(),
        )
    }

    /// Waits on a provider's behalf, for a failed attempt that began at `started`. False when the step's limit is
    /// reached.
    async fn bear(&self, started: Instant, after: Duration) -> bool {
        let end = Instant::now() + after;
        let mut from = started;
        loop {
            let now = Instant::now();
            let left = self.patience.spend(self.asker.step(), from, now);
            if left.is_zero() {
                return false;
            }
            if now >= end {
                return true;
            }
            from = now;
            let to = end.min(now + left.min(SLICE));
            tokio::time::sleep_until(to.into()).await;
        }
    }

    fn adapter_failed(&self, failure: &GuestFailure) -> Ended {
        let cause = match failure.kind {
            FailureKind::Timeout => EndCause::GuestTimeout,
            FailureKind::OutOfMemory => EndCause::GuestOutOfMemory,
            FailureKind::Trap => EndCause::GuestTrap,
            FailureKind::OutputTooLarge => EndCause::GuestOutputTooLarge,
            // Only scorers are refused what they would have to read.
            FailureKind::InputTooLarge => EndCause::HostError,
            FailureKind::Error => EndCause::GuestError,
        };
        let adapter = &self.model.provider.plugin.name;
        Ended::Episode(
            cause,
            format!("the model adapter {adapter}: {}", failure.detail),
        )
    }

    fn write_call(&self, call: u64, step: u32, request: &ModelRequest) {
        self.record(Event::ModelCall {
            call,
            step,
            model: self.model.name.clone(),
            request: self.json(request),
        });
    }

    fn write_answer(
        &self,
        call: u64,
        step: u32,
        outcome: &Result<ModelResponse, ModelError>,
        attempts: u32,
        took: Duration,
        waited: Duration,
    ) {
        let response = outcome.as_ref().ok();
        let usage = response.and_then(|response| self.model.usage(response));
        if response.is_some() {
            self.count(usage.as_ref(), took);
        }
        self.record(Event::ModelAnswer {
            call,
            step,
            error: outcome.as_ref().err().map(failure),
            attempts,
            took_ms: millis(took),
            waited_ms: millis(waited),
            model: response.map(|response| response.model.clone()),
            response: response.map(|response| self.json(response)),
            usage,
        });
    }

    fn count(&self, usage: Option<&Usage>, took: Duration) {
        let mut state = self.state();
        state.answered += 1;
        state.model_ms.push(millis(took));
        state.unpriced |= usage.is_none_or(|usage| usage.cost_usd.is_none());
        if let Some(usage) = usage {
            let sum = &mut state.usage;
            sum.input_tokens += usage.input_tokens;
            sum.cached_input_tokens += usage.cached_input_tokens;
            sum.output_tokens += usage.output_tokens;
            sum.reasoning_tokens += usage.reasoning_tokens;
            sum.cost_usd =
                Some(sum.cost_usd.unwrap_or_default() + usage.cost_usd.unwrap_or_default());
        }
    }

    /// The adapter's log lines, as events.
    fn lines(&self) -> LogSink {
        let (recorder, timebase) = (self.recorder.clone(), Arc::clone(&self.timebase));
        let plugin = self.model.provider.plugin.name.clone();
        let scrubber = self.model.provider.grant.secrets.scrubber().clone();
        let allotment = Arc::clone(&self.allotment);
        Arc::new(move |level, message| {
            let event = Event::GuestLog {
                plugin: plugin.clone(),
                level: level_name(level).to_owned(),
                message: scrubber.text(&message),
            };
            if allotment.take_json(&event) {
                recorder.event_waiting(timebase.now(), event);
            }
        })
    }

    fn json(&self, value: &impl serde::Serialize) -> String {
        let bytes = serde_json::to_vec(value).unwrap_or_default();
        self.recorder.blob(bytes, "application/json")
    }

    fn record(&self, event: Event) {
        self.recorder.event(self.timebase.now(), event);
    }
}

/// What a policy finds where its run has no model.
#[must_use]
pub fn no_model() -> (String, Capabilities) {
    let nothing = Capabilities {
        images: false,
        max_images: None,
        audio: false,
        tools: false,
        coordinate_grid: None,
    };
    (String::new(), nothing)
}

/// A log level as it stands in the record.
#[must_use]
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Trace => "trace",
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
