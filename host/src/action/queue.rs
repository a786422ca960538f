//! Actions in order, one at a time, on a thread of their own: the X server and the microphone are real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use dynacu_runtime::ActionReceipt;
use dynacu_runtime::types::{Action, ActionError, Point};
use tokio::sync::mpsc;

use super::validate;
use crate::capture::timebase::Timebase;
use crate::input::{Input, keymap};
use crate::mode::Grants;
use crate::processor;
use crate::speech::Voice;
use crate::speech::playback::Microphone;

/// Batches that may wait; a policy that queues more waits itself.
const BATCHES: usize = 8;
/// How finely a wait or a cut is noticed.
const SLICE: Duration = Duration::from_millis(10);

/// What became of one action.
#[derive(Debug, Clone)]
pub struct Performed {
    pub id: u64,
    pub action: Action,
    pub outcome: Result<ActionReceipt, ActionError>,
    /// For `speak`: from the action's start to the first sample played, milliseconds.
    pub speech_latency_ms: Option<u64>,
    /// Processor time of making the speech.
    pub synthesis: Duration,
}

/// Threads of the voice's model (`speech::piper`); each works as long as the one that asks.
const VOICE_THREADS: u32 = 2;

struct Batch {
    first: u64,
    actions: Vec<Action>,
}

struct Shared {
    /// Cuts the action in progress.
    cut: AtomicBool,
    /// Actions with smaller ids are cancelled.
    abort_before: AtomicU64,
    next: AtomicU64,
    closed: AtomicBool,
    /// Ends a gesture of the pointer or the keyboard in the middle; only the episode's end does that.
    interrupt: Arc<AtomicBool>,
}

impl Shared {
    fn cancelled(&self, id: u64) -> bool {
        self.closed.load(Ordering::SeqCst) || id < self.abort_before.load(Ordering::SeqCst)
    }
}

/// A handle to the queue; clones queue into the same one.
#[derive(Clone)]
pub struct ActionQueue {
    batches: mpsc::Sender<Batch>,
    shared: Arc<Shared>,
}

/// What the queue acts with.
pub struct Hands {
    pub input: Input,
    pub microphone: Arc<Microphone>,
    pub voice: Arc<dyn Voice>,
    pub timebase: Arc<Timebase>,
    pub grants: Grants,
}

impl ActionQueue {
    /// Starts the thread `action`. It ends, and releases every key and button, when the queue is closed and all
    /// handles are gone.
    pub fn start(
        hands: Hands,
        mut performed: impl FnMut(Performed) + Send + 'static,
    ) -> std::io::Result<(ActionQueue, JoinHandle<()>)> {
        let (batches, mut waiting) = mpsc::channel::<Batch>(BATCHES);
        let shared = Arc::new(Shared {
            cut: AtomicBool::new(false),
            abort_before: AtomicU64::new(0),
            next: AtomicU64::new(1),
            closed: AtomicBool::new(false),
            interrupt: hands.input.interrupt(),
        });
        let queue = ActionQueue {
            batches,
            shared: Arc::clone(&shared),
        };
        let thread = std::thread::Builder::new()
            .name("action".to_owned())
            .spawn(move || {
                let mut hands = hands;
                while let Some(batch) = waiting.blocking_recv() {
                    let mut failed = false;
                    for (id, action) in (batch.first..).zip(batch.actions) {
                        // The flag is cleared before the ids are looked at, so that an abort in between is not forgotten.
                        shared.cut.store(false, Ordering::SeqCst);
                        let before = processor::thread_time();
                        let (outcome, speech_latency_ms) = if failed || shared.cancelled(id) {
                            (Err(ActionError::Cancelled), None)
                        } else {
                            hands.perform(&action, &shared.cut)
                        };
                        let synthesis = match &action {
                            Action::Speak { .. } => processor::thread_time() - before,
                            _ => Duration::ZERO,
                        };
                        failed |= outcome.is_err();
                        performed(Performed {
                            id,
                            action,
                            outcome,
                            speech_latency_ms,
                            synthesis: synthesis * VOICE_THREADS,
                        });
                    }
                }
                if let Err(error) = hands.input.release_all() {
                    tracing::warn!("cannot release keys and buttons: {error:#}");
                }
            })?;
        Ok((queue, thread))
    }

    /// Queues one batch and returns its ids. Waits where too many batches are queued.
    pub async fn perform(&self, actions: Vec<Action>) -> Vec<u64> {
        let count = actions.len() as u64;
        let first = self.shared.next.fetch_add(count, Ordering::SeqCst);
        // A closed queue only happens at the episode's end, when nobody waits for outcomes any more.
        let _ = self.batches.send(Batch { first, actions }).await;
        (first..first + count).collect()
    }

    /// Cancels everything queued so far and cuts a `wait` or `speak` in progress.
    pub fn abort(&self) {
        self.shared
            .abort_before
            .store(self.shared.next.load(Ordering::SeqCst), Ordering::SeqCst);
        self.shared.cut.store(true, Ordering::SeqCst);
    }

    /// Cancels everything now and from now on.
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.shared.cut.store(true, Ordering::SeqCst);
        self.shared.interrupt.store(true, Ordering::SeqCst);
    }
}

impl Hands {
    fn perform(
        &mut self,
        action: &Action,
        cut: &AtomicBool,
    ) -> (Result<ActionReceipt, ActionError>, Option<u64>) {
        let started_at = self.timebase.now();
        let mut latency = None;
        let result = validate::check(action, self.grants.speech)
            .and_then(|()| self.act(action, started_at, &mut latency, cut));
        (
            result.map(|()| ActionReceipt {
                started_at,
                ended_at: self.timebase.now(),
            }),
            latency,
        )
    }

    fn act(
        &mut self,
        action: &Action,
        started_at: u64,
        latency: &mut Option<u64>,
        cut: &AtomicBool,
    ) -> Result<(), ActionError> {
        let input = &mut self.input;
        match action {
            Action::Click { at, button, count } => input.click(at.x, at.y, *button, *count),
            Action::Move { to } => input.move_pointer(to.x, to.y),
            Action::Drag { start, end } => input.drag((*start).into(), (*end).into()),
            Action::Scroll {
                at,
                direction,
                amount,
            } => input.scroll(at.map(Point::into), *direction, *amount),
            Action::Key { combo } => input.key(&keymap::parse(combo)?),
            Action::Type { text } => input.type_text(text),
            Action::Speak { text } => return self.speak(text, started_at, latency, cut),
            Action::Wait { ms } => return wait(Duration::from_millis(*ms), cut),
            Action::Done => Ok(()),
        }
        .map_err(|error| other(&error))
    }

    fn speak(
        &self,
        text: &str,
        started_at: u64,
        latency: &mut Option<u64>,
        cut: &AtomicBool,
    ) -> Result<(), ActionError> {
        let sound = self.voice.synthesize(text).map_err(|error| other(&error))?;
        if cut.load(Ordering::SeqCst) {
            return Err(ActionError::Cancelled);
        }
        let played = self
            .microphone
            .play(&sound, cut)
            .map_err(|error| other(&error))?;
        *latency = Some(played.started_at.saturating_sub(started_at));
        if played.cut {
            Err(ActionError::Cancelled)
        } else {
            Ok(())
        }
    }
}

fn wait(time: Duration, cut: &AtomicBool) -> Result<(), ActionError> {
    let until = Instant::now() + time;
    while Instant::now() < until {
        if cut.load(Ordering::SeqCst) {
            return Err(ActionError::Cancelled);
        }
        std::thread::sleep(SLICE.min(until.saturating_duration_since(Instant::now())));
    }
    Ok(())
}

/// A fault of the host, with what stands behind it.
fn other(error: &(impl std::fmt::Display + ?Sized)) -> ActionError {
    ActionError::Other {
        reason: format!("{error:#}"),
    }
}
