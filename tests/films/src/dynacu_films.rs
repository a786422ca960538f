//! Small drawn films with known events, to say what each gate keeps of them.
//!
//! They are the same on every machine, need no desktop and play as fast as the gate decides; the tests hold the gates to them.

#![warn(unreachable_pub)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use dynacu_media::capture::screen::Frame;
use dynacu_media::error::ModelError;
use dynacu_media::perception::encoder::Encoder;
use dynacu_media::perception::keyframe::{Gate, GateKind};

mod canvas;
mod scenes;

use canvas::Canvas;
pub use scenes::{Graded, all, noise, wall};

/// Something that is on the screen, from and until so many seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    pub from: f32,
    pub until: f32,
}

type Draw = dyn Fn(&mut Canvas, f32) + Send;

pub struct Film {
    pub name: &'static str,
    pub seconds: f32,
    pub events: Vec<Event>,
    draw: Box<Draw>,
}

/// A frame that a gate kept: when it was captured, in seconds, and whether it was kept as settled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    pub at: f32,
    pub settled: bool,
}

impl Film {
    fn new(
        name: &'static str,
        seconds: f32,
        events: Vec<Event>,
        draw: impl Fn(&mut Canvas, f32) + Send + 'static,
    ) -> Self {
        Self {
            name,
            seconds,
            events,
            draw: Box::new(draw),
        }
    }

    /// What a capture thread would see: a frame every `interval`.
    #[must_use]
    pub fn steady(&self, interval: Duration) -> Vec<f32> {
        let count = (self.seconds / interval.as_secs_f32()) as u32;
        (0..count)
            .map(|index| index as f32 * interval.as_secs_f32())
            .collect()
    }

    /// The same with captures on damage, where only the events change the picture.
    #[must_use]
    pub fn with_burst(&self, interval: Duration) -> Vec<f32> {
        const AFTER_DAMAGE: f32 = 0.02;
        const PAUSE: f32 = 0.1;
        let mut changes: Vec<f32> = self
            .events
            .iter()
            .flat_map(|event| [event.from, event.until])
            .collect();
        changes.sort_by(f32::total_cmp);
        let (mut times, mut now) = (Vec::new(), 0.0);
        while now < self.seconds {
            times.push(now);
            let due = now + interval.as_secs_f32();
            let damage = changes
                .iter()
                .find(|change| **change > now && **change < due);
            now = damage.map_or(due, |change| (change + AFTER_DAMAGE).max(now + PAUSE));
        }
        times
    }

    /// Shows the frames of these times to a gate, as the two threads would.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn play(
        &self,
        kind: GateKind,
        encoder: &Arc<dyn Encoder>,
        interval: Duration,
        times: &[f32],
    ) -> Result<Vec<Kept>, ModelError> {
        let mut gate = kind.build(Arc::clone(encoder), interval, 1);
        self.show(&mut *gate, times)
    }

    /// The same to a gate that is made already.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn show(&self, gate: &mut dyn Gate, times: &[f32]) -> Result<Vec<Kept>, ModelError> {
        let (page, start) = (Canvas::page(), Instant::now());
        let mut last: Option<Arc<Frame>> = None;
        let mut kept = Vec::new();
        for &at in times {
            let mut picture = page.clone();
            (self.draw)(&mut picture, at);
            let captured = start + Duration::from_secs_f32(at);
            let frame = Arc::new(Frame::from_rgb(captured, &picture.0));
            let same = last.as_ref().is_some_and(|last| last.looks_like(&frame));
            let decision = match &last {
                None => {
                    gate.rebase(&frame);
                    None
                }
                Some(_) if same && !gate.wants_every_frame() => gate.rest(captured)?,
                Some(_) => gate.offer(&frame)?,
            };
            kept.extend(decision.map(|decision| {
                Kept {
                    at: decision
                        .frame
                        .captured
                        .saturating_duration_since(start)
                        .as_secs_f32(),
                    settled: decision.settled,
                }
            }));
            last = Some(frame);
        }
        Ok(kept)
    }

    /// How many events have a kept frame that shows them.
    #[must_use]
    pub fn seen(&self, kept: &[Kept]) -> usize {
        self.events.iter().filter(|event| event.is_in(kept)).count()
    }
}

impl Event {
    /// Whether a kept frame was captured while it was on the screen.
    #[must_use]
    pub fn is_in(&self, kept: &[Kept]) -> bool {
        kept.iter()
            .any(|kept| (self.from..self.until).contains(&kept.at))
    }
}
