//! Processor time of a thread.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time that the calling thread has taken so far.
#[must_use]
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
