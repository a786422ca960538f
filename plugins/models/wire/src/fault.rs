//! Errors of providers as the cases of [`ModelError`], which say what the host does next.

use dynacu_sdk::Duration;
use dynacu_sdk::http::{self, HttpError};
use dynacu_sdk::model::ModelError;

use crate::instants;

/// Longest wait that still counts as a rate limit; beyond it an allowance is used up.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// Characters of a provider's message that are kept.
const SHOWN: usize = 300;

/// What a status says where nothing else does. `message` is the provider's own.
pub fn by_status(reply: &http::Response, message: &str) -> ModelError {
    by_code(reply.status, reply, message)
}

/// The same for a status that stands in the body, which counts more where the two differ.
pub fn by_code(status: u16, reply: &http::Response, message: &str) -> ModelError {
    let told = format!("status {status}: {}", shown(message));
    match status {
        401 | 403 => ModelError::Authentication(told),
        402 => ModelError::QuotaExceeded(told),
        408 | 504 => ModelError::Timeout,
        413 => ModelError::ContextExceeded(told),
        429 => limited(wait(reply), told),
        409 | 425 | 500..=599 => ModelError::Overloaded(wait(reply)),
        400..=499 => ModelError::InvalidRequest(told),
        _ => ModelError::Protocol(told),
    }
}

/// A rate limit with the wait that the provider asks for. One of more than ten minutes is a quota:
/// nobody waits that long within a task.
pub fn limited(wait: Option<Duration>, message: impl Into<String>) -> ModelError {
    match wait {
        Some(wait) if wait > LONGEST_WAIT => ModelError::QuotaExceeded(format!(
            "{}; it asks to wait {} s",
            message.into(),
            wait.as_millis() / 1000
        )),
        wait => ModelError::RateLimited(wait),
    }
}

/// The wait that the headers of any provider ask for.
pub fn wait(reply: &http::Response) -> Option<Duration> {
    let rounded_up = |milliseconds: f64| Duration::from_millis(milliseconds.max(0.0).ceil() as u64);
    let between = |sent: i64, until: i64| {
        Duration::from_secs(until.saturating_sub(sent).max(0).unsigned_abs())
    };
    if let Some(wait) = reply
        .header("retry-after-ms")
        .and_then(|text| text.parse::<f64>().ok())
    {
        return Some(rounded_up(wait));
    }
    // A guest has no clock that it could hold against a date, but the answer says when it was sent.
    let sent = reply.header("date").and_then(instants::http_date);
    if let Some(text) = reply.header("retry-after") {
        if let Ok(seconds) = text.parse::<f64>() {
            return seconds.is_finite().then(|| rounded_up(seconds * 1000.0));
        }
        if let (Some(sent), Some(until)) = (sent, instants::http_date(text)) {
            return Some(between(sent, until));
        }
    }
    let durations = reply
        .headers
        .iter()
        .filter(|(name, _)| starts_with(name, "x-ratelimit-reset-"))
        .filter_map(|(_, value)| instants::duration(value));
    let dates = reply
        .headers
        .iter()
        .filter(|(name, _)| starts_with(name, "anthropic-ratelimit-") && ends_with(name, "-reset"))
        .filter_map(|(_, value)| Some(between(sent?, instants::rfc3339(value)?)));
    // Several limits may be reported, most of them untouched; the nearest reset is worth a try.
    durations.chain(dates).min()
}

/// The wait in a message such as `Please try again in 1.2s`: the last resort.
pub fn wait_in_words(message: &str) -> Option<Duration> {
    let after = message.split("try again in ").nth(1)?;
    let word = after.split_whitespace().next()?;
    instants::duration(word.trim_end_matches(['.', ',']))
}

/// What the host's own refusal or a broken exchange comes to.
pub fn exchange(error: HttpError) -> ModelError {
    match error {
        HttpError::Denied(why) => ModelError::InvalidRequest(why),
        HttpError::Timeout => ModelError::Timeout,
        HttpError::Connect(_) => ModelError::Overloaded(None),
        HttpError::ResponseTooLarge(size) => {
            ModelError::Protocol(format!("an answer of {size} bytes"))
        }
        HttpError::Other(why) => ModelError::Other(why),
    }
}

/// Whether a refused request was refused for its size: only that can be mended, by sending less.
pub fn is_about_size(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    [
        "context length",
        "context_length",
        "context window",
        "context size",
        "maximum context",
        "prompt is too long",
        "input token count",
        "exceeds the maximum number of tokens",
        "too many images",
        "image(s) may be",
        "request too large",
        "payload size",
    ]
    .iter()
    .any(|sign| message.contains(sign))
}

/// A provider's message on one line, shortened, without anything that looks like a key.
pub fn shown(message: &str) -> String {
    let mut line = String::new();
    for word in message.split_whitespace() {
        if line.len() >= SHOWN {
            line.push_str(" …");
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(if looks_like_a_key(word) {
            "(cut)"
        } else {
            word
        });
    }
    line.chars().take(SHOWN + 2).collect()
}

fn looks_like_a_key(word: &str) -> bool {
    word.split(|character: char| {
        !character.is_ascii_alphanumeric() && !matches!(character, '-' | '_')
    })
    .any(|run| {
        run.len() >= 16
            && (["sk-", "AIza", "key-"]
                .iter()
                .any(|start| run.starts_with(start))
                || (run.len() >= 32 && run.bytes().any(|byte| byte.is_ascii_digit())))
    })
}

fn starts_with(name: &str, start: &str) -> bool {
    name.get(..start.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(start))
}

fn ends_with(name: &str, end: &str) -> bool {
    name.len()
        .checked_sub(end.len())
        .and_then(|at| name.get(at..))
        .is_some_and(|found| found.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, headers: &[(&str, &str)]) -> http::Response {
        http::Response {
            status,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: Vec::new(),
        }
    }

    #[test]
    fn a_wait_is_found_wherever_a_provider_puts_it() {
        for (headers, wanted) in [
            (vec![("Retry-After-Ms", "250")], Some(250)),
            (vec![("retry-after", "2")], Some(2_000)),
            (vec![("retry-after", "0.4")], Some(400)),
            (vec![("retry-after", "-3")], Some(0)),
            (vec![("retry-after", "soon")], None),
            (
                vec![
                    ("date", "Mon, 30 Nov 2026 10:00:00 GMT"),
                    ("retry-after", "Mon, 30 Nov 2026 10:00:07 GMT"),
                ],
                Some(7_000),
            ),
            (vec![("retry-after", "Mon, 30 Nov 2026 10:00:07 GMT")], None),
            (
                vec![
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-reset-tokens", "1.5s"),
                ],
                Some(1_500),
            ),
            (
                vec![
                    ("date", "Mon, 30 Nov 2026 10:00:00 GMT"),
                    ("anthropic-ratelimit-tokens-reset", "2026-11-30T10:00:12Z"),
                ],
                Some(12_000),
            ),
            (vec![], None),
        ] {
            let wanted = wanted.map(Duration::from_millis);
            assert_eq!(wait(&reply(429, &headers)), wanted, "{headers:?}");
        }
        let wanted = Some(Duration::from_millis(1_200));
        assert_eq!(wait_in_words("Please try again in 1.2s."), wanted);
        assert_eq!(wait_in_words("Please try again later."), None);
    }

    #[test]
    fn ten_minutes_are_the_border_between_a_limit_and_a_quota() {
        let at = |seconds: &str| by_status(&reply(429, &[("retry-after", seconds)]), "slow");
        assert_eq!(at("600"), ModelError::RateLimited(Some(LONGEST_WAIT)));
        assert!(matches!(at("601"), ModelError::QuotaExceeded(_)));
    }

    #[test]
    fn messages_are_short_and_without_keys() {
        let told = shown("wrong key sk-abcdefghijklmnopqrstuv given\nin header");
        assert_eq!(told, "wrong key (cut) given in header");
        assert!(shown(&"word ".repeat(200)).chars().count() <= SHOWN + 2);
    }
}
