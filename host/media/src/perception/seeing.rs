//! Watches one display: captures at a steady pace and keeps the frames that show something new.
//!
//! Two threads. `screen` captures and never waits for anything but the display; `keyframe` compares, encodes and decides.
//! Between them stands a short queue that gives up its oldest frame when it is full, and counts it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::mpsc;

use super::encoder::Encoder;
use super::keyframe::{Decision, Gate, GateKind};
use crate::capture::screen::{Frame, FrameError, Screen, ScreenError};
use crate::capture::timebase::Timebase;
use crate::error::{ModelError, SeeingError, ThreadError};
use crate::priority;

mod stats;

use stats::{Meters, Timed};
pub use stats::{SeeingStats, Summary};

/// Frames that may wait for the `keyframe` thread, 3.7 MB each.
const CANDIDATES: usize = 6;
/// Kept frames that may wait for the episode, about 0.1–0.3 MB each.
const EVENTS: usize = 256;
/// How often the gate is asked whether the screen has settled.
const REST: Duration = Duration::from_millis(200);
/// An interval is late from this multiple of what it should be.
const LATE: f32 = 1.25;
/// Captures on damage: no two captures are closer, so at most ten a second; …
const BURST_PAUSE: Duration = Duration::from_millis(100);
/// … and not at once, because a browser draws one change in several pieces.
const DRAWING: Duration = Duration::from_millis(20);
/// How long the `screen` thread waits for damage before it looks whether it shall end.
const LOOK: Duration = Duration::from_millis(50);

pub struct SeeingConfig {
    /// Such as `:7`.
    pub display: String,
    /// Captures a second; the specification's number is 3.
    pub fps: f32,
    pub gate: GateKind,
    /// Decides the moments of the gate `random`.
    pub gate_key: u64,
    /// Captures also when something is drawn between two steady captures, at most ten a second.
    pub burst: bool,
    pub encoder: Arc<dyn Encoder>,
    /// Until it starts nothing is kept.
    pub timebase: Arc<Timebase>,
}

/// What the two threads report.
#[derive(Debug)]
pub enum SeeingEvent {
    Kept(Kept),
    /// The display went away or the encoder failed: nothing more will be kept. The text says why.
    Lost(String),
}

/// A frame that showed something new.
#[derive(Debug, Clone)]
pub struct Kept {
    /// What the gate decided; its frame is held as PNG.
    pub decision: Decision,
    /// From capture to decision.
    pub decided_after_ms: u32,
}

/// The running threads. Dropping it ends them.
pub struct Seeing {
    shared: Arc<Shared>,
    own: Mutex<Screen>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    stopping: AtomicBool,
    queue: Mutex<VecDeque<Candidate>>,
    arrived: Condvar,
    meters: Mutex<Meters>,
}

struct Candidate {
    frame: Arc<Frame>,
    /// What the comparison with the frame before took.
    compared_in: Duration,
}

impl Seeing {
    /// Starts to watch. Frames before t = 0 are compared with but not kept.
    ///
    /// # Errors
    /// When the display cannot be captured or a thread cannot be made.
    pub fn start(config: SeeingConfig) -> Result<(Self, mpsc::Receiver<SeeingEvent>), SeeingError> {
        if config.fps.is_nan() || config.fps <= 0.0 || config.fps > 60.0 {
            return Err(SeeingError::Rate);
        }
        let period = Duration::from_secs_f32(1.0 / config.fps);
        let mut screen = Screen::connect(&config.display)?;
        if config.burst {
            screen.watch_damage()?;
        }
        let own = Mutex::new(Screen::connect(&config.display)?);
        let shared = Arc::new(Shared {
            stopping: AtomicBool::new(false),
            queue: Mutex::new(VecDeque::with_capacity(CANDIDATES)),
            arrived: Condvar::new(),
            meters: Mutex::new(Meters::default()),
        });
        let (events, receiver) = mpsc::channel(EVENTS);

        let mut seeing = Self {
            shared: shared.clone(),
            own,
            threads: Vec::new(),
        };
        let encoder = Arc::new(Timed {
            encoder: config.encoder,
            shared: shared.clone(),
        });
        let gate = config.gate.build(encoder, period, config.gate_key);
        let capture = Capture {
            shared: shared.clone(),
            events: events.clone(),
            screen,
            period,
            burst: config.burst,
            every_frame: gate.wants_every_frame(),
        };
        seeing.spawn("screen", priority::CAPTURE, move || capture.run())?;
        let decide = Decide {
            shared,
            events,
            gate,
            timebase: config.timebase,
        };
        seeing.spawn("keyframe", priority::ENCODING, move || decide.run())?;
        Ok((seeing, receiver))
    }

    fn spawn(
        &mut self,
        name: &'static str,
        niceness: i32,
        body: impl FnOnce() + Send + 'static,
    ) -> Result<(), ThreadError> {
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                priority::add(niceness);
                body();
            });
        self.threads.push(thread.map_err(ThreadError::of(name))?);
        Ok(())
    }

    /// A screenshot now, over a connection of its own. Blocks for a few milliseconds.
    ///
    /// # Errors
    /// When the display has gone away.
    pub fn grab(&self) -> Result<Frame, ScreenError> {
        self.own.lock().grab()
    }

    /// What was measured so far.
    #[must_use]
    pub fn stats(&self) -> SeeingStats {
        self.shared.meters.lock().stats()
    }

    /// Ends both threads and waits for them.
    pub fn stop(self) {}
}

impl Drop for Seeing {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        self.shared.arrived.notify_all();
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

/// The `screen` thread.
struct Capture {
    shared: Arc<Shared>,
    events: mpsc::Sender<SeeingEvent>,
    screen: Screen,
    period: Duration,
    burst: bool,
    /// Whether the gate wants frames also where nothing changed.
    every_frame: bool,
}

impl Capture {
    fn run(mut self) {
        if let Err(error) = self.watch() {
            self.shared.stopping.store(true, Ordering::Relaxed);
            self.shared.arrived.notify_all();
            let _ = self.events.try_send(SeeingEvent::Lost(error.to_string()));
        }
    }

    fn watch(&mut self) -> Result<(), ScreenError> {
        let late = self.period.mul_f32(LATE);
        let mut due = Instant::now();
        let mut last: Option<Arc<Frame>> = None;
        while !self.shared.stopping() {
            let asked = Instant::now();
            let frame = Arc::new(self.screen.grab()?);
            let grabbed = Instant::now();
            let changed = last.as_ref().is_none_or(|last| !last.looks_like(&frame));
            let compared_in = grabbed.elapsed() + frame.fingerprinting();
            let handed_over = changed || self.every_frame;
            {
                let mut meters = self.shared.meters.lock();
                meters.frames += 1;
                meters
                    .grab
                    .add((grabbed - asked).saturating_sub(frame.fingerprinting()));
                if let Some(last) = &last {
                    let interval = frame.captured - last.captured;
                    meters.intervals.add(interval);
                    meters.late_intervals += u64::from(interval > late);
                }
                if !handed_over {
                    meters.gate.add(compared_in);
                }
            }
            if handed_over {
                self.hand_over(Candidate {
                    frame: frame.clone(),
                    compared_in,
                });
            }
            let captured = frame.captured;
            last = Some(frame);
            if self.burst {
                self.until_damage(captured)?;
            } else {
                // Missed: go on from now, since several captures at once would show the same thing.
                due = (due + self.period).max(Instant::now());
                self.until(due);
            }
        }
        Ok(())
    }

    fn until(&self, due: Instant) {
        while !self.shared.stopping() {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::park_timeout(left);
        }
    }

    /// Until the next steady capture, or until something was drawn, whichever comes first.
    fn until_damage(&mut self, captured: Instant) -> Result<(), ScreenError> {
        let due = captured + self.period;
        while !self.shared.stopping() && Instant::now() < due {
            let look = due.min(Instant::now() + LOOK);
            if self.screen.wait_for_damage(look)? {
                let soon = (captured + BURST_PAUSE).max(Instant::now() + DRAWING);
                self.shared.meters.lock().on_damage += u64::from(soon < due);
                self.until(due.min(soon));
                break;
            }
        }
        Ok(())
    }

    fn hand_over(&self, candidate: Candidate) {
        let mut queue = self.shared.queue.lock();
        if queue.len() == CANDIDATES {
            queue.pop_front();
            self.shared.meters.lock().dropped += 1;
        }
        queue.push_back(candidate);
        self.shared.arrived.notify_one();
    }
}

/// The `keyframe` thread.
struct Decide {
    shared: Arc<Shared>,
    events: mpsc::Sender<SeeingEvent>,
    gate: Box<dyn Gate>,
    timebase: Arc<Timebase>,
}

impl Decide {
    fn run(mut self) {
        while !self.shared.stopping() {
            if let Err(error) = self.step() {
                let _ = self
                    .events
                    .try_send(SeeingEvent::Lost(format!("keyframes: {error}")));
                return;
            }
        }
    }

    fn step(&mut self) -> Result<(), ModelError> {
        let decision = match self.next() {
            None => self.gate.rest(Instant::now())?,
            Some(Candidate { frame, compared_in }) => {
                let begun = self
                    .timebase
                    .started()
                    .is_some_and(|start| frame.captured >= start);
                let before = self.gate.pixel_time();
                let decision = if begun {
                    self.gate.offer(&frame)?
                } else {
                    self.gate.rebase(&frame);
                    None
                };
                let compared_in = compared_in + self.gate.pixel_time().saturating_sub(before);
                let mut meters = self.shared.meters.lock();
                meters.gate.add(compared_in);
                if begun {
                    meters.decision_delay.add(frame.captured.elapsed());
                }
                decision
            }
        };
        if let Some(decision) = decision {
            self.keep(decision)?;
        }
        Ok(())
    }

    /// The next frame that changed; None when nothing came for a while.
    fn next(&self) -> Option<Candidate> {
        let mut queue = self.shared.queue.lock();
        let waiting = |queue: &mut VecDeque<Candidate>| queue.is_empty() && !self.shared.stopping();
        self.shared
            .arrived
            .wait_while_for(&mut queue, waiting, REST);
        queue.pop_front()
    }

    fn keep(&mut self, mut decision: Decision) -> Result<(), FrameError> {
        let decided_after = decision.frame.captured.elapsed();
        let started = Instant::now();
        decision.frame = Arc::new(decision.frame.compact()?);
        let kept = Kept {
            decision,
            decided_after_ms: u32::try_from(decided_after.as_millis()).unwrap_or(u32::MAX),
        };
        let delivered = self.events.try_send(SeeingEvent::Kept(kept)).is_ok();
        let mut meters = self.shared.meters.lock();
        meters.compact.add(started.elapsed());
        if delivered {
            meters.kept += 1;
        } else {
            meters.undelivered += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
