//! The smallest policy: clicks the middle of the screen, looks once more, and is done.
//!
//! `cargo build --release --target wasm32-wasip2 --example click-once`, then `dynacu-host plugin check` on the file.

use dynacu_sdk::settings::NoSettings;
use dynacu_sdk::{
    Action, Brief, Decision, Interrupted, Observation, PolicyError, Session, StepPolicy,
    export_policy,
};

struct ClickOnce {
    middle: Action,
    clicked: bool,
}

impl StepPolicy for ClickOnce {
    type Settings = NoSettings;

    fn new(brief: &Brief, _settings: NoSettings) -> Result<Self, PolicyError> {
        let (x, y) = (brief.screen.width / 2, brief.screen.height / 2);
        Ok(Self {
            middle: Action::click(x as i32, y as i32),
            clicked: false,
        })
    }

    fn on_observation(
        &mut self,
        _session: &mut Session,
        _seen: &Observation,
    ) -> Result<Decision, Interrupted> {
        if std::mem::replace(&mut self.clicked, true) {
            return Ok(Decision::Done);
        }
        Ok(self.middle.clone().into())
    }
}

export_policy!(ClickOnce, manifest = "examples/click-once.toml");
