//! The preflight: one tiny request, so that a wrong key or a spent quota stops a run before its first episode.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dynacu_record::EndCause;
use dynacu_runtime::types::{Message, ModelRequest, Part, Role};

use super::attempt::{attempt, jitter};
use super::provider::Model;
use super::retry::{Next, failure, next};
use super::status::ProviderStatus;

/// The least that every provider accepts; some refuse fewer.
const OUTPUT_TOKENS: u32 = 16;
/// A provider that is only busy, or whose server is still starting, gets this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A model that answers.
pub struct Pong {
    /// The exact model, as the provider names it.
    pub model: String,
    pub took: Duration,
}

/// A model that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the model {model} cannot be used: {why}")]
pub struct Unusable {
    pub model: String,
    pub why: String,
    /// Where the host itself saw why.
    pub cause: Option<EndCause>,
}

/// Asks for a word.
///
/// # Errors
/// No answer came, after retries where they make sense.
pub async fn ping(model: &Model) -> Result<Pong, Unusable> {
    let unusable = |why: String, cause| Unusable {
        model: model.name.clone(),
        why,
        cause,
    };
    let until = Instant::now() + PATIENCE;
    for number in 1.. {
        if let Some(why) = model.service.budget.exhausted() {
            return Err(unusable(why, Some(EndCause::Budget)));
        }
        let started = Instant::now();
        let tried = attempt(
            model,
            request(),
            until,
            None,
            Arc::new(|_, message| tracing::debug!("{message}")),
        )
        .await;
        let outcome = tried
            .outcome
            .map_err(|failure| unusable(format!("its adapter failed: {failure}"), None))?;
        let error = match &outcome {
            Ok(response) => {
                return Ok(Pong {
                    model: response.model.clone(),
                    took: started.elapsed(),
                });
            }
            Err(error) => failure(error).to_string(),
        };
        match next(&outcome, tried.status.as_ref(), number, jitter()) {
            Next::End(cause, detail) => return Err(unusable(detail, Some(cause))),
            Next::Retry { after, .. } if Instant::now() + after < until => {
                tokio::time::sleep(after).await;
            }
            Next::Retry { trouble: true, .. } => {
                return Err(unusable(
                    with_status(error, tried.status),
                    Some(EndCause::ProviderOutage),
                ));
            }
            Next::Retry { .. } | Next::Deliver => return Err(unusable(error, None)),
        }
    }
    Err(unusable("no attempt was made".to_owned(), None))
}

/// The adapter's word, and beside it what the host itself saw: only that tells a closed port from a busy server.
fn with_status(error: String, status: Option<ProviderStatus>) -> String {
    match status {
        Some(ProviderStatus::Trouble { what, .. } | ProviderStatus::OverBudget(what)) => {
            format!("{error} ({what})")
        }
        Some(
            ProviderStatus::Answered(_) | ProviderStatus::Quota(_) | ProviderStatus::KeyRefused(_),
        )
        | None => error,
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        messages: vec![Message {
            role: Role::User,
            parts: vec![Part::Text("Answer with the word: ready".to_owned())],
        }],
        tools: Vec::new(),
        display: None,
        max_output_tokens: Some(OUTPUT_TOKENS),
        temperature: None,
    }
}
