//! One running episode as the policy sees it.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use crate::bindings::policy::dynacu::environment::{hearing, reading};
use crate::bindings::policy::dynacu::host::clock;
use crate::bindings::policy::dynacu::model::inference;
use crate::bindings::policy::dynacu::policy::session as host;
use crate::model::{Capabilities, ModelError, Request, Response};
use crate::record_text::RecordText;
use crate::{
    Action, ActionError, ActionOutcome, Brief, Event, Frame, HearingError, Observation,
    PerformError, PriorAction, ReadingError, Rect, StopCause, TextLine,
};

/// Events put aside while the session waited for an outcome. Past this many the oldest goes, so that a policy that
/// never calls `next` does not hold frames for ever.
const BACKLOG: usize = 256;

/// The policy's side of one episode: it perceives, acts, asks the model, and remembers what was done.
///
/// One step of a policy that asks a model:
///
/// ```no_run
/// use dynacu_sdk::model::{Message, Part, Request};
/// use dynacu_sdk::tools::Tools;
/// use dynacu_sdk::{Encoding, ImageFormat, PolicyError, Session};
///
/// fn step(session: &mut Session) -> Result<(), PolicyError> {
///     let Ok(seen) = session.observe() else {
///         return Ok(()); // the episode is over
///     };
///     let picture = seen.screenshot.encode(Encoding::new(ImageFormat::Png));
///     let picture = picture.map_err(|error| PolicyError::Other(format!("{error:?}")))?;
///     let tools = Tools::new(session.brief().screen);
///     let text = session.record_text(&seen);
///     let request = Request::new(vec![Message::user(vec![text.into(), Part::Image(picture)])])
///         .with_tools(tools.list())
///         .with_display(session.brief().screen);
///     let answer = session.ask(&request);
///     let answer = answer.map_err(|error| PolicyError::GaveUp(format!("{error:?}")))?;
///     for part in answer.parts {
///         if let Part::ToolCall(call) = part {
///             let read = tools.read(&call);
///             let read = read.map_err(|why| PolicyError::ModelMalformed(why.to_string()))?;
///             // What fails is among the prior actions and so in the next record.
///             let _ = session.act(vec![read.action]);
///         }
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Session {
    brief: Brief,
    step: u32,
    prior: Vec<PriorAction>,
    backlog: VecDeque<Event>,
    stopped: Option<StopCause>,
}

/// Why [`Session::act`] did not do all that it was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum ActFailure {
    /// The episode is over; return.
    Stopped(StopCause),
    /// The batch had this many actions, more than the host takes; nothing was done.
    TooMany(u32),
    /// One action failed, and the rest of its batch was cancelled.
    Failed {
        /// The action that failed.
        action: Action,
        /// What the host said.
        error: ActionError,
    },
}

impl fmt::Display for ActFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(cause) => write!(out, "the episode stopped: {cause:?}"),
            Self::TooMany(count) => write!(out, "{count} actions are too many for one batch"),
            Self::Failed { action, error } => write!(out, "{action}: {}", error.reason()),
        }
    }
}

impl std::error::Error for ActFailure {}

impl Session {
    /// A session for the episode of `brief`. The export macro makes it; a policy is handed one.
    pub fn new(brief: Brief) -> Self {
        Self {
            brief,
            step: 0,
            prior: Vec::new(),
            backlog: VecDeque::new(),
            stopped: None,
        }
    }

    /// The instruction, the limits and what the host granted.
    pub fn brief(&self) -> &Brief {
        &self.brief
    }

    /// Milliseconds since the start signal.
    pub fn now(&self) -> u64 {
        clock::now()
    }

    /// Takes an observation, which is one step. Waits until the pace allows it.
    ///
    /// # Errors
    ///
    /// The cause, once the episode is over.
    pub fn observe(&mut self) -> Result<Observation, StopCause> {
        match host::observe() {
            Ok(observation) => {
                self.step = observation.step;
                Ok(observation)
            }
            Err(cause) => {
                self.stopped = Some(cause);
                Err(cause)
            }
        }
    }

    /// Asks for keyframe and sentence events as they happen, in so far as their channels are granted.
    pub fn subscribe(&mut self, on: bool) {
        host::subscribe(on);
    }

    /// The next event; [`Event::Elapsed`] when `wait` passes without one. After the stop event every call
    /// answers with it again.
    pub fn next(&mut self, wait: Option<Duration>) -> Event {
        if let Some(event) = self.backlog.pop_front() {
            return event;
        }
        self.take(wait)
    }

    /// Queues a batch of at most 64 actions and returns their ids at once; outcomes come as events.
    ///
    /// # Errors
    ///
    /// [`PerformError`] when the batch was not queued at all.
    pub fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        let ids = host::perform(&actions)?;
        let step = self.step;
        self.prior
            .extend(ids.iter().zip(actions).map(|(id, action)| PriorAction {
                id: *id,
                step,
                action,
                outcome: None,
            }));
        Ok(ids)
    }

    /// Performs a batch and waits until all of it has come to an end. Other events of that time are put aside for
    /// [`next`](Self::next).
    ///
    /// # Errors
    ///
    /// The first failure of the batch, or the stop cause.
    pub fn act(&mut self, actions: Vec<Action>) -> Result<(), ActFailure> {
        let ids = self.perform(actions).map_err(|error| match error {
            PerformError::TooMany(count) => ActFailure::TooMany(count),
            PerformError::Stopped(cause) => ActFailure::Stopped(cause),
        })?;
        let mut open = ids.len();
        while open > 0 {
            match self.take(None) {
                Event::Action(outcome) if ids.contains(&outcome.action) => open -= 1,
                Event::Stop(cause) => return Err(ActFailure::Stopped(cause)),
                Event::Elapsed => {}
                other => self.put_aside(other),
            }
        }
        let first_failure = self
            .prior
            .iter()
            .filter(|prior| ids.contains(&prior.id))
            .find_map(|prior| match &prior.outcome {
                Some(Err(error)) => Some(ActFailure::Failed {
                    action: prior.action.clone(),
                    error: error.clone(),
                }),
                _ => None,
            });
        first_failure.map_or(Ok(()), Err)
    }

    /// Cancels actions that have not started and cuts a wait or a speech under way.
    pub fn abort_actions(&mut self) {
        host::abort_actions();
    }

    /// Everything performed so far, oldest first, with what became of it.
    pub fn prior_actions(&self) -> &[PriorAction] {
        &self.prior
    }

    /// The observation record in its text form, for a model.
    pub fn record_text(&self, observation: &Observation) -> String {
        RecordText::of(observation, &self.brief, &self.prior).to_string()
    }

    /// Reads the text in an area of a frame on the host. Needs the `reading` assist.
    ///
    /// # Errors
    ///
    /// [`ReadingError`] when it is not granted or the frame has been given up.
    pub fn read_text(&self, frame: &Frame, area: Rect) -> Result<Vec<TextLine>, ReadingError> {
        reading::read_text(frame, area)
    }

    /// The sound between two instants of the last 60 s as a WAV blob. Needs the audio channel.
    ///
    /// # Errors
    ///
    /// [`HearingError`] when it is not granted or out of range.
    pub fn clip(&self, start: u64, end: u64) -> Result<String, HearingError> {
        hearing::clip(start, end)
    }

    /// The model that the run chose, and what it takes.
    pub fn model(&self) -> (String, Capabilities) {
        inference::model()
    }

    /// Asks the model and returns at once with the call's id; the answer comes as [`Event::Completion`].
    pub fn submit(&mut self, request: &Request) -> u64 {
        inference::submit(request)
    }

    /// Gives up a call; its completion still comes.
    pub fn cancel(&mut self, call: u64) {
        inference::cancel(call);
    }

    /// Asks the model and waits for the answer. Other events of that time are put aside for [`next`](Self::next).
    ///
    /// # Errors
    ///
    /// What the model's side reported; [`ModelError::Cancelled`] when the episode stopped meanwhile.
    pub fn ask(&mut self, request: &Request) -> Result<Response, ModelError> {
        let call = self.submit(request);
        loop {
            match self.take(None) {
                Event::Completion(completion) if completion.call == call => {
                    return completion.outcome;
                }
                Event::Stop(_) => return Err(ModelError::Cancelled),
                Event::Elapsed => {}
                other => self.put_aside(other),
            }
        }
    }

    /// The stop cause, once the session has met it.
    pub fn stopped(&self) -> Option<StopCause> {
        self.stopped
    }

    /// Straight from the host, past what was put aside; notes outcomes and the stop.
    fn take(&mut self, wait: Option<Duration>) -> Event {
        if let Some(cause) = self.stopped {
            return Event::Stop(cause);
        }
        let wait = wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        let event = host::next(wait);
        match &event {
            Event::Action(outcome) => self.note(outcome),
            Event::Stop(cause) => self.stopped = Some(*cause),
            _ => {}
        }
        event
    }

    fn note(&mut self, outcome: &ActionOutcome) {
        if let Some(prior) = self
            .prior
            .iter_mut()
            .rev()
            .find(|prior| prior.id == outcome.action)
        {
            prior.outcome = Some(outcome.outcome.clone());
        }
    }

    fn put_aside(&mut self, event: Event) {
        if self.backlog.len() == BACKLOG {
            self.backlog.pop_front();
        }
        self.backlog.push_back(event);
    }
}
