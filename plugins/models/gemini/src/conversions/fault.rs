//! Google's errors.

use dynacu_sdk::http;
use dynacu_sdk::model::ModelError;
use model_wire::{fault as wire, instants, reply};
use serde_json::{Map, Value};

/// The error of a body.
pub(super) fn fault(reply: &http::Response, error: &Map<String, Value>) -> ModelError {
    let message = reply::text(error, "message").unwrap_or_default();
    let told = || wire::shown(message);
    let details = error.get("details").and_then(Value::as_array);
    let details = || details.into_iter().flatten();
    match reply::text(error, "status").unwrap_or_default() {
        "RESOURCE_EXHAUSTED" => {
            let wait = details()
                .find_map(|detail| instants::duration(detail.get("retryDelay")?.as_str()?))
                .or_else(|| wire::wait(reply));
            // A limit of the day outlasts every task.
            let daily = details()
                .filter_map(|detail| detail.get("violations")?.as_array())
                .flatten()
                .filter_map(|violation| violation.get("quotaId")?.as_str())
                .find(|quota| quota.contains("PerDay"));
            match daily {
                Some(quota) => ModelError::QuotaExceeded(format!("{quota}: {}", told())),
                None => wire::limited(wait, told()),
            }
        }
        // A wrong key is an invalid argument there.
        "INVALID_ARGUMENT" if has_reason(details(), "API_KEY_INVALID") => {
            ModelError::Authentication(told())
        }
        "INVALID_ARGUMENT" if wire::is_about_size(message) => ModelError::ContextExceeded(told()),
        "UNAUTHENTICATED" | "PERMISSION_DENIED" => ModelError::Authentication(told()),
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "NOT_FOUND" => {
            ModelError::InvalidRequest(told())
        }
        "DEADLINE_EXCEEDED" => ModelError::Timeout,
        "INTERNAL" | "UNAVAILABLE" | "ABORTED" => ModelError::Overloaded(wire::wait(reply)),
        _ => {
            let code = error.get("code").and_then(Value::as_u64);
            let code = code.and_then(|code| u16::try_from(code).ok());
            wire::by_code(code.unwrap_or(reply.status), reply, message)
        }
    }
}

fn has_reason<'a>(mut details: impl Iterator<Item = &'a Value>, reason: &str) -> bool {
    details.any(|detail| detail.get("reason").and_then(Value::as_str) == Some(reason))
}
