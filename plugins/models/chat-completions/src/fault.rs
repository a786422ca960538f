//! Errors of OpenAI and of the servers that follow it. Also used for Responses, whose errors are the same.

use dynacu_sdk::http;
use dynacu_sdk::model::ModelError;
use model_wire::{fault as wire, reply};
use serde_json::{Map, Value};

/// Whether a body is an error, whatever its status says.
pub(crate) fn is_error(body: &Map<String, Value>) -> bool {
    body.get("error").is_some_and(|error| !error.is_null())
        || body.get("object").and_then(Value::as_str) == Some("error")
}

/// The error of a body: OpenAI's object, vLLM's flat one, or Ollama's bare text.
pub fn fault(reply: &http::Response, body: &Map<String, Value>) -> ModelError {
    // An error that calls itself a success is the fault of whoever asked, unless it says more.
    let status = if (200..300).contains(&reply.status) {
        400
    } else {
        reply.status
    };
    let error = match body.get("error") {
        Some(Value::Object(error)) => error,
        Some(Value::String(message)) => return sized(status, reply, message),
        _ => body,
    };
    let message = reply::text(error, "message").unwrap_or_default();
    let told = || wire::shown(message);
    let kind = reply::text(error, "type").unwrap_or_default();
    let code = match error.get("code") {
        Some(Value::Number(number)) => {
            // Some servers repeat the status there, and only there.
            let status = number.as_u64().and_then(|code| u16::try_from(code).ok());
            if let Some(status @ 400..=599) = status
                && kind != "exceed_context_size_error"
            {
                return sized(status, reply, message);
            }
            kind
        }
        Some(Value::String(code)) => code.as_str(),
        _ => kind,
    };
    match code {
        "insufficient_quota" | "credit_balance_exhausted" | "billing_hard_limit_reached" => {
            ModelError::QuotaExceeded(format!("{code}: {}", told()))
        }
        _ if code.ends_with("_spend_limit_exceeded") || code.ends_with("_usage_limit_exceeded") => {
            ModelError::QuotaExceeded(format!("{code}: {}", told()))
        }
        "invalid_api_key" => ModelError::Authentication(told()),
        "context_length_exceeded" | "exceed_context_size_error" => {
            ModelError::ContextExceeded(told())
        }
        "slow_down" if status == 503 => ModelError::Overloaded(wire::wait(reply)),
        "rate_limit_exceeded" | "slow_down" => limited(reply, message),
        "server_error" | "server_is_overloaded" => ModelError::Overloaded(wire::wait(reply)),
        _ if status == 429 && kind == "insufficient_quota" => ModelError::QuotaExceeded(told()),
        _ if status == 429 => limited(reply, message),
        _ => sized(status, reply, message),
    }
}

fn limited(reply: &http::Response, message: &str) -> ModelError {
    let wait = wire::wait(reply).or_else(|| wire::wait_in_words(message));
    wire::limited(wait, wire::shown(message))
}

fn sized(status: u16, reply: &http::Response, message: &str) -> ModelError {
    if matches!(status, 400 | 422) && wire::is_about_size(message) {
        return ModelError::ContextExceeded(wire::shown(message));
    }
    wire::by_code(status, reply, message)
}
