//! One running episode as the policy sees it.

use std::collections::VecDeque;
use std::fmt;

use crate::bindings::policy::dynacu::assist::{reading, solution};
use crate::bindings::policy::dynacu::environment::hearing;
use crate::bindings::policy::dynacu::host::clock;
use crate::bindings::policy::dynacu::model::inference;
use crate::bindings::policy::dynacu::policy::session as host;
use crate::model::{Capabilities, ModelError, Request, Response};
use crate::record_text::RecordText;
use crate::{
    Action, ActionError, ActionId, ActionOutcome, BlobId, Brief, CallId, Duration, Event, Frame,
    HearingError, Instant, Observation, PerformError, PriorAction, ReadingError, Rect,
    SolutionError, StopCause, TextLine,
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
/// use dynacu_sdk::{ActFailure, Encoding, ImageFormat, Interrupted, Session};
///
/// fn step(session: &mut Session) -> Result<(), Interrupted> {
///     let seen = session.observe()?; // once the episode is over, this and all below return
///     let picture = seen.screenshot.encode(Encoding::new(ImageFormat::Png))?;
///     let tools = Tools::new(session.brief().screen);
///     let text = session.record_text(&seen);
///     let request = Request::new(vec![Message::user(vec![text.into(), Part::Image(picture)])])
///         .with_tools(tools.list())
///         .with_display(session.brief().screen);
///     for part in session.ask(&request)?.parts {
///         if let Part::ToolCall(call) = part {
///             let read = tools.read(&call)?;
///             match session.act(vec![read.action]) {
///                 // What fails is among the prior actions and so in the next record.
///                 Ok(()) | Err(ActFailure::Failed { .. }) => {}
///                 Err(end) => return Err(end.into()),
///             }
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
            Self::Stopped(cause) => write!(out, "the episode is over: {}", cause.name()),
            Self::TooMany(count) => {
                write!(
                    out,
                    "{count} actions are more than the host takes in a batch"
                )
            }
            Self::Failed { action, error } => write!(out, "{action}: {}", error.reason()),
        }
    }
}

impl std::error::Error for ActFailure {}

impl From<PerformError> for ActFailure {
    fn from(error: PerformError) -> Self {
        match error {
            PerformError::TooMany(count) => Self::TooMany(count),
            PerformError::Stopped(cause) => Self::Stopped(cause),
        }
    }
}

/// Why [`Session::ask`] came back without an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AskFailure {
    /// The episode is over; return.
    Stopped(StopCause),
    /// What the model's side reported.
    Model(ModelError),
}

impl fmt::Display for AskFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(cause) => write!(out, "the episode is over: {}", cause.name()),
            Self::Model(error) => out.write_str(&error.reason()),
        }
    }
}

impl std::error::Error for AskFailure {}

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

    /// The time on the episode's clock.
    pub fn now(&self) -> Instant {
        clock::now()
    }

    /// Takes an observation, which is one step. Waits until the pace allows it.
    ///
    /// # Errors
    ///
    /// The cause, once the episode is over.
    pub fn observe(&mut self) -> Result<Observation, StopCause> {
        let observation = self.heed(host::observe())?;
        self.step = observation.step;
        Ok(observation)
    }

    /// Asks for keyframe and sentence events as they happen, in so far as their channels are granted.
    pub fn subscribe(&mut self, on: bool) {
        host::subscribe(on);
    }

    /// The next event, or none when `wait` passes without one.
    ///
    /// # Errors
    ///
    /// The cause, once the episode is over and what was put aside is read.
    pub fn next(&mut self, wait: Option<Duration>) -> Result<Option<Event>, StopCause> {
        match self.backlog.pop_front() {
            Some(event) => Ok(Some(event)),
            None => self.take(wait),
        }
    }

    /// Queues a batch of at most 64 actions and returns their ids at once; outcomes come as events.
    ///
    /// # Errors
    ///
    /// [`PerformError`] when the batch was not queued at all.
    pub fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<ActionId>, PerformError> {
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
        let ids = self.perform(actions)?;
        let mut open = ids.len();
        while open > 0 {
            match self.take(None).map_err(ActFailure::Stopped)? {
                Some(Event::Action(outcome)) if ids.contains(&outcome.action) => open -= 1,
                Some(other) => self.put_aside(other),
                None => {}
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
                Some(Ok(_)) | None => None,
            });
        first_failure.map_or(Ok(()), Err)
    }

    /// Cancels actions that have not started and cuts a wait or a speech under way.
    pub fn abort_actions(&mut self) {
        host::abort_actions();
    }

    /// Waits for the end of the episode, after [`Action::Done`] or whenever there is nothing left to do. Events of that
    /// time are dropped.
    pub fn wait_for_end(&mut self) -> StopCause {
        self.backlog.clear();
        loop {
            if let Err(cause) = self.take(None) {
                return cause;
            }
        }
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

    /// The task's own solution script, TOML, or none where it has none. Needs the `solution` assist.
    ///
    /// # Errors
    ///
    /// [`SolutionError`] when it is not granted.
    pub fn solution_script(&self) -> Result<Option<String>, SolutionError> {
        solution::script()
    }

    /// The sound between two instants of the last 60 s as a WAV blob. Needs the audio channel.
    ///
    /// # Errors
    ///
    /// [`HearingError`] when it is not granted or out of range.
    pub fn clip(&self, start: Instant, end: Instant) -> Result<BlobId, HearingError> {
        hearing::clip(start, end)
    }

    /// The model that the run chose, and what it takes.
    pub fn model(&self) -> (String, Capabilities) {
        inference::model()
    }

    /// Asks the model and returns at once with the call's id; the answer comes as [`Event::Completion`].
    pub fn submit(&mut self, request: &Request) -> CallId {
        inference::submit(request)
    }

    /// Gives up a call; its completion still comes.
    pub fn cancel(&mut self, call: CallId) {
        inference::cancel(call);
    }

    /// Asks the model and waits for the answer. Other events of that time are put aside for [`next`](Self::next).
    ///
    /// # Errors
    ///
    /// What the model's side reported, or the stop cause.
    pub fn ask(&mut self, request: &Request) -> Result<Response, AskFailure> {
        let call = self.submit(request);
        loop {
            match self.take(None).map_err(AskFailure::Stopped)? {
                Some(Event::Completion(completion)) if completion.call == call => {
                    return completion.outcome.map_err(AskFailure::Model);
                }
                Some(other) => self.put_aside(other),
                None => {}
            }
        }
    }

    /// The stop cause, once the session has met it.
    pub fn stopped(&self) -> Option<StopCause> {
        self.stopped
    }

    /// Straight from the host, past what was put aside; notes outcomes and the stop.
    fn take(&mut self, wait: Option<Duration>) -> Result<Option<Event>, StopCause> {
        if let Some(cause) = self.stopped {
            return Err(cause);
        }
        let event = self.heed(host::next(wait))?;
        if let Some(Event::Action(outcome)) = &event {
            self.note(outcome);
        }
        Ok(event)
    }

    /// Remembers the end of the episode.
    fn heed<T>(&mut self, told: Result<T, StopCause>) -> Result<T, StopCause> {
        told.inspect_err(|cause| self.stopped = Some(*cause))
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
