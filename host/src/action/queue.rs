//! Actions in order, one at a time, on a thread of their own: the X server and the microphone are real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use dynacu_runtime::types::{
    Action, ActionError, ActionReceipt, MouseButton, Point, ScrollDirection,
};
use tokio::sync::mpsc;

use super::validate::{self, Proposed, Refusal};
use crate::capture::timebase::Timebase;
use crate::input::{self, Input, keymap};
use crate::mode::Grants;
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
}

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
                        let (outcome, speech_latency_ms) = if failed || shared.cancelled(id) {
                            (Err(ActionError::Cancelled), None)
                        } else {
                            hands.perform(&action, &shared.cut)
                        };
                        failed |= outcome.is_err();
                        performed(Performed {
                            id,
                            action,
                            outcome,
                            speech_latency_ms,
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
        let result = check(action, self.grants).and_then(|()| match action {
            Action::Speak(text) => self.speak(text, started_at, &mut latency, cut),
            Action::Wait(milliseconds) => wait(Duration::from_millis(*milliseconds), cut),
            Action::Done => Ok(()),
            other => self.point_or_type(other),
        });
        (
            result.map(|()| ActionReceipt {
                started_at,
                ended_at: self.timebase.now(),
            }),
            latency,
        )
    }

    fn point_or_type(&mut self, action: &Action) -> Result<(), ActionError> {
        let input = &mut self.input;
        match action {
            Action::Click(click) => {
                let button = match click.button {
                    MouseButton::Left => input::Button::Left,
                    MouseButton::Middle => input::Button::Middle,
                    MouseButton::Right => input::Button::Right,
                };
                input.click(click.at.x, click.at.y, button, click.count)
            }
            Action::MovePointer(point) => input.move_pointer(point.x, point.y),
            Action::Drag(drag) => input.drag(pair(drag.start), pair(drag.end)),
            Action::Scroll(scroll) => {
                let direction = match scroll.direction {
                    ScrollDirection::Up => input::Direction::Up,
                    ScrollDirection::Down => input::Direction::Down,
                    ScrollDirection::Left => input::Direction::Left,
                    ScrollDirection::Right => input::Direction::Right,
                };
                input.scroll(scroll.at.map(pair), direction, scroll.amount)
            }
            Action::Key(chord) => {
                let chord = keymap::parse(chord).map_err(|error| refused(error.into()))?;
                input.key(&chord)
            }
            Action::TypeText(text) => input.type_text(text),
            Action::Speak(_) | Action::Wait(_) | Action::Done => Ok(()),
        }
        .map_err(|error| ActionError::Other(error.to_string()))
    }

    fn speak(
        &self,
        text: &str,
        started_at: u64,
        latency: &mut Option<u64>,
        cut: &AtomicBool,
    ) -> Result<(), ActionError> {
        let failed = |error: anyhow::Error| ActionError::Other(format!("{error:#}"));
        let sound = self.voice.synthesize(text).map_err(failed)?;
        if cut.load(Ordering::SeqCst) {
            return Err(ActionError::Cancelled);
        }
        let played = self.microphone.play(&sound, cut).map_err(failed)?;
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

fn pair(point: Point) -> (i32, i32) {
    (point.x, point.y)
}

fn check(action: &Action, grants: Grants) -> Result<(), ActionError> {
    let proposed = match action {
        Action::Click(click) => Proposed::Click {
            at: pair(click.at),
            count: click.count,
        },
        Action::MovePointer(point) => Proposed::Move { to: pair(*point) },
        Action::Drag(drag) => Proposed::Drag {
            start: pair(drag.start),
            end: pair(drag.end),
        },
        Action::Scroll(scroll) => Proposed::Scroll {
            at: scroll.at.map(pair),
            notches: scroll.amount,
        },
        Action::TypeText(text) => Proposed::Type { text },
        Action::Key(chord) => Proposed::Key { chord },
        Action::Speak(text) => Proposed::Speak { text },
        Action::Wait(_) | Action::Done => Proposed::Pause,
    };
    validate::check(&proposed, grants.speech).map_err(refused)
}

fn refused(refusal: Refusal) -> ActionError {
    match refusal {
        Refusal::OffScreen(x, y) => ActionError::OffScreen(Point { x, y }),
        Refusal::UnknownKey(key) => ActionError::UnknownKey(key),
        Refusal::ForbiddenKey(chord) => ActionError::ForbiddenKey(chord),
        Refusal::NotGranted(what) => ActionError::NotGranted(what),
        Refusal::Other(text) => ActionError::Other(text),
    }
}
