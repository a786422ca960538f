//! One run of one policy: its own thread, its own store, and one end.

use std::time::Duration;

use tokio::sync::{oneshot, watch};
use wasmtime::Engine;

use crate::bindings::policy::{Policy, PolicyPre};
use crate::failure::{GuestFailure, short};
use crate::guest::{Guest, call};
use crate::limits::Limits;
use crate::policy::PolicyPart;
use crate::policy_host::PolicyHost;
use crate::thread;
use crate::to_guest;
use crate::types::{Brief, PolicyError};
use crate::wasi::{Clock, EpisodeClock};

/// How a policy's run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyEnd {
    /// It returned without an error.
    Returned,
    /// It says why.
    GaveUp(String),
    /// Its model declined twice in a row.
    ModelRefused(String),
    /// Its model's answers could not be used.
    ModelMalformed(String),
    /// Its table of the run configuration is not as it wants it.
    BadSettings(String),
    /// The guest failed.
    Failed(GuestFailure),
}

/// A running policy. Dropping it ends the guest at once.
pub struct PolicyRun {
    stop: watch::Sender<bool>,
    answer: oneshot::Receiver<PolicyEnd>,
    end: Option<PolicyEnd>,
}

impl PolicyRun {
    pub(crate) fn never_began(failure: GuestFailure) -> Self {
        let (stop, _) = watch::channel(false);
        let (_, answer) = oneshot::channel();
        Self {
            stop,
            answer,
            end: Some(PolicyEnd::Failed(failure)),
        }
    }

    /// The host said stop: from now the guest has its grace (2 s) to return, then it is ended.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits for the end; the guest's store and its [`PolicyHost`] are gone by then. May be called again.
    pub async fn ended(&mut self) -> PolicyEnd {
        if let Some(end) = &self.end {
            return end.clone();
        }
        let end = (&mut self.answer).await.unwrap_or_else(|_| {
            let text = "the guest's thread ended unexpectedly: a fault in the host, see its log";
            PolicyEnd::Failed(GuestFailure::error(text))
        });
        self.end = Some(end.clone());
        end
    }
}

/// What a policy needs to begin.
pub(crate) struct Start {
    pub(crate) engine: Engine,
    pub(crate) policy: PolicyPre<Guest<PolicyPart>>,
    pub(crate) host: Box<dyn PolicyHost>,
    pub(crate) brief: Brief,
    pub(crate) settings: String,
    pub(crate) limits: Limits,
}

pub(crate) fn run(name: &str, start: Start) -> PolicyRun {
    let (stop, told) = watch::channel(false);
    let (reply, answer) = oneshot::channel();
    let spawned = thread::spawn(&thread::name("policy", name), move || async move {
        let end = to_the_end(start, told).await;
        // Nobody may be waiting any more.
        let _ = reply.send(end);
    });
    let end = spawned.err().map(|error| {
        let text =
            format!("no thread for the guest: {error}: allow more threads or stop other runs");
        PolicyEnd::Failed(GuestFailure::error(text))
    });
    PolicyRun { stop, answer, end }
}

async fn to_the_end(start: Start, told: watch::Receiver<bool>) -> PolicyEnd {
    let grace = start.limits.stop_grace;
    tokio::select! {
        biased;
        end = one_call(start) => end,
        cut = time_is_up(told, grace) => PolicyEnd::Failed(cut),
    }
}

async fn one_call(start: Start) -> PolicyEnd {
    let Start {
        engine,
        policy,
        host,
        brief,
        settings,
        limits,
    } = start;
    let outcome = async {
        let (mut store, policy) = open(&engine, &policy, host, &limits).await?;
        call(&mut store, limits.call_bounds(), async |store| {
            policy
                .dynacu_policy_policy()
                .call_run(store, &to_guest::brief(brief), &settings)
                .await
        })
        .await
    };
    match outcome.await {
        Ok(Ok(())) => PolicyEnd::Returned,
        Ok(Err(PolicyError::GaveUp(why))) => PolicyEnd::GaveUp(short(why)),
        Ok(Err(PolicyError::ModelRefused(why))) => PolicyEnd::ModelRefused(short(why)),
        Ok(Err(PolicyError::ModelMalformed(why))) => PolicyEnd::ModelMalformed(short(why)),
        Ok(Err(PolicyError::Settings(why))) => PolicyEnd::BadSettings(short(why)),
        Ok(Err(PolicyError::Other(why))) => PolicyEnd::Failed(GuestFailure::error(why)),
        Err(failure) => PolicyEnd::Failed(failure),
    }
}

async fn open(
    engine: &Engine,
    policy: &PolicyPre<Guest<PolicyPart>>,
    host: Box<dyn PolicyHost>,
    limits: &Limits,
) -> Result<(wasmtime::Store<Guest<PolicyPart>>, Policy), GuestFailure> {
    let clock = EpisodeClock::new(host.now());
    let part = PolicyPart::new(host, clock.clone(), limits);
    let mut store = Guest::store(engine, limits, Clock::Episode(clock), part)?;
    let instance = call(&mut store, limits.start_bounds(), async |store| {
        policy.instantiate_async(store).await
    })
    .await?;
    Ok((store, instance))
}

async fn time_is_up(mut told: watch::Receiver<bool>, grace: Duration) -> GuestFailure {
    if told.wait_for(|stop| *stop).await.is_err() {
        return GuestFailure::error("the run was dropped");
    }
    tokio::select! {
        () = tokio::time::sleep(grace) => {
            GuestFailure::timeout(format!("the guest did not return within {grace:?} after stop"))
        }
        // Only an error ends this wait: nobody takes a stop back.
        _ = told.wait_for(|stop| !*stop) => GuestFailure::error("the run was dropped"),
    }
}
