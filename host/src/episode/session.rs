//! The policy's side of a running episode: what it sees, hears and does, within its mode and at the run's pace.
//!
//! Every call and its outcome becomes a line of the record, in the policy's order: from those lines a policy can be fed again.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use dynacu_record::{BlobOutcome, Delivered, Event, ReadOutcome};
use dynacu_runtime::types::{
    Action, BlobError, BlobInfo, Capabilities, EncodeError, Encoding, HearingError, Level,
    ModelError, ModelRequest, PerformError, ReadingError, Rect, SolutionError, StopCause, TextLine,
};
use dynacu_runtime::{Completion, Frame, Observation, PolicyHost, SessionEvent};

use super::desk::Desk;
use super::names;
use super::observing::{Observing, millis};
use crate::action::queue::ActionQueue;
use crate::inference::calls::{Inference, level_name, no_model};
use crate::inference::media::medium;
use crate::observation::{ScreenFrame, recorded};

/// Actions whose outcomes a policy has not fetched; beyond it `perform` waits.
const OUTSTANDING: usize = 256;
/// Bytes of blobs that a policy may read in one episode.
const BLOB_BYTES: u64 = 256 << 20;

/// One policy's session.
pub struct Session {
    pub(super) desk: Arc<Desk>,
    queue: ActionQueue,
    observing: Observing,
    blob_bytes: u64,
    /// None where the run has no model.
    inference: Option<Arc<Inference>>,
    /// Calls that were refused for that.
    calls: u64,
}

impl Session {
    #[must_use]
    pub fn new(
        desk: Arc<Desk>,
        queue: ActionQueue,
        observing: Observing,
        inference: Option<Arc<Inference>>,
    ) -> Session {
        Session {
            desk,
            queue,
            observing,
            blob_bytes: 0,
            inference,
            calls: 0,
        }
    }

    /// Writes a line on the policy's behalf: it waits for the disk where the host's own events must not.
    fn record(&self, event: Event) {
        self.desk
            .recorder
            .event_waiting(self.desk.timebase.now(), event);
    }

    /// The blob by which the record names a frame. Where there is none the episode ends, since its record cannot be whole.
    fn name_of(&self, frame: &dyn Frame) -> Result<String, String> {
        recorded(frame).map_err(|error| {
            let why = names::encode_error(&error);
            self.desk.picture_lost(&why);
            why
        })
    }

    fn not_granted(&self, what: &str) {
        self.desk.mail().counts.not_granted += 1;
        self.record(Event::NotGranted {
            what: what.to_owned(),
        });
    }

    /// Waits for an event, an end, or until `until`.
    async fn wait_for_mail(
        &self,
        until: Option<tokio::time::Instant>,
    ) -> Result<Option<SessionEvent>, StopCause> {
        loop {
            let changed = self.desk.mailbox.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(event) = self.desk.mail().take()? {
                return Ok(Some(event));
            }
            match until {
                None => changed.await,
                Some(until) => {
                    if tokio::time::timeout_at(until, changed).await.is_err() {
                        return self.desk.mail().take();
                    }
                }
            }
        }
    }

    /// Waits until so many more outcomes may be outstanding.
    async fn wait_for_room(&self, actions: usize) -> Result<(), StopCause> {
        loop {
            let changed = self.desk.mailbox.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut mail = self.desk.mail();
                if let Some(cause) = mail.stop {
                    return Err(cause);
                }
                // A policy that never fetches outcomes would wait for itself, so old outcomes go instead.
                while mail.outstanding + actions > OUTSTANDING
                    && mail.outcomes.pop_front().is_some()
                {
                    mail.outstanding -= 1;
                }
                if mail.outstanding + actions <= OUTSTANDING {
                    mail.outstanding += actions;
                    return Ok(());
                }
            }
            changed.await;
        }
    }

    fn read_blob(&mut self, id: &str) -> Result<Vec<u8>, BlobError> {
        let size = medium(&self.desk.recorder, id)
            .ok_or(BlobError::NotFound)?
            .size;
        if self.blob_bytes + size > BLOB_BYTES {
            return Err(BlobError::TooLarge(BLOB_BYTES - self.blob_bytes));
        }
        self.blob_bytes += size;
        let bytes = self.desk.recorder.blob_bytes(id);
        let unreadable = || BlobError::Other("the host cannot read it back".to_owned());
        Ok(bytes.ok_or_else(unreadable)?.to_vec())
    }

    fn read_frame(&self, held: &ScreenFrame, area: &Rect) -> Result<Vec<TextLine>, ReadingError> {
        let Some(reader) = self.desk.reading.clone() else {
            self.not_granted("reading");
            return Err(ReadingError::NotGranted);
        };
        let inside = held.area(area).ok_or(ReadingError::BadArea)?;
        let reading = reader
            .read_area(&held.pixels(), inside)
            .map_err(|error| ReadingError::Other(error.to_string()))?;
        self.desk.processor.elsewhere(reading.took);
        Ok(reading.lines)
    }

    fn make_clip(&self, start: u64, end: u64) -> Result<String, HearingError> {
        if !self.desk.grants.audio {
            self.not_granted("audio");
            return Err(HearingError::NotGranted);
        }
        let samples = self
            .desk
            .hearing
            .clip(start, end)
            .ok_or(HearingError::OutOfRange)?;
        let wav = crate::capture::wav::encode(16_000, &samples)
            .map_err(|error| HearingError::Other(error.to_string()))?;
        Ok(self.desk.recorder.blob(wav, "audio/wav"))
    }
}

#[async_trait]
impl PolicyHost for Session {
    fn now(&self) -> u64 {
        // The runtime asks for the time on the guest's thread, before the guest begins.
        self.desk.processor.thread_is_this();
        self.desk.timebase.now()
    }

    fn clock_was_read(&mut self, readings: Vec<(u64, u32)>) {
        self.record(Event::Clock { readings });
    }

    fn log(&mut self, level: Level, message: String) {
        self.record(Event::GuestLog {
            plugin: self.desk.policy.clone(),
            level: level_name(level).to_owned(),
            message,
        });
    }

    async fn observe(&mut self) -> Result<Observation, StopCause> {
        let asked_at = self.desk.timebase.now();
        let observed = self.observing.observe(&self.desk).await;
        if let Err(cause) = &observed {
            let cause = *cause;
            self.record(Event::ObservationStopped { asked_at, cause });
        }
        observed
    }

    fn subscribe(&mut self, on: bool) {
        let grants = self.desk.grants;
        if on && !grants.keyframes && !grants.audio {
            self.not_granted("keyframe and sentence events");
        }
        self.desk.mail().subscribed = on;
        self.record(Event::Subscribed { on });
    }

    async fn next(&mut self, wait_ms: Option<u64>) -> Result<Option<SessionEvent>, StopCause> {
        let asked_at = self.desk.timebase.now();
        let until = wait_ms.map(|wait| tokio::time::Instant::now() + Duration::from_millis(wait));
        let event = self.wait_for_mail(until).await;
        let delivered = match &event {
            Ok(None) => Delivered::Nothing,
            Err(cause) => Delivered::Stopped { cause: *cause },
            Ok(Some(SessionEvent::Action(outcome))) => Delivered::Action { id: outcome.id },
            Ok(Some(SessionEvent::Completion(completion))) => Delivered::Completion {
                call: completion.call,
            },
            Ok(Some(SessionEvent::Sentence(sentence))) => Delivered::Sentence {
                sentence: sentence.clone(),
            },
            Ok(Some(SessionEvent::Keyframe(keyframe))) => match self.name_of(&*keyframe.frame) {
                Ok(frame) => Delivered::Keyframe {
                    frame,
                    captured_at: keyframe.captured_at,
                },
                Err(_) => return Err(StopCause::Infrastructure),
            },
        };
        self.record(Event::Next {
            asked_at,
            wait_ms,
            delivered,
        });
        event
    }

    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        if let Err(cause) = self.wait_for_room(actions.len()).await {
            let error = PerformError::Stopped { cause };
            self.refused(&error);
            return Err(error);
        }
        let ids = self.queue.perform(actions.clone()).await;
        if let Some(&first) = ids.first() {
            self.record(Event::ActionsQueued { first, actions });
        }
        Ok(ids)
    }

    fn refused(&mut self, error: &PerformError) {
        self.record(Event::ActionsRefused {
            error: error.clone(),
        });
    }

    fn abort_actions(&mut self) {
        self.queue.abort();
        self.record(Event::ActionsAborted {});
    }

    async fn encode(
        &mut self,
        frame: Arc<dyn Frame>,
        encoding: Encoding,
    ) -> Result<String, EncodeError> {
        let named = self.name_of(&*frame).map_err(EncodeError::Other)?;
        let encoded = frame.encode(encoding.clone()).await;
        if let Err(EncodeError::Other(why)) = &encoded {
            self.desk.picture_lost(why);
        }
        self.record(Event::Encoded {
            frame: named,
            encoding,
            outcome: outcome(&encoded, names::encode_error),
        });
        encoded
    }

    async fn read_text(
        &mut self,
        frame: Arc<dyn Frame>,
        area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError> {
        let began = Instant::now();
        let named = self.name_of(&*frame).map_err(ReadingError::Other)?;
        let read = match frame.as_any().downcast_ref::<ScreenFrame>() {
            Some(held) => self.read_frame(held, &area),
            None => Err(ReadingError::Gone),
        };
        self.record(Event::Read {
            frame: named,
            captured_at: frame.captured_at(),
            area,
            outcome: match &read {
                Ok(lines) => ReadOutcome::Lines(lines.clone()),
                Err(error) => ReadOutcome::Error(names::reading_error(error)),
            },
            took_ms: millis(began.elapsed()),
        });
        read
    }

    fn solution(&mut self) -> Result<Option<String>, SolutionError> {
        let Some(script) = self.desk.solution.clone() else {
            self.not_granted("solution");
            return Err(SolutionError::NotGranted);
        };
        self.record(Event::Solution {
            script: script.clone(),
        });
        Ok(script)
    }

    async fn clip(&mut self, start: u64, end: u64) -> Result<String, HearingError> {
        let clip = self.make_clip(start, end);
        self.record(Event::Clip {
            start_at: start,
            end_at: end,
            outcome: outcome(&clip, names::hearing_error),
        });
        clip
    }

    fn blob_stat(&mut self, id: &str) -> Result<BlobInfo, BlobError> {
        medium(&self.desk.recorder, id).ok_or(BlobError::NotFound)
    }

    fn blob_read(&mut self, id: &str) -> Result<Vec<u8>, BlobError> {
        let read = self.read_blob(id);
        self.record(Event::BlobRead {
            blob: id.chars().take(64).collect(),
            size: read.as_ref().ok().map(|bytes| bytes.len() as u64),
        });
        read
    }

    fn model(&mut self) -> (String, Capabilities) {
        match &self.inference {
            Some(inference) => {
                let model = &inference.model;
                (model.name.clone(), model.capabilities)
            }
            None => no_model(),
        }
    }

    async fn submit(&mut self, request: ModelRequest) -> u64 {
        if let Some(inference) = &self.inference {
            return inference.submit(request);
        }
        self.calls += 1;
        let call = self.calls;
        let step = self.desk.mailbox.steps.load(Ordering::Relaxed);
        let error = ModelError::InvalidRequest(
            "this run has no model adapter: name one with --plugin".to_owned(),
        );
        let request = serde_json::to_vec(&request).unwrap_or_default();
        self.record(Event::ModelCall {
            call,
            step,
            model: String::new(),
            request: self.desk.recorder.blob(request, "application/json"),
        });
        self.record(Event::ModelAnswer {
            call,
            step,
            error: Some(names::model_failure(&error)),
            attempts: 0,
            took_ms: 0,
            waited_ms: 0,
            model: None,
            response: None,
            usage: None,
        });
        self.desk.mail().completions.push_back(Completion {
            call,
            outcome: Err(error),
        });
        self.desk.mailbox.changed.notify_waiters();
        call
    }

    fn cancel(&mut self, call: u64) {
        self.record(Event::ModelCallCancelled { call });
        if let Some(inference) = &self.inference {
            inference.cancel(call);
        }
    }
}

fn outcome<E>(made: &Result<String, E>, name: fn(&E) -> String) -> BlobOutcome {
    match made {
        Ok(blob) => BlobOutcome::Blob(blob.clone()),
        Err(error) => BlobOutcome::Error(name(error)),
    }
}
