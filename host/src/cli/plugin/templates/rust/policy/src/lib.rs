//! A policy: looks at the screen, listens, asks the run's model what to do, and does it.

use dynacu_sdk::model::{Message, Part, Request};
use dynacu_sdk::tools::Tools;
use dynacu_sdk::{
    AskFailure, Brief, Channels, Decision, Encoding, ImageFormat, Interrupted, Observation,
    PolicyError, Session, StepPolicy, export_policy, logging,
};
use serde::Deserialize;

const SYSTEM: &str = "You operate a desktop by keyboard and mouse to carry out a task. Answer with tool calls only. \
    Wait while there is nothing to do yet, and call done when the task is finished.";

/// Its table of a run's configuration. An unknown key, or a value of the wrong type, is refused by name.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    /// Observations in a row without an answer, before it gives up.
    patience: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { patience: 5 }
    }
}

struct Agent {
    settings: Settings,
    tools: Tools,
    unanswered: u32,
}

impl StepPolicy for Agent {
    type Settings = Settings;

    fn new(brief: &Brief, settings: Settings) -> Result<Self, PolicyError> {
        let speech = brief.granted.contains(Channels::SPEECH);
        Ok(Self {
            settings,
            tools: Tools::new(brief.screen).with_speech(speech),
            unanswered: 0,
        })
    }

    fn on_observation(
        &mut self,
        session: &mut Session,
        seen: &Observation,
    ) -> Result<Decision, Interrupted> {
        let request = Request::new(vec![
            Message::system(SYSTEM),
            Message::user(show(session, seen)),
        ])
        .with_tools(self.tools.list())
        .with_display(session.brief().screen);
        match session.ask(&request) {
            Ok(answer) => {
                self.unanswered = 0;
                Ok(decide(&self.tools, &answer.parts))
            }
            Err(AskFailure::Model(error)) if self.unanswered + 1 < self.settings.patience => {
                self.unanswered += 1;
                logging::warn(&format!("no answer: {}", error.reason()));
                Ok(Decision::Look)
            }
            // The episode is over, or the model has been silent for too long.
            Err(end) => Err(end.into()),
        }
    }
}

/// The record of what happened as text, then the pictures, the newest last.
fn show(session: &Session, seen: &Observation) -> Vec<Part> {
    let png = Encoding::new(ImageFormat::Png);
    let mut parts = vec![session.record_text(seen).into()];
    let kept = seen.keyframes.iter().map(|keyframe| &keyframe.frame);
    for frame in kept.chain([&seen.screenshot]) {
        // A frame is gone only if more than 128 were held.
        if let Ok(picture) = frame.encode(png) {
            parts.push(Part::Image(picture));
        }
    }
    parts
}

/// The actions that an answer asks for. Failures are among the prior actions of the next record.
fn decide(tools: &Tools, answer: &[Part]) -> Decision {
    let mut actions = Vec::new();
    for part in answer {
        if let Part::ToolCall(call) = part {
            match tools.read(call) {
                Ok(read) => actions.push(read.action),
                Err(why) => logging::warn(&why.to_string()),
            }
        }
    }
    if actions.is_empty() {
        Decision::Look
    } else {
        Decision::Act(actions)
    }
}

export_policy!(Agent);

#[cfg(test)]
mod tests {
    use dynacu_sdk::model::ToolCall;
    use dynacu_sdk::{Action, Size};

    use super::*;

    #[test]
    fn calls_become_actions_and_text_does_not() {
        let tools = Tools::new(Size::from((1280, 720)));
        let call = ToolCall::new("1", "click", r#"{"x": 5, "y": 6}"#);
        let answer = [Part::from("I click."), Part::from(call)];
        assert_eq!(
            decide(&tools, &answer),
            Decision::Act(vec![Action::click(5, 6)])
        );
        assert_eq!(decide(&tools, &answer[..1]), Decision::Look);
    }
}
