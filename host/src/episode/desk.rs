//! What the session, the action queue and the episode loop share: the policy's mailbox and what was counted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use dynacu_record::{ActionCounts, EndCause, Event as Entry, Recorder};
use dynacu_runtime::types::{Action, ActionError, ActionOutcome, Completion, Sentence, StopCause};
use dynacu_runtime::{Event, Keyframe};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::Notify;

use super::describe::{describe, describe_error};
use crate::action::queue::Performed;
use crate::capture::timebase::Timebase;
use crate::inference::calls::Asker;
use crate::input::Input;
use crate::mode::Grants;
use crate::observation::Shelf;
use crate::perception::hearing::Hearing;
use crate::perception::reading::Reader;
use crate::perception::seeing::Seeing;
use crate::perception::transcript::Sentence as Heard;

/// Keyframe and sentence events that wait for a policy; beyond it the oldest go (they come with the next observation).
const NOTICES: usize = 256;
/// Keyframes that wait for the next observation.
const PENDING: usize = 512;

/// What the host asks of the episode loop on the session's behalf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Done,
    StepLimit,
    /// A model call showed that the episode cannot go on.
    End(EndCause, String),
}

/// Everything that the session, the action queue and the episode loop share.
pub struct Desk {
    pub timebase: Arc<Timebase>,
    pub recorder: Recorder,
    pub grants: Grants,
    pub reading: Option<Arc<Reader>>,
    pub shelf: Arc<Shelf>,
    pub seeing: Seeing,
    pub hearing: Hearing,
    /// A second connection: the first one acts, on its own thread.
    pub pointer: Input,
    pub wishes: tokio::sync::mpsc::Sender<Wish>,
    pub policy: String,
    pub(super) changed: Notify,
    pub(super) steps: AtomicU32,
    /// CPU time of the policy's thread when it last asked something of the host.
    policy_cpu_ms: AtomicU64,
    mail: Mutex<Mail>,
}

/// The policy's mailbox and the episode's counts.
#[derive(Default)]
pub(super) struct Mail {
    pub(super) outcomes: VecDeque<ActionOutcome>,
    pub(super) outstanding: usize,
    pub(super) completions: VecDeque<Completion>,
    pub(super) notices: VecDeque<Event>,
    pub(super) pending: Vec<Keyframe>,
    pub(super) pending_dropped: u32,
    pub(super) subscribed: bool,
    pub(super) stop: Option<StopCause>,
    pub(super) counts: ActionCounts,
    pub(super) speech_latency_ms: Vec<u64>,
    pub(super) spoken: u32,
    pub(super) observe_ms: Vec<u64>,
    pub(super) asr_ms: Vec<u64>,
}

/// What the session counted.
pub struct Tally {
    pub steps: u32,
    pub counts: ActionCounts,
    pub spoken: u32,
    pub speech_latency_ms: Vec<u64>,
    pub observe_ms: Vec<u64>,
    pub asr_ms: Vec<u64>,
}

/// The pieces that [`Desk::new`] puts together.
pub struct Parts {
    pub timebase: Arc<Timebase>,
    pub recorder: Recorder,
    pub grants: Grants,
    pub reading: Option<Arc<Reader>>,
    pub shelf: Arc<Shelf>,
    pub seeing: Seeing,
    pub hearing: Hearing,
    /// A second connection: the first one acts, on its own thread.
    pub pointer: Input,
    pub wishes: tokio::sync::mpsc::Sender<Wish>,
    pub policy: String,
}

impl Desk {
    #[must_use]
    pub fn new(parts: Parts) -> Arc<Desk> {
        let Parts {
            timebase,
            recorder,
            grants,
            reading,
            shelf,
            seeing,
            hearing,
            pointer,
            wishes,
            policy,
        } = parts;
        Arc::new(Desk {
            timebase,
            recorder,
            grants,
            reading,
            shelf,
            seeing,
            hearing,
            pointer,
            wishes,
            policy,
            mail: Mutex::default(),
            changed: Notify::new(),
            steps: AtomicU32::new(0),
            policy_cpu_ms: AtomicU64::new(0),
        })
    }

    /// The hearing alone, to be stopped; capture ends here.
    pub fn into_hearing(self) -> Hearing {
        self.seeing.stop();
        self.hearing
    }

    /// Call it on the policy's thread: notes how much that has computed.
    pub(super) fn policy_asks(&self) {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let millis = u64::try_from(time.tv_sec).unwrap_or(0) * 1000
            + u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000_000;
        self.policy_cpu_ms.store(millis, Ordering::Relaxed);
    }

    /// CPU time of the policy's thread up to its last call, milliseconds.
    pub(super) fn policy_cpu_ms(&self) -> u64 {
        self.policy_cpu_ms.load(Ordering::Relaxed)
    }

    pub(super) fn mail(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last event of every policy: from now on nothing can be seen or done.
    pub fn stop(&self, cause: StopCause) {
        self.mail().stop.get_or_insert(cause);
        self.changed.notify_waiters();
    }

    pub(super) fn stopped(&self) -> Option<StopCause> {
        self.mail().stop
    }

    /// An action came to its end.
    pub fn performed(&self, performed: Performed) {
        let now = self.timebase.now();
        let what = serde_json::Value::String(describe(&performed.action));
        let done = matches!(
            (&performed.action, &performed.outcome),
            (Action::Done, Ok(_))
        );
        // As fast as a guest likes: its actions wait for the disk where the host's own events must not.
        match &performed.outcome {
            Ok(receipt) => self.recorder.event_waiting(
                now,
                Entry::ActionDone {
                    action: performed.id,
                    what,
                    started_at: receipt.started_at,
                    ended_at: receipt.ended_at,
                },
            ),
            Err(error) => self.recorder.event_waiting(
                now,
                Entry::ActionFailed {
                    action: performed.id,
                    what,
                    error: describe_error(error),
                },
            ),
        }
        let mut mail = self.mail();
        let counts = &mut mail.counts;
        match &performed.outcome {
            Ok(_) => counts.done += 1,
            Err(ActionError::OffScreen(_)) => counts.off_screen += 1,
            Err(ActionError::ForbiddenKey(_)) => counts.forbidden += 1,
            Err(ActionError::UnknownKey(_)) => counts.unknown_key += 1,
            Err(ActionError::NotGranted(_)) => counts.not_granted += 1,
            Err(ActionError::Cancelled) => counts.cancelled += 1,
            Err(ActionError::Other(_)) => counts.failed += 1,
        }
        if let Some(latency) = performed.speech_latency_ms {
            mail.spoken += 1;
            mail.speech_latency_ms.push(latency);
        }
        mail.outcomes.push_back(ActionOutcome {
            action: performed.id,
            outcome: performed.outcome,
        });
        drop(mail);
        self.changed.notify_waiters();
        if done {
            // A full channel means that a wish is already waiting, and the first one decides.
            let _ = self.wishes.try_send(Wish::Done);
        }
    }

    /// A frame was kept; `None` where the mode has no keyframes, so that nothing can reach the policy by mistake.
    pub fn kept(&self, keyframe: impl Fn() -> Keyframe) {
        if !self.grants.keyframes {
            return;
        }
        let mut mail = self.mail();
        if mail.pending.len() >= PENDING {
            mail.pending.remove(0);
            mail.pending_dropped += 1;
        }
        mail.pending.push(keyframe());
        if mail.subscribed {
            mail.notice(Event::Keyframe(keyframe()));
            drop(mail);
            self.changed.notify_waiters();
        }
    }

    /// A sentence became final.
    pub fn heard(&self, sentence: &Heard) {
        if !self.grants.audio {
            return;
        }
        let mut mail = self.mail();
        if mail.subscribed {
            mail.notice(Event::Sentence(to_policy(sentence)));
            drop(mail);
            self.changed.notify_waiters();
        }
    }

    #[must_use]
    pub fn tally(&self) -> Tally {
        let mail = self.mail();
        Tally {
            steps: self.steps.load(Ordering::Relaxed),
            counts: mail.counts.clone(),
            spoken: mail.spoken,
            speech_latency_ms: mail.speech_latency_ms.clone(),
            observe_ms: mail.observe_ms.clone(),
            asr_ms: mail.asr_ms.clone(),
        }
    }
}

impl Mail {
    fn notice(&mut self, event: Event) {
        if self.notices.len() >= NOTICES {
            self.notices.pop_front();
        }
        self.notices.push_back(event);
    }

    pub(super) fn take(&mut self) -> Option<Event> {
        if let Some(outcome) = self.outcomes.pop_front() {
            self.outstanding = self.outstanding.saturating_sub(1);
            return Some(Event::Action(outcome));
        }
        if let Some(completion) = self.completions.pop_front() {
            return Some(Event::Completion(completion));
        }
        // Outcomes come first, so that a policy learns what its last actions did before it learns that all is over.
        if let Some(cause) = self.stop {
            return Some(Event::Stop(cause));
        }
        self.notices.pop_front()
    }
}

/// The desk as its model calls see it. Weak: the episode's end takes the desk apart, whoever still waits for an answer.
pub struct ModelCalls(pub Weak<Desk>);

impl Asker for ModelCalls {
    fn step(&self) -> u32 {
        self.0
            .upgrade()
            .map_or(0, |desk| desk.steps.load(Ordering::Relaxed))
    }

    fn deliver(&self, completion: Completion) {
        if let Some(desk) = self.0.upgrade() {
            desk.mail().completions.push_back(completion);
            desk.changed.notify_waiters();
        }
    }

    fn end(&self, cause: EndCause, detail: String) {
        if let Some(desk) = self.0.upgrade() {
            // A full channel means that a wish is already waiting, and the first one decides.
            let _ = desk.wishes.try_send(Wish::End(cause, detail));
        }
    }
}

/// A sentence as policies get it.
pub fn to_policy(sentence: &Heard) -> Sentence {
    Sentence {
        started_at: sentence.started_at,
        ended_at: sentence.ended_at,
        text: sentence.text.clone(),
        confidence: sentence.confidence,
        is_final: sentence.is_final,
        starts_turn: sentence.starts_turn,
    }
}
