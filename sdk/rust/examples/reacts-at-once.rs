//! A policy with a loop of its own: whatever it is doing, it presses Enter as soon as a sentence says "now".
//!
//! Settings: `word`, another one than "now".

use dynacu_sdk::{
    ActFailure, Action, Channels, Event, Policy, PolicyDescriptor, PolicyError, Session,
    export_policy,
};

struct ReactsAtOnce;

impl Policy for ReactsAtOnce {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor::new("reacts-at-once", "0.1.0").with_channels(Channels::AUDIO)
    }

    fn run(session: &mut Session, settings: &str) -> Result<(), PolicyError> {
        let word = word(settings).map_err(PolicyError::Settings)?;
        session.subscribe(true);
        loop {
            match session.next(None) {
                Event::Sentence(said) if said.text.to_lowercase().contains(&word) => {
                    let enter = vec![Action::chord("Return")];
                    if let Err(ActFailure::Stopped(_)) = session.act(enter) {
                        return Ok(());
                    }
                }
                Event::Stop(_) => return Ok(()),
                _ => {}
            }
        }
    }
}

fn word(settings: &str) -> Result<String, String> {
    let settings: serde_json::Value =
        serde_json::from_str(settings).map_err(|error| error.to_string())?;
    match settings.get("word") {
        None => Ok("now".to_owned()),
        Some(word) => word
            .as_str()
            .map(str::to_lowercase)
            .ok_or_else(|| "`word` is a text".to_owned()),
    }
}

export_policy!(ReactsAtOnce, manifest = "examples/reacts-at-once.toml");
