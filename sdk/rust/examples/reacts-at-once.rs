//! A policy with a loop of its own: whatever it is doing, it presses Enter as soon as a sentence says "now".
//!
//! Settings: `word`, another one than "now".

use dynacu_sdk::{ActFailure, Action, Event, Interrupted, Policy, Session, export_policy};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    word: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            word: "now".to_owned(),
        }
    }
}

struct ReactsAtOnce;

impl Policy for ReactsAtOnce {
    type Settings = Settings;

    fn run(session: &mut Session, settings: Settings) -> Result<(), Interrupted> {
        let word = settings.word.to_lowercase();
        session.subscribe(true);
        loop {
            match session.next(None)? {
                Some(Event::Sentence(said)) if said.text.to_lowercase().contains(&word) => {
                    match session.act(vec![Action::key("Return")]) {
                        // It listens on.
                        Ok(()) | Err(ActFailure::Failed { .. }) => {}
                        Err(end) => return Err(end.into()),
                    }
                }
                _ => {}
            }
        }
    }
}

export_policy!(ReactsAtOnce, manifest = "examples/reacts-at-once.toml");
