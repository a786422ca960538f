//! The phases of a lane's life, each with its own limit and its own name in errors: whoever reads of a time that was
//! exceeded knows whose it was.

use std::time::Duration;

use anyhow::anyhow;

/// What a lane is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    LaneStart,
    LaneCheck,
    PageLoad,
    Glance,
    Episode,
    Scoring,
    Close,
}

impl Phase {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LaneStart => "lane start",
            Self::LaneCheck => "lane check",
            Self::PageLoad => "page load",
            Self::Glance => "glance",
            Self::Episode => "episode",
            Self::Scoring => "scoring",
            Self::Close => "close",
        }
    }

    /// How long it may take on a machine that is busy; for an episode, beyond the task's own limit.
    #[must_use]
    pub fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Self::LaneStart => 60,
            // Starts a browser too.
            Self::LaneCheck => 90,
            Self::PageLoad => 75,
            Self::Glance => 30,
            Self::Episode => 60,
            Self::Scoring => 60,
            Self::Close => 60,
        })
    }

    /// Puts the phase's name before an error.
    pub fn failed(self, error: impl Into<anyhow::Error>) -> anyhow::Error {
        error.into().context(self.name())
    }
}

/// Waits for a piece of work no longer than its phase allows.
///
/// # Errors
/// The work's own, or that its time is over; both name the phase.
pub async fn within<T, E: Into<anyhow::Error>>(
    phase: Phase,
    work: impl Future<Output = Result<T, E>>,
) -> anyhow::Result<T> {
    in_time(phase, phase.limit(), work).await
}

async fn in_time<T, E: Into<anyhow::Error>>(
    phase: Phase,
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> anyhow::Result<T> {
    match tokio::time::timeout(limit, work).await {
        Ok(done) => done.map_err(|error| phase.failed(error)),
        Err(_) => Err(phase.failed(anyhow!("not finished within {} s", limit.as_secs()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_takes_too_long_and_what_fails_both_name_their_phase() {
        let never = std::future::pending::<anyhow::Result<()>>();
        let error = in_time(Phase::PageLoad, Duration::ZERO, never).await;
        let error = error.unwrap_err();
        assert_eq!(format!("{error:#}"), "page load: not finished within 0 s");
        let failing = async { Err::<(), _>(anyhow!("no picture")) };
        let error = within(Phase::Glance, failing).await.unwrap_err();
        assert_eq!(format!("{error:#}"), "glance: no picture");
        let good = async { Ok::<_, anyhow::Error>(3) };
        assert_eq!(within(Phase::Close, good).await.unwrap(), 3);
    }
}
