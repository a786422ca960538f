//! Processor time that a policy takes: its own thread's, and other threads' on its behalf.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use procfs::process::Process;

/// Counts from the episode's start.
#[derive(Default)]
pub(super) struct Processor {
    /// The policy's thread; 0 before it is known.
    thread: AtomicI32,
    /// The thread's time when it was last looked at, milliseconds.
    own_ms: AtomicU64,
    /// Microseconds of reading and speech.
    elsewhere_us: AtomicU64,
}

impl Processor {
    /// Call it on the policy's thread.
    pub(super) fn thread_is_this(&self) {
        if self.thread.load(Ordering::Relaxed) == 0 {
            let thread = rustix::thread::gettid().as_raw_nonzero().get();
            self.thread.store(thread, Ordering::Relaxed);
        }
    }

    /// Another thread worked for the policy.
    pub(super) fn elsewhere(&self, took: Duration) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.elsewhere_us.fetch_add(us, Ordering::Relaxed);
    }

    /// All of it so far, milliseconds. It can be asked for from any thread, also while the guest computes.
    pub(super) fn ms(&self) -> u64 {
        // The kernel knows nothing of a thread that has ended: then what was last seen counts.
        if let Some(now) = thread_ms(self.thread.load(Ordering::Relaxed)) {
            self.own_ms.fetch_max(now, Ordering::Relaxed);
        }
        self.own_ms.load(Ordering::Relaxed) + self.elsewhere_us.load(Ordering::Relaxed) / 1000
    }
}

fn thread_ms(thread: i32) -> Option<u64> {
    let task = Process::myself().ok()?.task_from_tid(thread).ok()?;
    let about = task.stat().ok()?;
    Some((about.utime + about.stime) * 1000 / procfs::ticks_per_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_s_time_is_seen_from_outside_while_it_computes_and_kept_after_it() {
        let processor = Processor::default();
        assert_eq!(processor.ms(), 0);
        std::thread::scope(|scope| {
            let (tell, told) = std::sync::mpsc::sync_channel(1);
            let processor = &processor;
            std::thread::Builder::new()
                .spawn_scoped(scope, move || {
                    processor.thread_is_this();
                    let mut turns = 0_u64;
                    while told.try_recv().is_err() {
                        turns = std::hint::black_box(turns + 1);
                    }
                })
                .unwrap();
            while processor.ms() < 50 {
                std::thread::yield_now();
            }
            tell.send(()).unwrap();
        });
        let after = processor.ms();
        processor.elsewhere(Duration::from_millis(70));
        assert_eq!(processor.ms(), after + 70);
    }
}
