//! A guest's CPU time, and the end of one that computes too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::failure::{Cut, GuestFailure};

/// What CPU time is counted over: since the last host call, since the last observation, since the call began.
const SPANS: [&str; 3] = ["without a host call", "in one step", "in all"];

/// CPU time of the calling thread, in nanoseconds.
fn thread_cpu() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// CPU time that one guest used, measured over the polls of its call: several guests may share a thread.
#[derive(Clone, Default)]
pub(crate) struct Meter(Arc<Counters>);

#[derive(Default)]
struct Counters {
    /// Thread CPU time when the current poll began.
    poll_began: AtomicU64,
    /// Of all polls before the current one.
    used: AtomicU64,
    /// `used` when each of the [`SPANS`] began.
    began: [AtomicU64; 3],
    /// Allowed in each of them.
    budget: [AtomicU64; 3],
}

impl Meter {
    pub(crate) fn poll_begins(&self) {
        self.0.poll_began.store(thread_cpu(), Ordering::Relaxed);
    }

    pub(crate) fn poll_ends(&self) {
        self.0.used.store(self.used_now(), Ordering::Relaxed);
    }

    /// A new call begins, outside of any poll.
    pub(crate) fn call_begins(&self, budgets: [Duration; 3]) {
        let used = self.0.used.load(Ordering::Relaxed);
        for ((began, budget), allowed) in self.0.began.iter().zip(&self.0.budget).zip(budgets) {
            began.store(used, Ordering::Relaxed);
            let nanoseconds = u64::try_from(allowed.as_nanos()).unwrap_or(u64::MAX);
            budget.store(nanoseconds, Ordering::Relaxed);
        }
    }

    /// The guest called the host: it is alive.
    pub(crate) fn host_was_called(&self) {
        self.0.began[0].store(self.used_now(), Ordering::Relaxed);
    }

    /// The guest got an observation.
    pub(crate) fn step_begins(&self) {
        self.0.began[1].store(self.used_now(), Ordering::Relaxed);
    }

    /// Waits for the host's own work, which is done on the guest's thread but is not the guest's.
    pub(crate) async fn host_works<T>(&self, work: impl Future<Output = T>) -> T {
        let before = self.used_now();
        let done = work.await;
        let own = self.used_now().saturating_sub(before);
        for began in &self.0.began {
            began.fetch_add(own, Ordering::Relaxed);
        }
        done
    }

    /// The failure to end the guest with, if it computed too long on its own.
    pub(crate) fn overdrawn(&self) -> Option<Cut> {
        let used = self.used_now();
        let spans = self.0.began.iter().zip(&self.0.budget).zip(SPANS);
        for ((began, budget), span) in spans {
            let budget = budget.load(Ordering::Relaxed);
            if used.saturating_sub(began.load(Ordering::Relaxed)) > budget {
                let budget = Duration::from_nanos(budget);
                return Some(Cut(GuestFailure::timeout(format!(
                    "the guest computed for more than {budget:?} {span}"
                ))));
            }
        }
        None
    }

    fn used_now(&self) -> u64 {
        let poll = thread_cpu().saturating_sub(self.0.poll_began.load(Ordering::Relaxed));
        self.0.used.load(Ordering::Relaxed) + poll
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_call_renews_one_budget_a_step_two_and_the_host_s_work_is_free() {
        let spin = |meter: &Meter, until: &dyn Fn() -> bool| {
            let mut turns = 0_u64;
            while !until() {
                turns = std::hint::black_box(turns + 1);
            }
            meter.overdrawn().map(|cut| cut.0.detail)
        };
        let hour = Duration::from_secs(3600);
        let meter = Meter::default();
        meter.call_begins([Duration::ZERO, hour, hour]);
        meter.poll_begins();
        let late = spin(&meter, &|| meter.overdrawn().is_some()).unwrap();
        assert!(late.ends_with("without a host call"), "{late}");

        // Calls in between do not help: the step and the whole have budgets of their own.
        for (budgets, named) in [
            ([hour, Duration::ZERO, hour], "in one step"),
            ([hour, hour, Duration::ZERO], "in all"),
        ] {
            let meter = Meter::default();
            meter.call_begins(budgets);
            meter.poll_begins();
            let late = spin(&meter, &|| {
                meter.host_was_called();
                meter.overdrawn().is_some()
            });
            assert!(late.is_some_and(|late| late.ends_with(named)));
        }

        let meter = Meter::default();
        meter.call_begins([Duration::from_millis(20); 3]);
        meter.poll_begins();
        let work = async {
            let began = thread_cpu();
            spin(&meter, &|| thread_cpu() - began > 40_000_000)
        };
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let during = std::pin::pin!(meter.host_works(work)).poll(&mut context);
        assert!(matches!(during, std::task::Poll::Ready(Some(_))));
        assert!(meter.overdrawn().is_none());
    }
}
