//! Runs the task's own `solution.toml`: steps that wait for perception and then act. It is never told the answer, so
//! its score is what a mode allows to one who reasons perfectly, and a task that it fails is a broken task.

use dynacu_sdk::settings::NoSettings;
use dynacu_sdk::{Interrupted, Policy, Session, export_policy};
use solution::{Senses, play};

struct Reference;

impl Policy for Reference {
    type Settings = NoSettings;

    fn run(session: &mut Session, _settings: NoSettings) -> Result<(), Interrupted> {
        play(session, Senses::Open)
    }
}

export_policy!(Reference);
