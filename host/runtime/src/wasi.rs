//! WASI as guests see it: lines instead of terminals, a keyed random source, the episode's clock, no environment, no
//! network, no files beyond one granted folder.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use rand_core::TryRng;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};
use wasmtime_wasi::{FsPerms, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder};

use crate::limits::Limits;
use crate::lines::{Lines, Printed};

/// Which time a guest's WASI clocks show.
#[derive(Clone)]
pub(crate) enum Clock {
    /// The episode's: the wall clock counts from 1970 as the episode counts from its start.
    Episode(EpisodeClock),
    /// Always zero.
    Still,
    /// The machine's.
    Machine,
}

pub(crate) fn context(limits: &Limits, lines: &Lines, clock: Clock) -> wasmtime::Result<WasiCtx> {
    let mut builder = WasiCtxBuilder::new();
    builder
        .stdout(Printer {
            lines: lines.clone(),
            stream: Printed::Out,
        })
        .stderr(Printer {
            lines: lines.clone(),
            stream: Printed::Error,
        })
        .secure_random(KeyedRandom::new(&limits.random_seed, "random"))
        .insecure_random(KeyedRandom::new(&limits.random_seed, "insecure"))
        .insecure_random_seed(KeyedRandom::new(&limits.random_seed, "insecure-seed").number())
        .max_random_size(1 << 20)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false);
    match clock {
        Clock::Episode(clock) => {
            builder.wall_clock(clock.clone()).monotonic_clock(clock);
        }
        Clock::Still => {
            builder.wall_clock(StillClock).monotonic_clock(StillClock);
        }
        Clock::Machine => {}
    }
    if let Some(folder) = &limits.scratch {
        builder.preopened_dir(folder, "/scratch", FsPerms::ReadWrite)?;
    }
    Ok(builder.build())
}

/// SHA-256 in counter mode: the same key gives the same bytes in every version of every crate.
struct KeyedRandom {
    key: [u8; 32],
    counter: u64,
    block: [u8; 32],
    used: usize,
}

impl KeyedRandom {
    fn new(seed: &[u8; 32], purpose: &str) -> Self {
        let key = Sha256::new()
            .chain_update(seed)
            .chain_update(purpose)
            .finalize()
            .into();
        Self {
            key,
            counter: 0,
            block: [0; 32],
            used: 32,
        }
    }

    fn fill(&mut self, destination: &mut [u8]) {
        for byte in destination {
            if self.used == self.block.len() {
                let hash = Sha256::new()
                    .chain_update(self.key)
                    .chain_update(self.counter.to_le_bytes())
                    .finalize();
                self.block = hash.into();
                self.counter += 1;
                self.used = 0;
            }
            *byte = self.block[self.used];
            self.used += 1;
        }
    }

    fn number(&mut self) -> u128 {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        u128::from_le_bytes(bytes)
    }
}

impl TryRng for KeyedRandom {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, destination: &mut [u8]) -> Result<(), Infallible> {
        self.fill(destination);
        Ok(())
    }
}

/// The episode's clock, set right at every host call: WASI's clocks cannot ask the host. It counts whole milliseconds and
/// keeps what it told, so that a replay can tell it again.
#[derive(Clone)]
pub(crate) struct EpisodeClock(Arc<Mutex<Anchor>>);

struct Anchor {
    /// On the episode's clock.
    at: Duration,
    since: Instant,
    /// The latest time told, which later ones must not undercut, milliseconds.
    latest: u64,
    /// What was told since the last host call, as runs: `(milliseconds, times in a row)`.
    readings: Vec<(u64, u32)>,
}

impl EpisodeClock {
    pub(crate) fn new(now_ms: u64) -> Self {
        Self(Arc::new(Mutex::new(Anchor {
            at: Duration::from_millis(now_ms),
            since: Instant::now(),
            latest: now_ms,
            readings: Vec::new(),
        })))
    }

    pub(crate) fn set(&self, now_ms: u64) {
        let mut anchor = self.0.lock();
        anchor.at = Duration::from_millis(now_ms);
        anchor.since = Instant::now();
    }

    /// One reading, milliseconds.
    pub(crate) fn read_millis(&self) -> u64 {
        let mut anchor = self.0.lock();
        let now = anchor.at + anchor.since.elapsed();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        anchor.latest = anchor.latest.max(now);
        let latest = anchor.latest;
        match anchor.readings.last_mut() {
            Some((reading, times)) if *reading == latest => *times = times.saturating_add(1),
            _ => anchor.readings.push((latest, 1)),
        }
        latest
    }

    /// The readings since this was called last.
    pub(crate) fn take_readings(&self) -> Vec<(u64, u32)> {
        std::mem::take(&mut self.0.lock().readings)
    }
}

impl HostWallClock for EpisodeClock {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.read_millis())
    }
}

impl HostMonotonicClock for EpisodeClock {
    fn resolution(&self) -> u64 {
        1_000_000
    }

    fn now(&self) -> u64 {
        self.read_millis().saturating_mul(1_000_000)
    }
}

struct StillClock;

impl HostWallClock for StillClock {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for StillClock {
    fn resolution(&self) -> u64 {
        1_000_000
    }

    fn now(&self) -> u64 {
        0
    }
}

/// A standard stream that ends in lines.
#[derive(Clone)]
struct Printer {
    lines: Lines,
    stream: Printed,
}

impl IsTerminal for Printer {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Printer {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    // Without the task that the default puts between: a panic's message has to be there when its trap arrives.
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait::async_trait]
impl Pollable for Printer {
    async fn ready(&mut self) {}
}

impl OutputStream for Printer {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.lines.print(self.stream, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 << 10)
    }
}

impl AsyncWrite for Printer {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.lines.print(self.stream, bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_gives_one_stream_and_purposes_differ() {
        let draw = |seed: u8, purpose: &str| KeyedRandom::new(&[seed; 32], purpose).number();
        assert_eq!(draw(1, "random"), draw(1, "random"));
        assert_ne!(draw(1, "random"), draw(2, "random"));
        assert_ne!(draw(1, "random"), draw(1, "insecure"));
    }

    #[test]
    fn the_episode_clock_never_goes_back() {
        let clock = EpisodeClock::new(5_000);
        let before = HostMonotonicClock::now(&clock);
        clock.set(1_000);
        assert!(before >= 5_000_000_000);
        assert!(HostMonotonicClock::now(&clock) >= before);
        let readings = clock.take_readings();
        assert_eq!(readings.iter().map(|(_, times)| times).sum::<u32>(), 2);
        assert!(clock.take_readings().is_empty());
    }
}
