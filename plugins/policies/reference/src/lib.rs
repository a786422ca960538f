//! Runs the task's own `solution.toml`: steps that wait for perception and then act. It is never told the answer, so
//! its score is what a mode allows to one who reasons perfectly, and a task that it fails is a broken task.

use dynacu_sdk::{Policy, PolicyDescriptor, PolicyError, Session, export_policy};
use solution::{CHANNELS, Senses, play};

struct Reference;

impl Policy for Reference {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_channels(CHANNELS)
    }

    fn run(session: &mut Session, _settings: &str) -> Result<(), PolicyError> {
        play(session, Senses::Open)
    }
}

export_policy!(Reference);
