//! Runs the task's own `solution.toml` with its senses shut: constants stand where `reference` reads and hears. What
//! it scores, a task gives away to whoever knows where to click.

use dynacu_sdk::{Policy, PolicyDescriptor, PolicyError, Session, export_policy};
use solution::{CHANNELS, Senses, play};

struct Guess;

impl Policy for Guess {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_channels(CHANNELS)
    }

    fn run(session: &mut Session, _settings: &str) -> Result<(), PolicyError> {
        play(session, Senses::Shut)
    }
}

export_policy!(Guess);
