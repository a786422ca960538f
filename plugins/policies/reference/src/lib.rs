//! Runs the task's own `solution.toml`: steps that wait for perception and then act. It is never told the answer, so
//! its score is what a mode allows to one who reasons perfectly, and a task that it fails is a broken task.

mod fill;
mod heard;
mod looks;
mod reading;
mod run;
mod script;
mod step;

use dynacu_sdk::{
    Channels, Policy, PolicyDescriptor, PolicyError, Session, export_policy, logging,
};

use run::{Halt, Run};
use script::Script;

struct Reference;

impl Policy for Reference {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor {
            name: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            channels: Channels::KEYFRAMES
                | Channels::AUDIO
                | Channels::SPEECH
                | Channels::READING
                | Channels::SOLUTION,
            needs_model: false,
        }
    }

    fn run(session: &mut Session, _settings: &str) -> Result<(), PolicyError> {
        let Some(solution) = session.brief().solution.clone() else {
            return Err(PolicyError::GaveUp(
                "no solution.toml was passed: the task has none, or the `solution` assist is not granted".to_owned(),
            ));
        };
        let script = Script::parse(&solution)
            .map_err(|error| PolicyError::Other(format!("solution.toml: {error}")))?;
        match Run::new(session, &script).play() {
            Ok(()) | Err(Halt::Stopped) => Ok(()),
            Err(Halt::GaveUp(reason)) => {
                logging::warn(&reason);
                Err(PolicyError::GaveUp(reason))
            }
        }
    }
}

export_policy!(Reference);
