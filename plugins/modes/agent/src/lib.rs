//! The agent behind the five modes. They differ in the channels that they ask for and in nothing else: each is a type
//! that implements [`Mode`], exported as `ModePolicy<ThatType>`.
//!
//! A step is one observation. It becomes one request ([`compose`]), the answer is judged ([`answer`]), and what it asks
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

use std::marker::PhantomData;

use dynacu_sdk::{Channels, Policy, PolicyDescriptor, PolicyError, Session};

/// What one mode is.
pub trait Mode {
    /// Its name, as `--mode` has it.
    const NAME: &'static str;

    /// What it perceives and produces beyond one screenshot a step.
    fn channels() -> Channels;
}

/// The policy of a mode.
pub struct ModePolicy<M>(PhantomData<M>);

impl<M: Mode> Policy for ModePolicy<M> {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor::new(M::NAME, env!("CARGO_PKG_VERSION"))
            .with_channels(M::channels())
            .asking_a_model()
    }

    fn run(session: &mut Session, settings: &str) -> Result<(), PolicyError> {
        agent::run(session, settings)
    }
}
