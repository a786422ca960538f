//! The usual way to write a policy: one decision for each observation.

use serde::de::DeserializeOwned;

use crate::{
    ActFailure, Action, Brief, Duration, Event, Interrupted, Observation, Policy, PolicyError,
    Session,
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
}

/// A policy that decides once for each observation. The SDK observes at the pace, performs what was decided, waits
/// for the outcomes and returns when the host says stop. Export it with
/// [`export_policy!`](crate::export_policy).
pub trait StepPolicy: Sized {
    /// The policy's table of the run configuration; [`NoSettings`](crate::settings::NoSettings) where it has none.
    type Settings: DeserializeOwned;

    /// Called once, before the first observation.
    ///
    /// # Errors
    ///
    /// [`PolicyError::Settings`], with a sentence that names the setting, for what its type alone does not rule out.
    fn new(brief: &Brief, settings: Self::Settings) -> Result<Self, PolicyError>;

    /// Decides what to do about one observation. The session is there to ask the model, to read prior actions and to
    /// make the record's text.
    ///
    /// # Errors
    ///
    /// [`PolicyError::GaveUp`] and its like when the policy cannot go on; what the session reports passes with `?`.
    fn on_observation(
        &mut self,
        session: &mut Session,
        observation: &Observation,
    ) -> Result<Decision, Interrupted>;

    /// Called for each keyframe, sentence and completion between two observations. A policy that answers with a
    /// decision has it carried out at once; by default events are left alone.
    ///
    /// # Errors
    ///
    /// As [`on_observation`](Self::on_observation).
    fn on_event(
        &mut self,
        session: &mut Session,
        event: &Event,
    ) -> Result<Option<Decision>, Interrupted> {
        let _ = (session, event);
        Ok(None)
    }
}

impl<P: StepPolicy> Policy for P {
    type Settings = P::Settings;

    fn run(session: &mut Session, settings: Self::Settings) -> Result<(), Interrupted> {
        let mut policy = P::new(session.brief(), settings)?;
        let pace = session.brief().pace;
        session.subscribe(true);
        loop {
            let observation = session.observe()?;
            let next_look = observation.taken_at + pace;
            let decision = policy.on_observation(session, &observation)?;
            drop(observation); // frees its frames on the host before the wait
            carry_out(session, decision)?;
            loop {
                let left = next_look - session.now();
                match session.next(Some(left))? {
                    Some(event) => {
                        let decision = policy.on_event(session, &event)?;
                        drop(event);
                        if let Some(decision) = decision {
                            carry_out(session, decision)?;
                        }
                    }
                    None if left == Duration::ZERO => break,
                    None => {}
                }
            }
        }
    }
}

fn carry_out(session: &mut Session, decision: Decision) -> Result<(), Interrupted> {
    match decision {
        Decision::Look => Ok(()),
        Decision::Act(actions) => match session.act(actions) {
            Ok(()) | Err(ActFailure::Failed { .. }) => Ok(()),
            Err(end) => Err(end.into()),
        },
        Decision::Done => {
            session.perform(vec![Action::Done])?;
            // The host ends the episode once what is pending has come in; until then there is nothing to decide.
            Err(session.wait_for_end().into())
        }
    }
}
