//! The smallest policy: clicks the middle of the screen, looks once more, and is done.
//!
//! `cargo build --release --target wasm32-wasip2 --example click-once`, then `dynacu-host plugin check` on the file.

use dynacu_sdk::{
    Action, Brief, Decision, Observation, PolicyDescriptor, Session, StepPolicy, export_policy,
};

struct ClickOnce {
    middle: Action,
    clicked: bool,
}

impl StepPolicy for ClickOnce {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor::new("click-once", "0.1.0")
    }

    fn new(brief: &Brief, _settings: &str) -> Result<Self, String> {
        let (x, y) = (brief.screen.width / 2, brief.screen.height / 2);
        Ok(Self {
            middle: Action::click_at(x as i32, y as i32),
            clicked: false,
        })
    }

    fn on_observation(&mut self, _session: &mut Session, _seen: &Observation) -> Decision {
        if std::mem::replace(&mut self.clicked, true) {
            return Decision::Done;
        }
        self.middle.clone().into()
    }
}

export_policy!(ClickOnce, manifest = "examples/click-once.toml");
