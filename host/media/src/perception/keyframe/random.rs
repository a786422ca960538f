//! As many frames as `local` keeps, at random times: shows what it is worth to choose the moments.
//!
//! A gate does not know how many frames `local` will keep before the episode is over. So time is cut into windows, and each
//! frame that `local` kept in one window is answered by a frame at a random moment of the next. The moments know nothing of
//! what the screen shows then; what `local` keeps in the last window is not answered.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::local::Local;
use super::uniform::Kept;
use super::{Decision, Gate};
use crate::capture::screen::Frame;
use crate::error::ModelError;

/// As long as the usual pause between two observations.
const WINDOW: Duration = Duration::from_secs(5);

pub(crate) struct Random {
    local: Local,
    draws: Draws,
    /// The last frame offered.
    last: Option<Arc<Frame>>,
    window: Option<Instant>,
    /// What `local` kept in this window.
    owed: u32,
    /// Moments of this window, the earliest first.
    due: VecDeque<Instant>,
    kept: Kept,
}

impl Random {
    pub(crate) fn new(local: Local, key: u64) -> Self {
        Self {
            local,
            draws: Draws(key),
            last: None,
            window: None,
            owed: 0,
            due: VecDeque::new(),
            kept: Kept::default(),
        }
    }

    fn advance(&mut self, now: Instant) {
        let mut window = *self.window.get_or_insert(now);
        while now >= window + WINDOW {
            window += WINDOW;
            let drawn = (0..std::mem::take(&mut self.owed))
                .map(|_| window + WINDOW.mul_f64(self.draws.next()))
                .collect::<Vec<_>>();
            self.due.extend(drawn);
            self.due.make_contiguous().sort_unstable();
        }
        self.window = Some(window);
    }
}

impl Gate for Random {
    fn wants_every_frame(&self) -> bool {
        true
    }

    fn rebase(&mut self, frame: &Arc<Frame>) {
        self.last = Some(frame.clone());
        self.local.rebase(frame);
        self.kept.rebase(frame);
    }

    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>, ModelError> {
        self.advance(frame.captured);
        let last = self.last.replace(frame.clone());
        let same = last.is_some_and(|last| last.looks_like(frame));
        let chosen = if same {
            self.local.rest(frame.captured)?
        } else {
            self.local.offer(frame)?
        };
        self.owed += u32::from(chosen.is_some());
        // Of several moments between two frames the later ones take the frames that follow: the count stays right.
        if self.due.front().is_none_or(|due| *due > frame.captured) {
            return Ok(None);
        }
        self.due.pop_front();
        Ok(Some(self.kept.keep(frame)))
    }

    fn rest(&mut self, _now: Instant) -> Result<Option<Decision>, ModelError> {
        Ok(None)
    }

    fn pixel_time(&self) -> Duration {
        self.local.pixel_time() + self.kept.pixel_time
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): evenly spread numbers from a key; no secret depends on them.
struct Draws(u64);

impl Draws {
    /// From 0 up to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
