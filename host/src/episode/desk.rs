//! What the session, the action queue and the episode loop share: the policy's mailbox and what was counted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use dynacu_record::{ActionCounts, EndCause, Event, Recorder};
use dynacu_runtime::types::{Action, ActionError, Sentence, StopCause};
use dynacu_runtime::{ActionOutcome, Completion, Keyframe, SessionEvent};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::processor::Processor;
use crate::action::queue::Performed;
use crate::capture::timebase::Timebase;
use crate::inference::calls::Asker;
use crate::input::Input;
use crate::mode::Grants;
use crate::observation::{self, Shelf};
use crate::perception::hearing::Hearing;
use crate::perception::reading::Reader;
use crate::perception::seeing::{Kept, Seeing};

/// Keyframe and sentence events that wait for a policy; beyond it the oldest go (they come with the next observation).
const NOTICES: usize = 256;
/// Keyframes that wait for the next observation.
const PENDING: usize = 512;

/// What the host asks of the episode loop on the session's behalf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    Done,
    StepLimit,
    /// A model call showed that the episode cannot go on.
    End(EndCause, String),
}

impl Request {
    /// The screen or its pointer cannot be read any more.
    pub(super) fn screen_lost(error: &(impl std::fmt::Display + ?Sized)) -> Request {
        Request::End(EndCause::ScreenLost, format!("{error:#}"))
    }

    /// A picture that belongs into the record could not be encoded.
    pub(super) fn picture_lost(why: &str) -> Request {
        Request::End(
            EndCause::RecordLost,
            format!("a picture could not be encoded: {why}"),
        )
    }
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
    pub requests: tokio::sync::mpsc::Sender<Request>,
    pub policy: String,
    /// The task's solution script, for a policy that has that assist; the inner one is none where the task has no script.
    pub solution: Option<Option<String>>,
    pub mailbox: Mailbox,
    pub(super) processor: Processor,
}

/// What waits for the policy, and what was counted.
#[derive(Default)]
pub struct Mailbox {
    pub(super) changed: Notify,
    pub(super) steps: AtomicU32,
    mail: Mutex<Mail>,
}

/// The policy's mailbox and the episode's counts.
#[derive(Default)]
pub(super) struct Mail {
    pub(super) outcomes: VecDeque<ActionOutcome>,
    pub(super) outstanding: usize,
    pub(super) completions: VecDeque<Completion>,
    pub(super) notices: VecDeque<SessionEvent>,
    pub(super) pending: Vec<Keyframe>,
    pub(super) pending_dropped: u32,
    pub(super) subscribed: bool,
    pub(super) stop: Option<StopCause>,
    pub(super) counts: ActionCounts,
    pub(super) speech_latency_ms: Vec<u64>,
    pub(super) spoken: u32,
    pub(super) observe_ms: Vec<u64>,
    /// Waits of observations for their sound: when they were over, and how long they were.
    pub(super) tails: Vec<(u64, u64)>,
}

/// What the session counted.
pub struct Tally {
    pub steps: u32,
    pub counts: ActionCounts,
    pub spoken: u32,
    pub speech_latency_ms: Vec<u64>,
    pub observe_ms: Vec<u64>,
    /// Waits of observations for their sound: when they were over, and how long they were (ms).
    pub tails: Vec<(u64, u64)>,
}

impl Desk {
    /// The hearing alone, to be stopped; capture ends here.
    pub fn into_hearing(self) -> Hearing {
        self.seeing.stop();
        self.hearing
    }

    pub(super) fn mail(&self) -> MutexGuard<'_, Mail> {
        self.mailbox.mail.lock()
    }

    /// The last event of every policy: from now on nothing can be seen or done.
    pub fn stop(&self, cause: StopCause) {
        self.mail().stop.get_or_insert(cause);
        self.mailbox.changed.notify_waiters();
    }

    pub(super) fn stopped(&self) -> Option<StopCause> {
        self.mail().stop
    }

    /// An action came to its end.
    pub fn performed(&self, performed: Performed) {
        let now = self.timebase.now();
        self.processor.elsewhere(performed.synthesis);
        let done = matches!(
            (&performed.action, &performed.outcome),
            (Action::Done, Ok(_))
        );
        let event = match &performed.outcome {
            Ok(receipt) => Event::ActionDone {
                id: performed.id,
                action: performed.action,
                started_at: receipt.started_at,
                ended_at: receipt.ended_at,
            },
            Err(error) => Event::ActionFailed {
                id: performed.id,
                action: performed.action,
                error: error.clone(),
            },
        };
        // As fast as a guest likes: its actions wait for the disk where the host's own events must not.
        self.recorder.event_waiting(now, event);
        let mut mail = self.mail();
        let counts = &mut mail.counts;
        match &performed.outcome {
            Ok(_) => counts.done += 1,
            Err(ActionError::OffScreen { .. }) => counts.off_screen += 1,
            Err(ActionError::ForbiddenKey { .. }) => counts.forbidden += 1,
            Err(ActionError::UnknownKey { .. }) => counts.unknown_key += 1,
            Err(ActionError::NotGranted { .. }) => counts.not_granted += 1,
            Err(ActionError::Cancelled) => counts.cancelled += 1,
            Err(ActionError::Invalid { .. }) => counts.invalid += 1,
            Err(ActionError::Other { .. }) => counts.failed += 1,
        }
        if let Some(latency) = performed.speech_latency_ms {
            mail.spoken += 1;
            mail.speech_latency_ms.push(latency);
        }
        mail.outcomes.push_back(ActionOutcome {
            id: performed.id,
            outcome: performed.outcome,
        });
        drop(mail);
        self.mailbox.changed.notify_waiters();
        if done {
            // A full channel means that a request is already waiting, and the first one decides.
            let _ = self.requests.try_send(Request::Done);
        }
    }

    /// A picture could not be encoded: the episode ends, since its record cannot be whole.
    pub(super) fn picture_lost(&self, why: &str) {
        // A full channel means that a request is already waiting, and the first one decides.
        let _ = self.requests.try_send(Request::picture_lost(why));
    }

    /// A frame was kept: into the record, and to the policy where its mode has keyframes.
    pub fn kept(&self, kept: &Kept) {
        let decision = &kept.decision;
        let captured_at = self.timebase.millis(decision.frame.captured);
        let held = self.shelf.hold(Arc::clone(&decision.frame), captured_at);
        let frame = match held.record() {
            Ok(frame) => frame,
            Err(error) => return self.picture_lost(&super::names::encode_error(&error)),
        };
        let keyframe = || observation::keyframe(&held, decision);
        self.recorder.event(
            self.timebase.now(),
            Event::Keyframe {
                frame,
                captured_at,
                changed: keyframe().changed,
                changed_fraction: decision.changed_fraction,
                semantic_distance: decision.semantic_distance,
                settled: decision.settled,
                decided_after_ms: kept.decided_after_ms,
            },
        );
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
            mail.notice(SessionEvent::Keyframe(keyframe()));
            drop(mail);
            self.mailbox.changed.notify_waiters();
        }
    }

    /// A sentence became final: into the record, and to the policy where its mode has sound.
    pub fn heard(&self, sentence: &Sentence) {
        self.recorder.event(
            self.timebase.now(),
            Event::Sentence {
                sentence: sentence.clone(),
            },
        );
        if !self.grants.audio {
            return;
        }
        let mut mail = self.mail();
        if mail.subscribed {
            mail.notice(SessionEvent::Sentence(sentence.clone()));
            drop(mail);
            self.mailbox.changed.notify_waiters();
        }
    }

    #[must_use]
    pub fn tally(&self) -> Tally {
        let mail = self.mail();
        Tally {
            steps: self.mailbox.steps.load(Ordering::Relaxed),
            counts: mail.counts.clone(),
            spoken: mail.spoken,
            speech_latency_ms: mail.speech_latency_ms.clone(),
            observe_ms: mail.observe_ms.clone(),
            tails: mail.tails.clone(),
        }
    }
}

impl Mail {
    fn notice(&mut self, event: SessionEvent) {
        if self.notices.len() >= NOTICES {
            self.notices.pop_front();
        }
        self.notices.push_back(event);
    }

    /// The next event, or the end: outcomes come first, so that a policy learns what its last actions did before it learns
    /// that all is over.
    pub(super) fn take(&mut self) -> Result<Option<SessionEvent>, StopCause> {
        if let Some(outcome) = self.outcomes.pop_front() {
            self.outstanding = self.outstanding.saturating_sub(1);
            return Ok(Some(SessionEvent::Action(outcome)));
        }
        if let Some(completion) = self.completions.pop_front() {
            return Ok(Some(SessionEvent::Completion(completion)));
        }
        match self.stop {
            Some(cause) => Err(cause),
            None => Ok(self.notices.pop_front()),
        }
    }
}

/// The desk as its model calls see it. Weak: the episode's end takes the desk apart, whoever still waits for an answer.
pub(super) struct ModelCalls(pub Weak<Desk>);

impl Asker for ModelCalls {
    fn step(&self) -> u32 {
        self.0
            .upgrade()
            .map_or(0, |desk| desk.mailbox.steps.load(Ordering::Relaxed))
    }

    fn deliver(&self, completion: Completion) {
        if let Some(desk) = self.0.upgrade() {
            desk.mail().completions.push_back(completion);
            desk.mailbox.changed.notify_waiters();
        }
    }

    fn end(&self, cause: EndCause, detail: String) {
        if let Some(desk) = self.0.upgrade() {
            // A full channel means that a request is already waiting, and the first one decides.
            let _ = desk.requests.try_send(Request::End(cause, detail));
        }
    }
}
