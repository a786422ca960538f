//! A policy that does at random what people do with a page: clicks mostly, and types, presses keys, scrolls, drags and,
//! where it may, speaks. What it scores, luck is worth.

mod draw;

use dynacu_sdk::{
    Brief, Channels, Decision, Interrupted, Observation, PolicyError, Session, StepPolicy,
    export_policy, logging,
};
use serde::Deserialize;

use draw::Draw;

/// One observation in so many is answered with `done`.
const DONE_IN: u64 = 200;
/// Actions between two observations, at most.
const ACTIONS: u64 = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The same seed, the same actions; drawn from the host's random numbers, which its record has, where it is not given.
    seed: Option<u64>,
}

struct Random {
    draw: Draw,
}

impl StepPolicy for Random {
    type Settings = Settings;

    fn new(brief: &Brief, settings: Settings) -> Result<Self, PolicyError> {
        let seed = settings.seed.unwrap_or_else(draw::any_seed);
        logging::info(&format!("seed {seed}"));
        let speaks = brief.granted.contains(Channels::SPEECH);
        Ok(Self {
            draw: Draw::new(seed, brief.screen, speaks),
        })
    }

    fn on_observation(
        &mut self,
        _session: &mut Session,
        _observation: &Observation,
    ) -> Result<Decision, Interrupted> {
        if self.draw.below(DONE_IN) == 0 {
            return Ok(Decision::Done);
        }
        let count = 1 + self.draw.below(ACTIONS);
        Ok(Decision::Act(
            (0..count).map(|_| self.draw.action()).collect(),
        ))
    }
}

export_policy!(Random);
