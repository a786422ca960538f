//! A policy that looks at the pace until it is stopped and does nothing. What it scores, nobody has earned.

use dynacu_sdk::{
    Brief, Channels, Decision, Observation, PolicyDescriptor, Session, StepPolicy, export_policy,
};

struct Idle;

impl StepPolicy for Idle {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor {
            name: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            channels: Channels::empty(),
            needs_model: false,
        }
    }

    fn new(_brief: &Brief, _settings: &str) -> Result<Self, String> {
        Ok(Self)
    }

    fn on_observation(&mut self, _session: &mut Session, _observation: &Observation) -> Decision {
        Decision::Look
    }
}

export_policy!(Idle);
