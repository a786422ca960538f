//! What follows a failed attempt: another one, an answer to the policy, or the end of the episode.

use std::time::{Duration, Instant};

use dynacu_record::{EndCause, ModelFailure};
use dynacu_runtime::types::{ModelError, ModelResponse};

use parking_lot::Mutex;

use super::status::ProviderStatus;

/// Attempts while the host itself sees trouble.
const ATTEMPTS_IN_TROUBLE: u32 = 8;
/// Attempts on an adapter's word alone.
const ATTEMPTS_ON_ITS_WORD: u32 = 3;
/// The first wait, without a hint from the provider; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// While a provider is down or asks to wait, the page's clock runs on: more than this in one step spoils the episode.
pub const TROUBLE_IN_A_STEP: Duration = Duration::from_secs(5);

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The policy gets the outcome as it is.
    Deliver,
    Retry {
        after: Duration,
        /// Whether the host saw trouble itself: only then does the time count as the infrastructure's.
        trouble: bool,
    },
    /// The episode ends.
    End(EndCause, String),
}

/// Decides on the outcome of attempt number `attempt` (from 1), by what the host saw last during it. `jitter` is from 0
/// to 1.
#[must_use]
pub fn next(
    outcome: &Result<ModelResponse, ModelError>,
    status: Option<&ProviderStatus>,
    attempt: u32,
    jitter: f64,
) -> Next {
    let Err(error) = outcome else {
        return Next::Deliver;
    };
    match (status, error) {
        (Some(ProviderStatus::OverBudget(why)), _) => {
            return Next::End(EndCause::Budget, why.clone());
        }
        (Some(ProviderStatus::Quota(what)), _) => {
            return Next::End(EndCause::ModelQuota, quota(what, error));
        }
        // Some providers say it with a status that means something else as well.
        (Some(ProviderStatus::KeyRefused(what)), ModelError::QuotaExceeded(_)) => {
            return Next::End(EndCause::ModelQuota, quota(what, error));
        }
        (
            Some(ProviderStatus::Answered(400) | ProviderStatus::Trouble { .. }),
            ModelError::QuotaExceeded(_),
        ) => {
            return Next::End(EndCause::ModelQuota, quota("its answer", error));
        }
        (Some(ProviderStatus::KeyRefused(what)), _) => {
            return Next::End(
                EndCause::ModelAuthentication,
                format!("the provider refused the key ({what}): {}", failure(error)),
            );
        }
        (Some(ProviderStatus::Answered(_) | ProviderStatus::Trouble { .. }) | None, _) => {}
    }
    match (status, error) {
        // The adapter understood the answer, and no waiting helps.
        (
            _,
            ModelError::InvalidRequest(_)
            | ModelError::ContextExceeded(_)
            | ModelError::Refused(_)
            | ModelError::Cancelled
            | ModelError::QuotaExceeded(_),
        ) => Next::Deliver,
        (Some(ProviderStatus::Trouble { what, wait }), _) => {
            if attempt >= ATTEMPTS_IN_TROUBLE {
                return Next::End(
                    EndCause::ProviderOutage,
                    format!("the provider failed {attempt} times, last with {what}"),
                );
            }
            Next::Retry {
                after: pause(attempt, wait.or_else(|| hint(error)), jitter),
                trouble: true,
            }
        }
        (
            _,
            ModelError::RateLimited(_)
            | ModelError::Overloaded(_)
            | ModelError::Timeout
            | ModelError::Protocol(_),
        ) if attempt < ATTEMPTS_ON_ITS_WORD => Next::Retry {
            after: pause(attempt, hint(error), jitter).min(LONGEST_WAIT),
            trouble: false,
        },
        (
            _,
            ModelError::RateLimited(_)
            | ModelError::Overloaded(_)
            | ModelError::Timeout
            | ModelError::Protocol(_)
            | ModelError::Authentication(_)
            | ModelError::Other(_),
        ) => Next::Deliver,
    }
}

/// At least what the provider asks for, growing without a hint; never in step with other callers.
fn pause(attempt: u32, hint: Option<Duration>, jitter: f64) -> Duration {
    let grown = FIRST_WAIT
        .saturating_mul(1 << (attempt - 1).min(10))
        .min(LONGEST_WAIT);
    hint.unwrap_or(grown).max(Duration::from_millis(50))
        + grown.mul_f64(jitter.clamp(0.0, 1.0) / 4.0)
}

fn hint(error: &ModelError) -> Option<Duration> {
    match error {
        ModelError::RateLimited(wait) | ModelError::Overloaded(wait) => {
            wait.map(|wait| Duration::from_millis(wait.milliseconds))
        }
        ModelError::InvalidRequest(_)
        | ModelError::ContextExceeded(_)
        | ModelError::Refused(_)
        | ModelError::Cancelled
        | ModelError::QuotaExceeded(_)
        | ModelError::Timeout
        | ModelError::Protocol(_)
        | ModelError::Authentication(_)
        | ModelError::Other(_) => None,
    }
}

fn quota(what: &str, error: &ModelError) -> String {
    format!(
        "the provider says that the quota is used up ({what}): {}",
        failure(error)
    )
}

/// An error as the record has it: its name, its text, and the delay that the provider asked for.
#[must_use]
pub fn failure(error: &ModelError) -> ModelFailure {
    let (kind, text, delay) = match error {
        ModelError::RateLimited(after) => ("rate-limited", "", *after),
        ModelError::Overloaded(after) => ("overloaded", "", *after),
        ModelError::Timeout => ("timeout", "", None),
        ModelError::QuotaExceeded(text) => ("quota-exceeded", text.as_str(), None),
        ModelError::Authentication(text) => ("authentication", text.as_str(), None),
        ModelError::InvalidRequest(text) => ("invalid-request", text.as_str(), None),
        ModelError::ContextExceeded(text) => ("context-exceeded", text.as_str(), None),
        ModelError::Refused(text) => ("refused", text.as_str(), None),
        ModelError::Protocol(text) => ("protocol", text.as_str(), None),
        ModelError::Cancelled => ("cancelled", "", None),
        ModelError::Other(text) => ("other", text.as_str(), None),
    };
    ModelFailure {
        kind: kind.to_owned(),
        text: text.to_owned(),
        delay_ms: delay.map(|delay| delay.milliseconds),
    }
}

/// Time that a provider's trouble took out of the current step. Intervals of calls that overlap count once.
pub struct Patience {
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    step: u32,
    spent: Duration,
    /// Everything before is counted.
    counted_to: Option<Instant>,
}

impl Patience {
    #[must_use]
    pub fn new(limit: Duration) -> Patience {
        Patience {
            limit,
            state: Mutex::default(),
        }
    }

    /// Counts an interval of trouble and returns what is left of the step's limit; zero means that it is over.
    pub fn spend(&self, step: u32, from: Instant, to: Instant) -> Duration {
        let mut state = self.state.lock();
        if state.step != step {
            *state = State {
                step,
                ..State::default()
            };
        }
        let from = state.counted_to.map_or(from, |counted| counted.max(from));
        state.spent += to.saturating_duration_since(from);
        state.counted_to = Some(state.counted_to.map_or(to, |counted| counted.max(to)));
        self.limit.saturating_sub(state.spent)
    }
}

#[cfg(test)]
mod tests {
    use dynacu_runtime::types::Duration as WitDuration;

    use super::*;

    fn trouble(wait: Option<u64>) -> ProviderStatus {
        ProviderStatus::Trouble {
            what: "status 529".to_owned(),
            wait: wait.map(Duration::from_millis),
        }
    }

    fn after(error: ModelError, status: Option<ProviderStatus>, attempt: u32) -> Next {
        next(&Err(error), status.as_ref(), attempt, 0.0)
    }

    fn text() -> String {
        "text".to_owned()
    }

    #[test]
    fn a_providers_wait_is_kept_and_grows_without_one() {
        let wait = |status, error, attempt| match after(error, Some(status), attempt) {
            Next::Retry {
                after,
                trouble: true,
            } => after.as_millis(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            wait(
                trouble(Some(3000)),
                ModelError::RateLimited(Some(WitDuration::of(9))),
                1
            ),
            3000
        );
        assert_eq!(
            wait(
                trouble(None),
                ModelError::RateLimited(Some(WitDuration::of(1200))),
                1
            ),
            1200
        );
        assert_eq!(wait(trouble(Some(0)), ModelError::Overloaded(None), 1), 50);
        let grown: Vec<_> = (1..5)
            .map(|attempt| wait(trouble(None), ModelError::Other(text()), attempt))
            .collect();
        assert_eq!(grown, [500, 1000, 2000, 4000]);
        let jittered = next(&Err(ModelError::Timeout), Some(&trouble(None)), 1, 1.0);
        assert_eq!(
            jittered,
            Next::Retry {
                after: Duration::from_millis(625),
                trouble: true
            }
        );
    }

    #[test]
    fn only_what_the_host_saw_ends_an_episode_as_infrastructure() {
        let cause = |next| match next {
            Next::End(cause, _) => Some(cause),
            _ => None,
        };
        let quota = || ModelError::QuotaExceeded(text());
        let key = || ModelError::Authentication(text());
        let refused = || Some(ProviderStatus::KeyRefused("status 401".to_owned()));
        assert_eq!(
            cause(after(key(), refused(), 1)),
            Some(EndCause::ModelAuthentication)
        );
        assert_eq!(
            cause(after(ModelError::Other(text()), refused(), 1)),
            Some(EndCause::ModelAuthentication)
        );
        assert_eq!(
            cause(after(quota(), refused(), 1)),
            Some(EndCause::ModelQuota)
        );
        assert_eq!(
            cause(after(quota(), Some(ProviderStatus::Answered(400)), 1)),
            Some(EndCause::ModelQuota)
        );
        assert_eq!(
            cause(after(
                ModelError::RateLimited(None),
                Some(ProviderStatus::Quota(text())),
                1
            )),
            Some(EndCause::ModelQuota)
        );
        assert_eq!(
            cause(after(ModelError::Overloaded(None), Some(trouble(None)), 8)),
            Some(EndCause::ProviderOutage)
        );
        // The same words from a guest that nothing bears out.
        for status in [None, Some(ProviderStatus::Answered(200))] {
            assert_eq!(after(key(), status.clone(), 1), Next::Deliver);
            assert_eq!(after(quota(), status.clone(), 1), Next::Deliver);
            assert!(matches!(
                after(ModelError::Overloaded(None), status.clone(), 1),
                Next::Retry { trouble: false, .. }
            ));
            assert_eq!(
                after(ModelError::Overloaded(None), status, 3),
                Next::Deliver
            );
        }
    }

    #[test]
    fn what_no_waiting_helps_goes_to_the_policy() {
        for error in [
            ModelError::InvalidRequest(text()),
            ModelError::ContextExceeded(text()),
            ModelError::Refused(text()),
            ModelError::Cancelled,
        ] {
            assert_eq!(
                after(error.clone(), Some(trouble(None)), 1),
                Next::Deliver,
                "{error:?}"
            );
            assert_eq!(
                after(error, Some(ProviderStatus::Answered(400)), 1),
                Next::Deliver
            );
        }
        assert_eq!(
            after(
                ModelError::Other(text()),
                Some(ProviderStatus::Answered(404)),
                1
            ),
            Next::Deliver
        );
    }

    #[test]
    fn trouble_is_counted_once_and_by_the_step() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let patience = Patience::new(Duration::from_secs(5));
        let left = |step, from, to| patience.spend(step, at(from), at(to)).as_secs();
        assert_eq!(left(1, 0, 2), 3);
        assert_eq!(left(1, 1, 3), 2, "the overlap counts once");
        assert_eq!(left(1, 0, 1), 2);
        assert_eq!(left(2, 3, 4), 4, "another step begins anew");
        assert_eq!(left(2, 4, 30), 0);
    }
}
