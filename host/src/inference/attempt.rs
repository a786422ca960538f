//! One attempt at one model call: the adapter's fresh guest with its way out, and what the host saw of it.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use dynacu_runtime::types::{ModelError, ModelRequest, ModelResponse};
use dynacu_runtime::{Blobs, GuestFailure, LogSink, NoBlobs, Outside};

use super::account::Account;
use super::egress::CallEgress;
use super::exchange::ExchangeLog;
use super::media::EpisodeMedia;
use super::provider::Model;
use super::status::{ProviderStatus, StatusLog};

/// The guest outlives its last request's deadline by this much, so that it can say what happened.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Bytes of a provider's name for a model.
const MODEL_NAME: usize = 256;
/// Bytes of an adapter's error.
const ERROR_TEXT: usize = 8 << 10;

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
    let account = Arc::new(Account::open(model, &request));
    let outside = Outside {
        egress: Arc::new(CallEgress {
            network: Arc::clone(&model.service.network),
            grant: Arc::clone(&provider.grant),
            blobs: for_host,
            until,
            statuses: Arc::clone(&statuses),
            requests: AtomicUsize::new(0),
            account: Arc::clone(&account),
            log,
        }),
        blobs: for_guest,
        log: lines,
        deadline: until.saturating_duration_since(Instant::now()) + LAST_WORDS,
    };
    let outcome = provider
        .adapter
        .complete(&model.name, &provider.settings, request, outside)
        .await
        .map(short);
    account.settle(
        outcome
            .as_ref()
            .ok()
            .and_then(|answer| answer.as_ref().ok()),
    );
    Tried {
        outcome,
        status: statuses.last(),
    }
}

/// What goes into the record's lines is no longer than a line.
fn short(outcome: Result<ModelResponse, ModelError>) -> Result<ModelResponse, ModelError> {
    let cut = |text: &mut String, limit: usize| {
        if text.len() > limit {
            text.truncate(text.floor_char_boundary(limit));
            text.push('…');
        }
    };
    match outcome {
        Ok(mut response) => {
            cut(&mut response.model, MODEL_NAME);
            Ok(response)
        }
        Err(mut error) => {
            match &mut error {
                ModelError::QuotaExceeded(text)
                | ModelError::Authentication(text)
                | ModelError::InvalidRequest(text)
                | ModelError::ContextExceeded(text)
                | ModelError::Refused(text)
                | ModelError::Protocol(text)
                | ModelError::Other(text) => cut(text, ERROR_TEXT),
                ModelError::RateLimited(_)
                | ModelError::Overloaded(_)
                | ModelError::Timeout
                | ModelError::Cancelled => {}
            }
            Err(error)
        }
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
