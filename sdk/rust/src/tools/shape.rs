//! The tools as a model is offered them: JSON schemas, or words.

use serde_json::{Map, Value, json};

use super::{NOTE, Tools};
use crate::{ActionKind, model};

impl Tools {
    /// The kinds of actions that are offered as tools.
    pub fn offered(&self) -> Vec<ActionKind> {
        let all = ActionKind::ALL.iter().copied();
        all.filter(|kind| self.offers(*kind)).collect()
    }

    const fn offers(&self, kind: ActionKind) -> bool {
        match kind {
            ActionKind::Speak => self.speech,
            ActionKind::Click
            | ActionKind::Move
            | ActionKind::Drag
            | ActionKind::Type
            | ActionKind::Key
            | ActionKind::Scroll
            | ActionKind::Wait
            | ActionKind::Done => true,
        }
    }

    /// The tools with their JSON schemas, for a request.
    pub fn list(&self) -> Vec<model::Tool> {
        self.offered()
            .into_iter()
            .map(|kind| {
                let (description, properties, required) = self.shape(kind);
                let schema = json!({
                    "type": "object",
                    "properties": properties,
                    "required": required,
                    "additionalProperties": false,
                });
                model::Tool {
                    name: kind.name().to_owned(),
                    description: description.to_owned(),
                    input_schema: schema.to_string(),
                }
            })
            .collect()
    }

    /// The same for a model without tools: one line for each, to be answered by one JSON object.
    ///
    /// The object has the name under `action` and the arguments beside it: `{"action": "click", "x": 640, "y": 400}`.
    /// [`recover`](Self::recover) reads it.
    pub fn in_words(&self) -> String {
        let mut lines = String::new();
        for kind in self.offered() {
            let (description, properties, required) = self.shape(kind);
            let arguments: Vec<String> = properties
                .iter()
                .map(|(key, shape)| {
                    let optional = if required.contains(&key.as_str()) {
                        ""
                    } else {
                        ", may be left out"
                    };
                    let said = shape["description"].as_str().unwrap_or_default();
                    format!("  {key:?}: {said}{optional}\n")
                })
                .collect();
            lines.push_str(&format!(
                "{{\"action\": {:?}}} {description}\n",
                kind.name()
            ));
            lines.push_str(&arguments.concat());
        }
        lines
    }

    /// Description, properties and what of them is required.
    fn shape(&self, kind: ActionKind) -> (&'static str, Map<String, Value>, Vec<&'static str>) {
        let (last_x, last_y) = self.last();
        let of = match self.grid {
            Some(grid) => format!("on a grid of {grid} by {grid} laid over the screenshot"),
            None => "in pixels of the screenshot".to_owned(),
        };
        let x = || json!({"type": "integer", "description": format!("from the left, 0 to {last_x} {of}")});
        let y = || json!({"type": "integer", "description": format!("from the top, 0 to {last_y} {of}")});
        let text = |description: &str| json!({"type": "string", "description": description});
        let (description, properties, required) = match kind {
            ActionKind::Click => (
                "Clicks at a point. A count of 2 is a double click.",
                json!({
                    "x": x(), "y": y(),
                    "button": {"type": "string", "enum": ["left", "middle", "right"], "description": "left, middle or right; left by default"},
                    "count": {"type": "integer", "description": "clicks in a row, 1 to 5; 1 by default"},
                }),
                vec!["x", "y"],
            ),
            ActionKind::Move => (
                "Moves the pointer to a point without clicking.",
                json!({"x": x(), "y": y()}),
                vec!["x", "y"],
            ),
            ActionKind::Drag => (
                "Presses the left button at the start, moves to the end and releases it there.",
                json!({"start_x": x(), "start_y": y(), "end_x": x(), "end_y": y()}),
                vec!["start_x", "start_y", "end_x", "end_y"],
            ),
            ActionKind::Type => (
                "Types text into whatever has the focus. A line break presses Enter.",
                json!({"text": text("the text")}),
                vec!["text"],
            ),
            ActionKind::Key => (
                "Presses one key or one chord of keys.",
                json!({"combo": text("key names joined by +, for example Return, ctrl+a, shift+Tab")}),
                vec!["combo"],
            ),
            ActionKind::Scroll => (
                "Turns the mouse wheel at a point, or where the pointer is.",
                json!({
                    "direction": {"type": "string", "enum": ["up", "down", "left", "right"], "description": "up, down, left or right"},
                    "amount": {"type": "integer", "description": "wheel notches, 1 to 100"},
                    "x": x(), "y": y(),
                }),
                vec!["direction", "amount"],
            ),
            ActionKind::Speak => (
                "Says a sentence aloud into the microphone.",
                json!({"text": text("what to say")}),
                vec!["text"],
            ),
            ActionKind::Wait => (
                "Does nothing for a while, then looks again.",
                json!({"seconds": {"type": "number", "description": "seconds, at most 60"}}),
                vec!["seconds"],
            ),
            ActionKind::Done => (
                "Says that the task is finished and ends it. Nothing can be done afterwards.",
                json!({}),
                vec![],
            ),
        };
        let mut properties = match properties {
            Value::Object(properties) => properties,
            _ => Map::new(),
        };
        if self.notes {
            let note = text(
                "one or two sentences on what you saw or heard that later steps need; images are not shown again",
            );
            properties.insert(NOTE.to_owned(), note);
        }
        (description, properties, required)
    }
}
