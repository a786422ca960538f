//! Runs the task's own `solution.toml` with its senses shut: constants stand where `reference` reads and hears. What
//! it scores, a task gives away to whoever knows where to click.

use dynacu_sdk::settings::NoSettings;
use dynacu_sdk::{Interrupted, Policy, Session, export_policy};
use solution::{Senses, play};

struct Guess;

impl Policy for Guess {
    type Settings = NoSettings;

    fn run(session: &mut Session, _settings: NoSettings) -> Result<(), Interrupted> {
        play(session, Senses::Shut)
    }
}

export_policy!(Guess);
