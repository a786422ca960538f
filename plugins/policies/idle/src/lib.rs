//! A policy that looks at the pace until it is stopped and does nothing. What it scores, nobody has earned.

use dynacu_sdk::settings::NoSettings;
use dynacu_sdk::{
    Brief, Decision, Interrupted, Observation, PolicyError, Session, StepPolicy, export_policy,
};

struct Idle;

impl StepPolicy for Idle {
    type Settings = NoSettings;

    fn new(_brief: &Brief, _settings: NoSettings) -> Result<Self, PolicyError> {
        Ok(Self)
    }

    fn on_observation(
        &mut self,
        _session: &mut Session,
        _observation: &Observation,
    ) -> Result<Decision, Interrupted> {
        Ok(Decision::Look)
    }
}

export_policy!(Idle);
