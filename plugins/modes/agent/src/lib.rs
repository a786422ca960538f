//! The agent behind the five modes: [`Agent`]. They differ in the channels for which their manifests ask, and in nothing
//! else: each exports this one policy.
//!
//! A step is one observation. It becomes one request (`compose`), the answer is judged (`answer`), and what it asks
//! for is done. An answer that cannot be used gets one more turn, with the reason; after that the run ends by name.
//! That the task is done only the model says.

mod agent;
mod answer;
mod compose;
mod look;
mod memory;
mod news;
mod scene;
mod settings;
mod spread;
mod transcriber;
mod words;

use dynacu_sdk::{Interrupted, Policy, Session};

pub use settings::Settings;

/// The policy of every mode.
pub struct Agent;

impl Policy for Agent {
    type Settings = Settings;

    fn run(session: &mut Session, settings: Settings) -> Result<(), Interrupted> {
        agent::run(session, settings)
    }
}
