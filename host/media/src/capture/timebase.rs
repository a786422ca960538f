//! The episode's one clock.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Maps the machine's monotonic clock onto the episode's: milliseconds since the page got its start signal.
///
/// Capture begins before t = 0, so instants before the start exist; they read as 0.
#[derive(Debug, Default)]
pub struct Timebase {
    start: OnceLock<Instant>,
}

impl Timebase {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets t = 0 to now. Later calls change nothing.
    pub fn start(&self) -> Instant {
        *self.start.get_or_init(Instant::now)
    }

    /// Sets t = 0 to a given instant: for replaying and for tests.
    pub fn start_at(&self, instant: Instant) {
        let _ = self.start.set(instant);
    }

    #[must_use]
    pub fn started(&self) -> Option<Instant> {
        self.start.get().copied()
    }

    /// Milliseconds since t = 0.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.millis(Instant::now())
    }

    /// An instant as milliseconds since t = 0; 0 before it.
    #[must_use]
    pub fn millis(&self, at: Instant) -> u64 {
        self.start.get().map_or(0, |start| {
            u64::try_from(at.saturating_duration_since(*start).as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// The instant at which the episode's clock shows `millis`, if it has started.
    #[must_use]
    pub fn instant(&self, millis: u64) -> Option<Instant> {
        self.start
            .get()
            .map(|start| *start + Duration::from_millis(millis))
    }
}
