//! The usual way to write a policy: one decision for each observation.

use std::time::Duration;

use crate::{
    ActFailure, Action, Brief, Event, Observation, Policy, PolicyDescriptor, PolicyError, Session,
};

/// What a policy wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Do these in order, then look again. A failed action is no end: it is among the prior actions.
    Act(Vec<Action>),
    /// Nothing now; look again when the pace allows it.
    Look,
    /// The task is finished.
    Done,
    /// The policy cannot go on, for this reason.
    GiveUp(String),
}

/// A policy that decides once for each observation. The SDK observes at the pace, performs what was decided, waits
/// for the outcomes and returns when the host says stop. Export it with
/// [`export_policy!`](crate::export_policy).
pub trait StepPolicy: Sized {
    /// Name, version and the channels that the policy asks for.
    fn describe() -> PolicyDescriptor;

    /// Called once, before the first observation. `settings` is the policy's table of the run configuration, as JSON.
    ///
    /// # Errors
    ///
    /// A sentence that says which setting it cannot use.
    fn new(brief: &Brief, settings: &str) -> Result<Self, String>;

    /// Decides what to do about one observation. The session is there to ask the model, to read prior actions and to
    /// make the record's text.
    fn on_observation(&mut self, session: &mut Session, observation: &Observation) -> Decision;

    /// Called for each keyframe, sentence and completion between two observations. A policy that answers with a
    /// decision has it carried out at once; by default events are left alone.
    fn on_event(&mut self, session: &mut Session, event: &Event) -> Option<Decision> {
        let _ = (session, event);
        None
    }
}

impl<P: StepPolicy> Policy for P {
    fn describe() -> PolicyDescriptor {
        <P as StepPolicy>::describe()
    }

    fn run(session: &mut Session, settings: &str) -> Result<(), PolicyError> {
        let mut policy = P::new(session.brief(), settings).map_err(PolicyError::Settings)?;
        let pace = session.brief().pace;
        session.subscribe(true);
        loop {
            let Ok(observation) = session.observe() else {
                return Ok(());
            };
            let next_look = observation.taken_at.saturating_add(pace);
            let decision = policy.on_observation(session, &observation);
            drop(observation); // frees its frames on the host before the wait
            if let Some(end) = carry_out(session, decision) {
                return end;
            }
            loop {
                let left = next_look.saturating_sub(session.now());
                let event = session.next(Some(Duration::from_millis(left)));
                match event {
                    Event::Stop(_) => return Ok(()),
                    Event::Elapsed if left == 0 => break,
                    Event::Elapsed => {}
                    event => {
                        let decision = policy.on_event(session, &event);
                        drop(event);
                        if let Some(end) =
                            decision.and_then(|decision| carry_out(session, decision))
                        {
                            return end;
                        }
                    }
                }
            }
        }
    }
}

/// Does what was decided. An answer ends the run.
fn carry_out(session: &mut Session, decision: Decision) -> Option<Result<(), PolicyError>> {
    match decision {
        Decision::Look => None,
        Decision::Act(actions) => match session.act(actions) {
            Err(ActFailure::Stopped(_)) => Some(Ok(())),
            Err(ActFailure::TooMany(count)) => Some(Err(PolicyError::Other(format!(
                "one decision had {count} actions, more than the host takes in a batch"
            )))),
            Ok(()) | Err(ActFailure::Failed { .. }) => None,
        },
        Decision::Done => {
            // The host ends the episode once what is pending has come in; until then there is nothing to decide.
            if session.perform(vec![Action::Done]).is_ok() {
                while !matches!(session.next(None), Event::Stop(_)) {}
            }
            Some(Ok(()))
        }
        Decision::GiveUp(reason) => Some(Err(PolicyError::GaveUp(reason))),
    }
}
