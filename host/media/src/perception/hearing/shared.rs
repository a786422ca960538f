//! What the capturing thread, the asking task and the chain's thread share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use super::Heard;
use super::stats::{HearingStats, HearingTimes};
use crate::capture::ring::Ring;
use crate::perception::voice_activity::WINDOW;

/// Observations that may wait at once; there is one policy.
const QUESTIONS: usize = 8;
/// An answer may lack this much of what is being said at the moment (samples, 250 ms); it comes with the next one.
pub(super) const FRESH: u64 = 4000;

pub(super) struct Shared {
    inbox: Mutex<Inbox>,
    news: Condvar,
    stats: Mutex<HearingStats>,
    times: Mutex<HearingTimes>,
    /// Whether an utterance is open.
    open: AtomicBool,
    /// The position up to which windows have been judged and their utterances reported.
    judged: AtomicU64,
    /// The position up to which the pass hears that may be interrupted now; 0 if there is none.
    passing: AtomicU64,
    /// Samples come when the chain has taken the ones before: no machine is too slow.
    pub(super) unhurried: AtomicBool,
    /// Ends that pass.
    pub(super) interrupt: AtomicBool,
}

pub(super) struct Inbox {
    ring: Ring,
    questions: Vec<Question>,
    ending: bool,
}

/// Somebody waits for both layers.
pub(super) struct Question {
    pub since_ms: u64,
    pub asked: Instant,
    /// The position up to which sound was there.
    pub position: u64,
    pub answer: oneshot::Sender<Heard>,
}

impl Shared {
    pub(super) fn new(ring_seconds: u32, gap_after: Duration) -> Self {
        Self {
            inbox: Mutex::new(Inbox {
                ring: Ring::new(ring_seconds, gap_after),
                questions: Vec::new(),
                ending: false,
            }),
            news: Condvar::new(),
            stats: Mutex::default(),
            times: Mutex::default(),
            open: AtomicBool::new(false),
            judged: AtomicU64::new(0),
            passing: AtomicU64::new(0),
            unhurried: AtomicBool::new(false),
            interrupt: AtomicBool::new(false),
        }
    }

    /// Takes samples; never waits for the chain.
    pub(super) fn push(&self, at: Instant, samples: &[f32]) {
        let mut inbox = self.inbox.lock();
        inbox.ring.push(at, samples);
        drop(inbox);
        self.news.notify_one();
    }

    /// Both layers, as soon as the chain gets to it; none once hearing has ended.
    pub(super) fn ask(&self, since_ms: u64) -> Option<oneshot::Receiver<Heard>> {
        let (answer, receiver) = oneshot::channel();
        let mut inbox = self.inbox.lock();
        if inbox.ending || inbox.questions.len() >= QUESTIONS {
            return None;
        }
        let position = inbox.ring.end();
        inbox.questions.push(Question {
            since_ms,
            asked: Instant::now(),
            position,
            answer,
        });
        // A pass that hears nearly everything is waited for; another one is in the way of the one that does.
        let passing = self.passing.load(Ordering::SeqCst);
        if passing != 0 && passing + FRESH < position {
            self.interrupt.store(true, Ordering::SeqCst);
        }
        drop(inbox);
        self.news.notify_one();
        Some(receiver)
    }

    /// Sleeps until there is a window to judge after `judged`, a question or the end.
    pub(super) fn wait(&self, judged: u64) -> (Vec<Question>, bool) {
        let nothing_new = |inbox: &mut Inbox| {
            !inbox.ending && inbox.questions.is_empty() && inbox.ring.end() < judged + WINDOW as u64
        };
        let mut inbox = self.inbox.lock();
        self.news.wait_while(&mut inbox, nothing_new);
        (std::mem::take(&mut inbox.questions), inbox.ending)
    }

    /// A pass begins that hears up to a position and may be interrupted; false if somebody waits already.
    pub(super) fn begin_pass(&self, heard: u64) -> bool {
        // Under the lock under which questions are asked: one either is seen here or sees the pass.
        let inbox = self.inbox.lock();
        self.interrupt.store(false, Ordering::SeqCst);
        self.passing.store(heard, Ordering::SeqCst);
        inbox.questions.is_empty()
    }

    pub(super) fn end_pass(&self) {
        self.passing.store(0, Ordering::SeqCst);
        self.interrupt.store(false, Ordering::SeqCst);
    }

    pub(super) fn judged(&self, position: u64, open: bool) {
        self.open.store(open, Ordering::SeqCst);
        self.judged.store(position, Ordering::SeqCst);
    }

    /// Whether somebody is speaking, or something said may not have been reported yet.
    pub(super) fn busy(&self) -> bool {
        let waiting = self
            .with_ring(|ring| ring.end())
            .saturating_sub(self.judged.load(Ordering::SeqCst));
        self.open.load(Ordering::SeqCst) || waiting >= 2 * WINDOW as u64
    }

    /// Whether all windows that are there have been judged.
    pub(super) fn caught_up(&self) -> bool {
        let end = self.with_ring(|ring| ring.end());
        end < self.judged.load(Ordering::SeqCst) + WINDOW as u64
    }

    pub(super) fn end(&self) {
        self.inbox.lock().ending = true;
        self.news.notify_one();
    }

    pub(super) fn with_ring<T>(&self, use_it: impl FnOnce(&mut Ring) -> T) -> T {
        use_it(&mut self.inbox.lock().ring)
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut HearingStats)) {
        change(&mut self.stats.lock());
    }

    pub(super) fn time(&self, change: impl FnOnce(&mut HearingTimes)) {
        change(&mut self.times.lock());
    }

    pub(super) fn stats(&self) -> HearingStats {
        let mut stats = *self.stats.lock();
        (stats.samples, stats.gaps) = self.with_ring(|ring| (ring.end(), ring.gaps().len() as u32));
        stats
    }

    pub(super) fn times(&self) -> HearingTimes {
        self.times.lock().clone()
    }
}
