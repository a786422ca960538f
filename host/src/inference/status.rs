//! What the host itself saw of a provider: status and socket. Only this makes a failure the infrastructure's; a guest's
//! word never does.

use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// A wait longer than this is no wait: the allowance is used up.
const QUOTA_AFTER: Duration = Duration::from_secs(600);

/// One exchange, as far as retries care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderStatus {
    /// An answer that says nothing about the provider's health: success, or a fault of the request.
    Answered(u16),
    /// The provider is down, overloaded, or asks to wait.
    Trouble {
        what: String,
        /// How long it asks to wait.
        wait: Option<Duration>,
    },
    /// Money, credit or a daily allowance is used up.
    Quota(String),
    /// The key was refused.
    KeyRefused(String),
    /// The request stayed here: the run's budget has no room for it.
    OverBudget(String),
}

/// What was seen during one attempt.
#[derive(Default)]
pub struct StatusLog(Mutex<Vec<ProviderStatus>>);

impl StatusLog {
    pub fn add(&self, status: ProviderStatus) {
        self.0.lock().push(status);
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// The last one decides: an adapter may ask again by itself.
    #[must_use]
    pub fn last(&self) -> Option<ProviderStatus> {
        self.0.lock().last().cloned()
    }
}

/// Reads an answer's status, headers and body.
#[must_use]
pub fn of_response(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    now: SystemTime,
) -> ProviderStatus {
    if status < 400 {
        return ProviderStatus::Answered(status);
    }
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    // One provider wraps its errors into a list.
    let error = match &body {
        Value::Array(list) => list.first().unwrap_or(&body),
        other => other,
    };
    let wait = wait(headers, error, now);
    let what = format!("status {status}");
    match status {
        402 => ProviderStatus::Quota(what),
        400 | 403 | 429 if says_quota(error) => ProviderStatus::Quota(what),
        429 if wait.is_some_and(|wait| wait > QUOTA_AFTER) => ProviderStatus::Quota(format!(
            "{what}, with a wait of more than {} minutes",
            QUOTA_AFTER.as_secs() / 60
        )),
        401 | 403 => ProviderStatus::KeyRefused(what),
        408 | 409 | 425 | 429 | 500..=599 => ProviderStatus::Trouble { what, wait },
        _ => ProviderStatus::Answered(status),
    }
}

/// How long the provider asks to wait, at most as long as makes sense.
fn wait(headers: &HeaderMap, error: &Value, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |number: f64| Duration::try_from_secs_f64(number.max(0.0)).ok();
    text("retry-after-ms")
        .and_then(|text| seconds(text.parse::<f64>().ok()? / 1000.0))
        .or_else(|| {
            let text = text("retry-after")?;
            match text.parse::<f64>() {
                Ok(number) => seconds(number),
                Err(_) => {
                    let at = httpdate::parse_http_date(text).ok()?;
                    Some(at.duration_since(now).unwrap_or_default())
                }
            }
        })
        .or_else(|| {
            let details = error.pointer("/error/details")?.as_array()?;
            let text = details
                .iter()
                .find_map(|detail| detail.get("retryDelay")?.as_str())?;
            seconds(text.strip_suffix('s')?.parse().ok()?)
        })
}

/// Codes by which providers tell a used-up allowance from a passing limit; sentences for people are not read.
fn says_quota(error: &Value) -> bool {
    fn any(value: &Value, name: &str) -> bool {
        match value {
            Value::String(text) if name == "quotaId" => text.contains("PerDay"),
            Value::String(text) if name != "message" => {
                matches!(
                    text.as_str(),
                    "insufficient_quota" | "credit_balance_exhausted" | "billing_error"
                ) || [
                    "_spend_limit_exceeded",
                    "_usage_limit_exceeded",
                    "_spend_limit_reached",
                ]
                .iter()
                .any(|end| text.ends_with(end))
            }
            Value::Object(map) => map.iter().any(|(name, value)| any(value, name)),
            Value::Array(list) => list.iter().any(|value| any(value, name)),
            _ => false,
        }
    }
    any(error, "")
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn read(status: u16, headers: &[(&'static str, &str)], body: &Value) -> ProviderStatus {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (
                    reqwest::header::HeaderName::from_static(name),
                    HeaderValue::from_str(value).unwrap(),
                )
            })
            .collect();
        let now = httpdate::parse_http_date("Mon, 30 Nov 2026 12:00:00 GMT").unwrap();
        of_response(status, &headers, body.to_string().as_bytes(), now)
    }

    fn wait_of(headers: &[(&'static str, &str)], body: &Value) -> Option<Duration> {
        match read(429, headers, body) {
            ProviderStatus::Trouble { wait, .. } => wait,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_wait_is_found_wherever_providers_put_it() {
        let none = json!({});
        let google = json!([{"error": {"code": 429, "details": [{"retryDelay": "1.5s"}]}}]);
        for (headers, body, millis) in [
            (vec![("retry-after", "2")], &none, Some(2_000)),
            (vec![("retry-after", "0.25")], &none, Some(250)),
            (vec![("retry-after", "-3")], &none, Some(0)),
            (
                vec![("retry-after", "Mon, 30 Nov 2026 12:00:07 GMT")],
                &none,
                Some(7_000),
            ),
            (
                vec![("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")],
                &none,
                Some(0),
            ),
            (
                vec![("retry-after", "9"), ("retry-after-ms", "40")],
                &none,
                Some(40),
            ),
            (vec![("retry-after", "soon")], &none, None),
            (vec![], &google, Some(1_500)),
        ] {
            assert_eq!(
                wait_of(&headers, body),
                millis.map(Duration::from_millis),
                "{headers:?}"
            );
        }
    }

    #[test]
    fn quota_limit_key_and_fault_are_told_apart() {
        let code = |code: &str| json!({"error": {"message": "insufficient_quota", "code": code}});
        let quota = |status: ProviderStatus| matches!(status, ProviderStatus::Quota(_));
        let trouble = |status: ProviderStatus| matches!(status, ProviderStatus::Trouble { .. });
        let none = json!({});
        assert!(trouble(read(429, &[], &code("rate_limit_exceeded"))));
        assert!(quota(read(429, &[], &code("project_spend_limit_exceeded"))));
        assert!(quota(read(
            429,
            &[],
            &json!({"error": {"type": "insufficient_quota"}})
        )));
        assert!(quota(read(
            429,
            &[],
            &json!({"error": {"details": {"error_code": "enforced_spend_limit_reached"}}})
        )));
        let per = |what: &str| json!({"error": {"details": [{"violations": [{"quotaId": what}]}]}});
        assert!(quota(read(429, &[], &per("RequestsPerDayPerProject"))));
        assert!(trouble(read(429, &[], &per("RequestsPerMinutePerProject"))));
        assert!(quota(read(429, &[("retry-after", "86400")], &none)));
        assert!(quota(read(402, &[], &none)));
        assert!(matches!(
            read(401, &[], &none),
            ProviderStatus::KeyRefused(_)
        ));
        assert!(matches!(
            read(403, &[], &none),
            ProviderStatus::KeyRefused(_)
        ));
        assert!(trouble(read(529, &[], &none)));
        assert!(trouble(read(503, &[], &json!("<html>"))));
        for fine in [200, 301, 400, 404, 413, 422] {
            assert_eq!(read(fine, &[], &none), ProviderStatus::Answered(fine));
        }
    }
}
