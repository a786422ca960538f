//! Points in time and lengths of time. Two types, so that neither passes for the other.

use std::fmt;
use std::ops::{Add, Sub};

use crate::{Duration, Instant};

impl Instant {
    /// The page's start signal.
    pub const START: Self = Self::from_millis(0);
    /// Later than anything: a deadline that never comes.
    pub const MAX: Self = Self::from_millis(u64::MAX);

    /// So many milliseconds after the start signal.
    #[must_use]
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self { milliseconds }
    }

    /// Milliseconds since the start signal.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.milliseconds
    }

    /// Seconds since the start signal.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.milliseconds as f64 / 1000.0
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self::from_millis(0);
    /// Longer than any episode.
    pub const MAX: Self = Self::from_millis(u64::MAX);

    /// So many milliseconds.
    #[must_use]
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self { milliseconds }
    }

    /// So many whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self::from_millis(seconds.saturating_mul(1000))
    }

    /// Milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.milliseconds
    }

    /// Seconds.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.milliseconds as f64 / 1000.0
    }
}

/// To the millisecond; what is longer than an `u64` holds is [`Duration::MAX`].
impl From<std::time::Duration> for Duration {
    fn from(time: std::time::Duration) -> Self {
        Self::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<Duration> for std::time::Duration {
    fn from(time: Duration) -> Self {
        Self::from_millis(time.milliseconds)
    }
}

/// The time from one to the other; none, where the other is later.
impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        Duration::from_millis(self.milliseconds.saturating_sub(earlier.milliseconds))
    }
}

/// Later by that time, at most [`Instant::MAX`].
impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self::from_millis(self.milliseconds.saturating_add(time.milliseconds))
    }
}

/// Earlier by that time, at the earliest [`Instant::START`].
impl Sub<Duration> for Instant {
    type Output = Self;

    fn sub(self, time: Duration) -> Self {
        Self::from_millis(self.milliseconds.saturating_sub(time.milliseconds))
    }
}

/// At most [`Duration::MAX`].
impl Add for Duration {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::from_millis(self.milliseconds.saturating_add(other.milliseconds))
    }
}

/// At least [`Duration::ZERO`].
impl Sub for Duration {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::from_millis(self.milliseconds.saturating_sub(other.milliseconds))
    }
}

/// As the observation record writes it: `48.7s`.
impl fmt::Display for Instant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.1}s", self.as_seconds())
    }
}

/// Exactly: `3s`, `1.25s`.
impl fmt::Display for Duration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}s", self.as_seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_never_wrap() {
        let (early, late) = (Instant::from_millis(2_000), Instant::from_millis(48_740));
        assert_eq!(late - early, Duration::from_millis(46_740));
        assert_eq!(early - late, Duration::ZERO);
        assert_eq!(early - Duration::from_secs(3), Instant::START);
        assert_eq!(late + Duration::MAX, Instant::MAX);
        assert_eq!(Duration::from_secs(u64::MAX), Duration::MAX);
        assert!(early < late);
    }

    #[test]
    fn instants_are_rounded_in_prose_and_durations_are_not() {
        assert_eq!(Instant::from_millis(48_740).to_string(), "48.7s");
        assert_eq!(Duration::from_millis(1_250).to_string(), "1.25s");
        let standard = std::time::Duration::from_micros(1_999);
        assert_eq!(Duration::from(standard), Duration::from_millis(1));
    }
}
