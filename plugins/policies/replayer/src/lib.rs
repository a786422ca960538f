//! A policy that understands nothing: it clicks everything that it can see, and types there what it has read elsewhere on
//! the screen. What it scores, a page gives away to whoever tries all that is on it.

mod sweep;

use dynacu_sdk::{
    Brief, Channels, Decision, Observation, PolicyDescriptor, Rect, Session, StepPolicy,
    export_policy, logging,
};

use sweep::Sweep;

struct Replayer {
    sweep: Sweep,
    whole: Rect,
}

impl StepPolicy for Replayer {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_channels(Channels::READING)
    }

    fn new(brief: &Brief, _settings: &str) -> Result<Self, String> {
        let size = brief.screen;
        Ok(Self {
            sweep: Sweep::over(size),
            whole: Rect::new(0, 0, size.width, size.height),
        })
    }

    fn on_observation(&mut self, session: &mut Session, observation: &Observation) -> Decision {
        match session.read_text(&observation.screenshot, self.whole) {
            Ok(lines) => self.sweep.see(lines),
            // Without the assist it sweeps over the grid alone and types nothing.
            Err(error) => logging::log(logging::Level::Debug, &format!("reading: {error:?}")),
        }
        Decision::Act(self.sweep.batch())
    }
}

export_policy!(Replayer);
