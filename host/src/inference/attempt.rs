//! One attempt at one model call: the adapter's fresh guest with its way out, and what the host saw of it.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use dynacu_runtime::types::{ModelError, ModelRequest, ModelResponse};
use dynacu_runtime::{Blobs, GuestFailure, LogSink, NoBlobs, Outside};

use super::egress::CallEgress;
use super::exchange::ExchangeLog;
use super::media::EpisodeMedia;
use super::provider::Model;
use super::status::{ProviderStatus, StatusLog};

/// The guest outlives its last request's deadline by this much, so that it can say what happened.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What an attempt came to.
pub struct Tried {
    /// The outer error is the adapter's own failure.
    pub outcome: Result<Result<ModelResponse, ModelError>, GuestFailure>,
    pub status: Option<ProviderStatus>,
}

/// Asks once. Without a log there is no episode, so no media either.
pub async fn attempt(
    model: &Model,
    request: ModelRequest,
    until: Instant,
    log: Option<ExchangeLog>,
    lines: LogSink,
) -> Tried {
    let statuses = Arc::new(StatusLog::default());
    let (for_host, for_guest): (Arc<dyn Blobs>, Arc<dyn Blobs>) = match &log {
        Some(log) => (
            Arc::new(EpisodeMedia::for_host(log.recorder.clone())),
            Arc::new(EpisodeMedia::for_guest(log.recorder.clone())),
        ),
        None => (Arc::new(NoBlobs), Arc::new(NoBlobs)),
    };
    let provider = &model.provider;
    let outside = Outside {
        egress: Arc::new(CallEgress {
            network: Arc::clone(&model.service.network),
            grant: Arc::clone(&provider.grant),
            blobs: for_host,
            until,
            statuses: Arc::clone(&statuses),
            requests: AtomicUsize::new(0),
            log,
        }),
        blobs: for_guest,
        log: lines,
        deadline: until.saturating_duration_since(Instant::now()) + LAST_WORDS,
    };
    let outcome = provider
        .adapter
        .complete(&model.name, &provider.settings, request, outside)
        .await;
    Tried {
        outcome,
        status: statuses.last(),
    }
}

/// From 0 to 1, so that callers do not come back in step.
#[must_use]
pub fn jitter() -> f64 {
    let mut bytes = [0_u8; 4];
    // Without randomness the waits are merely equal.
    let _ = getrandom::fill(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}
