//! What a guest may use up, and the counters that notice when it did.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use wasmtime::ResourceLimiter;

use crate::failure::{Cut, FailureKind, GuestFailure, out_of_memory};

/// Linear memory without a grant.
pub const DEFAULT_MEMORY_BYTES: u64 = 256 << 20;

/// A guest that is told `no` may free something and go on; one that keeps asking is ended.
const REFUSALS_BEFORE_THE_END: u32 = 64;

/// The limits of one guest.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall time of one call, waiting for the host included.
    pub deadline: Duration,
    /// Wall time of instantiation, start function included.
    pub start_deadline: Duration,
    /// CPU time between two host calls.
    pub cpu_without_call: Duration,
    /// All linear memories together, in bytes.
    pub memory: u64,
    /// Elements of all tables together.
    pub table_elements: u64,
    pub tables: usize,
    pub memories: usize,
    /// Core instances inside the component.
    pub instances: usize,
    /// Host memory that the values of one call may fill, in bytes.
    pub returned: usize,
    /// Handles (frames, streams) alive at once.
    pub handles: usize,
    /// Lines of one call: logged and printed ones together.
    pub log_lines: u32,
    /// Bytes of those lines.
    pub log_bytes: u64,
    /// From the host's stop to the guest's end.
    pub stop_grace: Duration,
    /// The key of the guest's random source. Unrelated to the task's seed, kept in the record for replay.
    pub random_seed: [u8; 32],
    /// The only folder that the guest sees, as `/scratch`.
    pub scratch: Option<PathBuf>,
}

impl Limits {
    /// A policy's run: one call that lasts a whole episode.
    #[must_use]
    pub fn policy(deadline: Duration, random_seed: [u8; 32]) -> Self {
        Self {
            deadline,
            start_deadline: Duration::from_secs(20),
            cpu_without_call: Duration::from_secs(10),
            memory: DEFAULT_MEMORY_BYTES,
            table_elements: 1_000_000,
            tables: 64,
            memories: 16,
            instances: 256,
            returned: 16 << 20,
            // Small on their own: pixels have a cap of their own.
            handles: 100_000,
            log_lines: 5_000,
            log_bytes: 2 << 20,
            stop_grace: Duration::from_secs(2),
            random_seed,
            scratch: None,
        }
    }

    /// A policy that only says what it is.
    #[must_use]
    pub fn describe() -> Self {
        Self {
            cpu_without_call: Duration::from_secs(5),
            ..Self::policy(Duration::from_secs(10), [0; 32])
        }
    }

    /// A scorer; each kind of call has its own bounds beside these. Its random key is fixed: the same episode gives
    /// the same score.
    #[must_use]
    pub fn scorer() -> Self {
        Self {
            log_lines: 200,
            log_bytes: 64 << 10,
            ..Self::policy(Duration::from_secs(5), [0; 32])
        }
    }

    /// A model adapter's call. Its deadline comes with the call.
    #[must_use]
    pub fn adapter(random_seed: [u8; 32]) -> Self {
        Self {
            cpu_without_call: Duration::from_secs(5),
            // A request of many turns with its pictures left out, and the answer's JSON.
            returned: 64 << 20,
            log_lines: 500,
            log_bytes: 256 << 10,
            ..Self::policy(Duration::MAX, random_seed)
        }
    }
}

/// Counts what a store's memories and tables take together and remembers a refusal.
pub(crate) struct Ceiling {
    limits: Limits,
    memory: u64,
    elements: u64,
    refusals: u32,
}

impl Ceiling {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            memory: 0,
            elements: 0,
            refusals: 0,
        }
    }

    /// The limit in bytes, if the guest ever asked for more.
    pub(crate) fn denied(&self) -> Option<u64> {
        (self.refusals > 0).then_some(self.limits.memory)
    }
}

impl ResourceLimiter for Ceiling {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self
            .memory
            .saturating_add(desired.saturating_sub(current) as u64);
        if total <= self.limits.memory {
            self.memory = total;
            return Ok(true);
        }
        self.refusals += 1;
        if self.refusals > REFUSALS_BEFORE_THE_END {
            let failure =
                GuestFailure::new(FailureKind::OutOfMemory, out_of_memory(self.limits.memory));
            return Err(wasmtime::Error::from(Cut(failure)));
        }
        Ok(false)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self
            .elements
            .saturating_add(desired.saturating_sub(current) as u64);
        let fits = total <= self.limits.table_elements;
        if fits {
            self.elements = total;
        }
        Ok(fits)
    }

    fn instances(&self) -> usize {
        self.limits.instances
    }

    fn tables(&self) -> usize {
        self.limits.tables
    }

    fn memories(&self) -> usize {
        self.limits.memories
    }
}

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
    /// `used` at the last host call.
    at_call: AtomicU64,
    /// Allowed since then.
    budget: AtomicU64,
}

impl Meter {
    pub(crate) fn poll_begins(&self) {
        self.0.poll_began.store(thread_cpu(), Ordering::Relaxed);
    }

    pub(crate) fn poll_ends(&self) {
        self.0.used.store(self.used_now(), Ordering::Relaxed);
    }

    /// A new call begins, outside of any poll.
    pub(crate) fn call_begins(&self, budget: Duration) {
        self.0.budget.store(
            u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX),
            Ordering::Relaxed,
        );
        self.0
            .at_call
            .store(self.0.used.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// The guest called the host: it is alive.
    pub(crate) fn host_was_called(&self) {
        self.0.at_call.store(self.used_now(), Ordering::Relaxed);
    }

    /// The failure to end the guest with, if it computed too long on its own.
    pub(crate) fn overdrawn(&self) -> Option<Cut> {
        let since = self
            .used_now()
            .saturating_sub(self.0.at_call.load(Ordering::Relaxed));
        let budget = self.0.budget.load(Ordering::Relaxed);
        (since > budget).then(|| {
            let budget = Duration::from_nanos(budget);
            Cut(GuestFailure::timeout(format!(
                "the guest computed for more than {budget:?} without a host call"
            )))
        })
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
    fn memories_share_one_limit_and_a_refusal_is_remembered() {
        let mut ceiling = Ceiling::new(Limits {
            memory: 1 << 20,
            ..Limits::describe()
        });
        assert!(ceiling.memory_growing(0, 768 << 10, None).unwrap());
        assert_eq!(ceiling.denied(), None);
        assert!(!ceiling.memory_growing(0, 512 << 10, None).unwrap());
        assert_eq!(ceiling.denied(), Some(1 << 20));
        assert!(ceiling.memory_growing(0, 256 << 10, None).unwrap());
    }

    #[test]
    fn a_guest_that_keeps_asking_is_ended() {
        let mut ceiling = Ceiling::new(Limits {
            memory: 0,
            ..Limits::describe()
        });
        let end = (0..1000)
            .find_map(|_| ceiling.memory_growing(0, 65536, None).err())
            .unwrap();
        assert_eq!(
            end.downcast_ref::<Cut>().unwrap().0.kind,
            FailureKind::OutOfMemory
        );
    }

    #[test]
    fn only_time_since_the_last_host_call_counts() {
        let meter = Meter::default();
        meter.call_begins(Duration::ZERO);
        meter.poll_begins();
        let mut spin = 0_u64;
        while meter.overdrawn().is_none() {
            spin = std::hint::black_box(spin + 1);
        }
        meter.call_begins(Duration::from_secs(3600));
        meter.host_was_called();
        assert!(meter.overdrawn().is_none());
    }
}
