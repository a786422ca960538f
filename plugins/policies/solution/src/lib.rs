//! Plays a task's `solution.toml`, whose language `policies/reference/README.md` describes: with the senses open for
//! the policy `reference`, shut for `guess`.

mod choose;
mod collect;
mod colour;
mod ending;
mod fill;
mod heard;
mod looks;
mod memory;
mod pattern;
mod reading;
mod run;
mod script;
mod sense;
mod step;
mod watch;

use dynacu_sdk::{Interrupted, PolicyError, Session, SolutionError, logging};

use run::{Halt, Run};
use script::Script;

/// Whether steps that wait for something perceive it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Senses {
    /// They do.
    Open,
    /// They pass, and the constants of `[guess]` stand for what they would have found.
    Shut,
}

/// Plays the task's script to its end.
///
/// # Errors
///
/// [`PolicyError::GaveUp`] with the step that could not be done, [`PolicyError::Other`] for a script that is wrong.
pub fn play(session: &mut Session, senses: Senses) -> Result<(), Interrupted> {
    let text = match session.solution_script() {
        Ok(Some(text)) => text,
        Ok(None) | Err(SolutionError::NotGranted) => {
            return Err(PolicyError::GaveUp(
                "no solution.toml was passed: the task has none, or the `solution` assist is not granted".to_owned(),
            )
            .into());
        }
        Err(error @ SolutionError::Other(_)) => return Err(error.into()),
    };
    let script = Script::parse(&text)
        .and_then(|script| match senses {
            Senses::Open => Ok(script),
            Senses::Shut => script.check_guess().map(|()| script),
        })
        .map_err(|error| PolicyError::Other(format!("solution.toml: {error}")))?;
    match Run::new(session, &script, senses).play() {
        Ok(()) => Ok(()),
        Err(Halt::Stopped(cause)) => Err(cause.into()),
        Err(Halt::GaveUp(reason) | Halt::Failed(reason) | Halt::Missed(reason)) => {
            logging::warn(&reason);
            Err(PolicyError::GaveUp(reason).into())
        }
    }
}
