//! A policy: looks at the screen, listens, asks the run's model what to do, and does it.

use dynacu_sdk::model::{Message, ModelError, Part, Request};
use dynacu_sdk::tools::Tools;
use dynacu_sdk::{
    Brief, Channels, Decision, Encoding, ImageFormat, Observation, PolicyDescriptor, Session,
    StepPolicy, export_policy, logging,
};

const SYSTEM: &str = "You operate a desktop by keyboard and mouse to carry out a task. Answer with tool calls only. \
    Wait while there is nothing to do yet, and call done when the task is finished.";
/// Observations in a row without an answer, before it gives up.
const PATIENCE: u32 = 5;

struct Agent {
    tools: Tools,
    unanswered: u32,
}

impl StepPolicy for Agent {
    fn describe() -> PolicyDescriptor {
        PolicyDescriptor::new("{{name}}", env!("CARGO_PKG_VERSION"))
            .with_channels(Channels::KEYFRAMES | Channels::AUDIO)
            .asking_a_model()
    }

    fn new(brief: &Brief, _settings: &str) -> Result<Self, String> {
        let speech = brief.granted.contains(Channels::SPEECH);
        Ok(Self {
            tools: Tools::new(brief.screen).with_speech(speech),
            unanswered: 0,
        })
    }

    fn on_observation(&mut self, session: &mut Session, seen: &Observation) -> Decision {
        let request = Request::new(vec![
            Message::system(SYSTEM),
            Message::user(show(session, seen)),
        ])
        .with_tools(self.tools.list())
        .with_display(session.brief().screen);
        match session.ask(&request) {
            Ok(answer) => {
                self.unanswered = 0;
                decide(&self.tools, &answer.parts)
            }
            Err(ModelError::Cancelled) => Decision::Look, // the episode is over
            Err(error) => {
                self.unanswered += 1;
                logging::warn(&format!("no answer: {error:?}"));
                if self.unanswered == PATIENCE {
                    return Decision::GiveUp(format!("the model did not answer: {error:?}"));
                }
                Decision::Look
            }
        }
    }
}

/// The record of what happened as text, then the pictures, the newest last.
fn show(session: &Session, seen: &Observation) -> Vec<Part> {
    let png = Encoding::new(ImageFormat::Png);
    let mut parts = vec![session.record_text(seen).into()];
    let kept = seen.keyframes.iter().map(|keyframe| &keyframe.frame);
    for frame in kept.chain([&seen.screenshot]) {
        // A frame is gone only where more than 128 were held.
        if let Ok(picture) = frame.encode(png) {
            parts.push(Part::Image(picture));
        }
    }
    parts
}

/// The actions that an answer asks for. What fails is among the prior actions of the next record.
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
            Decision::Act(vec![Action::click_at(5, 6)])
        );
        assert_eq!(decide(&tools, &answer[..1]), Decision::Look);
    }
}
