//! `--lanes auto`: how many lanes this machine keeps in time, from what capture and recognition cost on the first one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::time::{ClockId, clock_gettime};

use crate::capture::screen::Screen;
use crate::desktop::lane::Lane;
use crate::episode::Bench;
use crate::perception::recognizer::RecognizerChoice;
use crate::speech::Pcm;
use crate::speech::resample::resample;

/// Open speech is recognised again so often, and a pass is over no more than this much of it.
const PASS_EVERY: f64 = 0.7;
const PASS_SECONDS: usize = 4;
const RATE: u32 = 16_000;
/// Browser, display and sound server of a lane whose page moves and speaks, in cores. The talk of `dynacu-measure perception` took 0.2
/// (`docs/perception.md`); this leaves room for pages that draw more.
const DESKTOP: f64 = 0.5;
/// Frames that are embedded in a second of a page that moves.
const EMBEDDINGS: f64 = 1.0;
/// A machine that is full to the brim is late: this share of it is used.
const FILLED: f64 = 0.9;
/// Memory of one more lane; the models are shared.
const LANE_MIB: u64 = 1024;
/// Times that each cost is measured.
const GRABS: u32 = 20;
const PASSES: u32 = 3;
/// How long is watched what others do with the machine.
const WATCH: Duration = Duration::from_secs(1);

/// What one lane costs, in cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    pub capture: f64,
    pub recognition: f64,
}

/// What the machine has to give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    pub cores: usize,
    /// Cores that others leave.
    pub free: f64,
    pub free_mib: u64,
}

/// How many lanes fit, and why, in a sentence.
#[must_use]
pub fn lanes(cost: Cost, room: Room) -> (usize, String) {
    let need = cost.capture + cost.recognition + DESKTOP;
    let by_cores = (room.free * FILLED / need).floor().max(0.0) as usize;
    let by_memory = usize::try_from(room.free_mib / LANE_MIB).unwrap_or(usize::MAX);
    // The first one is there already.
    let lanes = by_cores.min(by_memory).max(1);
    let short = if by_memory < by_cores {
        format!(
            ", and {} MiB of memory are free at {LANE_MIB} a lane",
            room.free_mib
        )
    } else {
        String::new()
    };
    let enough = if by_cores == 0 {
        "; even one may fall behind"
    } else {
        ""
    };
    (
        lanes,
        format!(
            "{lanes} lane{}: one needs {need:.2} cores (capture {:.2}, recognition while somebody speaks {:.2}, desktop {DESKTOP:.2}) and {:.1} of {} are free{short}{enough}",
            if lanes == 1 { "" } else { "s" },
            cost.capture,
            cost.recognition,
            room.free,
            room.cores,
        ),
    )
}

/// Measures one lane. Blocks for some seconds.
///
/// # Errors
/// The screen cannot be captured or the speech not recognised.
pub fn cost(
    bench: &Bench,
    recognizer: &RecognizerChoice,
    lane: &Lane,
    fps: f32,
    voice: &Pcm,
) -> Result<Cost> {
    let mut screen = Screen::connect(&lane.display)?;
    let began = cpu();
    let mut last = None;
    for _ in 0..GRABS {
        last = Some(screen.grab()?);
    }
    let grab = (cpu() - began) / f64::from(GRABS);
    let picture = last.context("no frame was captured")?.rgb()?;
    let began = cpu();
    bench.encoder.embed(&picture)?;
    let embedding = cpu() - began;
    // A server recognises elsewhere.
    let recognition = if matches!(recognizer, RecognizerChoice::Remote(_)) {
        0.0
    } else {
        let speech = resample(&voice.samples, voice.rate, RATE)?;
        let clip: Vec<f32> = speech
            .iter()
            .copied()
            .cycle()
            .take(PASS_SECONDS * RATE as usize)
            .collect();
        let recognizer = Arc::clone(&bench.recognizer);
        let (began, clock) = (cpu(), Instant::now());
        for _ in 0..PASSES {
            recognizer.transcribe(&clip)?;
        }
        let (used, took) = (cpu() - began, clock.elapsed().as_secs_f64());
        // One pass at a time: a lane cannot use more than its threads.
        (used / f64::from(PASSES) / PASS_EVERY).min((used / took).max(1.0))
    };
    Ok(Cost {
        capture: f64::from(fps) * grab + EMBEDDINGS * embedding,
        recognition,
    })
}

/// Looks for a second at what others do with the machine.
///
/// # Errors
/// The kernel does not tell.
pub async fn room() -> Result<Room> {
    let before = busy_and_all()?;
    tokio::time::sleep(WATCH).await;
    let after = busy_and_all()?;
    let all = (after.1 - before.1).max(1) as f64;
    let busy = (after.0 - before.0) as f64 / all;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").context("cannot read /proc/meminfo")?;
    let free = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok())
        .context("/proc/meminfo does not give the available memory")?;
    Ok(Room {
        cores,
        free: cores as f64 * (1.0 - busy.clamp(0.0, 1.0)),
        free_mib: free / 1024,
    })
}

/// Ticks of all cores: busy ones, and all.
fn busy_and_all() -> Result<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/stat").context("cannot read /proc/stat")?;
    let ticks: Vec<u64> = text
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(1)
        // What a guest of a virtual machine uses is in the first columns already.
        .take(8)
        .filter_map(|field| field.parse().ok())
        .collect();
    // user nice system idle iowait irq softirq steal
    let [_, _, _, idle, waiting, ..] = ticks.as_slice() else {
        anyhow::bail!("/proc/stat is not as expected");
    };
    let all: u64 = ticks.iter().sum();
    Ok((all.saturating_sub(idle + waiting), all))
}

/// CPU seconds of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: Cost = Cost {
        capture: 0.1,
        recognition: 0.9,
    };

    #[test]
    fn as_many_as_the_free_cores_carry_and_the_memory_holds() {
        let room = |free: f64, free_mib: u64| Room {
            cores: 16,
            free,
            free_mib,
        };
        let (count, why) = lanes(COST, room(15.0, 64_000));
        assert_eq!(count, 9);
        assert!(why.starts_with("9 lanes: one needs 1.50 cores") && why.contains("15.0 of 16"));
        let (count, why) = lanes(COST, room(15.0, 3_500));
        assert_eq!(count, 3);
        assert!(why.contains("3500 MiB"), "{why}");
        let (count, why) = lanes(COST, room(0.7, 64_000));
        assert_eq!(count, 1);
        assert!(why.contains("even one may fall behind"), "{why}");
    }
}
