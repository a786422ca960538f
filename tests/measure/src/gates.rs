//! Every gate on the same captures: frames are taken once, in step with what runs live, and each gate judges each of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use dynacu_host::capture::screen::{Frame, Screen};
use dynacu_host::capture::timebase::Timebase;
use dynacu_host::perception::encoder::Encoder;
use dynacu_host::perception::keyframe::{Decision, Gate, GateKind};

/// Decides the moments of the gate `random`.
const KEY: u64 = 1;

/// A frame that one of the gates kept.
#[derive(Debug)]
pub struct Caught {
    pub gate: GateKind,
    /// Made compact: a raw one has 3.7 MB.
    pub frame: Frame,
    pub captured_at: u64,
    /// When the gate had decided (ms on the episode's clock).
    pub decided_at: u64,
}

/// The thread that captures and judges.
pub struct Row {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Vec<Caught>>>>,
}

impl Row {
    /// Starts to capture a display for all gates but those left out.
    ///
    /// # Errors
    /// The display cannot be captured, or there is no thread.
    pub fn start(
        display: &str,
        fps: f32,
        encoder: &Arc<dyn Encoder>,
        timebase: Arc<Timebase>,
        without: &[GateKind],
    ) -> Result<Self> {
        let period = Duration::from_secs_f32(1.0 / fps);
        let screen = Screen::connect(display)?;
        let gates: Vec<(GateKind, Box<dyn Gate>)> = GateKind::ALL
            .into_iter()
            .filter(|kind| !without.contains(kind))
            .map(|kind| (kind, kind.build(Arc::clone(encoder), period, KEY)))
            .collect();
        let stop = Arc::new(AtomicBool::new(false));
        let watcher = Watcher {
            screen,
            gates,
            period,
            timebase,
            stop: Arc::clone(&stop),
            caught: Vec::new(),
        };
        let thread = std::thread::Builder::new()
            .name("gates".to_owned())
            .spawn(move || watcher.run())
            .context("cannot start the thread that compares gates")?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }

    /// Everything that was kept.
    ///
    /// # Errors
    /// The display went away or a gate failed.
    pub fn finish(mut self) -> Result<Vec<Caught>> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().context("it was ended before")?;
        thread
            .join()
            .map_err(|_| anyhow!("the thread that compares gates panicked"))?
    }
}

struct Watcher {
    screen: Screen,
    gates: Vec<(GateKind, Box<dyn Gate>)>,
    period: Duration,
    timebase: Arc<Timebase>,
    stop: Arc<AtomicBool>,
    caught: Vec<Caught>,
}

impl Watcher {
    fn run(mut self) -> Result<Vec<Caught>> {
        let mut due = Instant::now();
        let mut last: Option<Arc<Frame>> = None;
        while !self.stop.load(Ordering::Relaxed) {
            let frame = Arc::new(self.screen.grab()?);
            let changed = last.as_ref().is_none_or(|last| !last.looks_like(&frame));
            let begun = self
                .timebase
                .started()
                .is_some_and(|start| frame.captured >= start);
            for (kind, gate) in &mut self.gates {
                let decision = if !begun || last.is_none() {
                    gate.rebase(&frame);
                    None
                } else if changed || gate.wants_every_frame() {
                    gate.offer(&frame)?
                } else {
                    gate.rest(Instant::now())?
                };
                if let Some(decision) = decision {
                    self.caught.push(caught(*kind, &decision, &self.timebase)?);
                }
            }
            last = Some(frame);
            due = (due + self.period).max(Instant::now());
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        Ok(self.caught)
    }
}

fn caught(gate: GateKind, decision: &Decision, timebase: &Timebase) -> Result<Caught> {
    Ok(Caught {
        gate,
        captured_at: timebase.millis(decision.frame.captured),
        decided_at: timebase.now(),
        frame: decision.frame.compact()?,
    })
}
