//! From a call to an action. Tolerant where what was meant is beyond doubt, and otherwise a reason for the model.

use std::fmt;

use serde_json::Value;

use super::arguments::{Arguments, object};
use super::{NOTE, Tool, Tools};
use crate::model::ToolCall;
use crate::{Action, Click, Drag, MouseButton, Point, Scroll, ScrollDirection};

/// Wheel notches where the model gives no number.
const NOTCHES: u32 = 3;

/// A call that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadCall {
    /// What to do, with points in pixels of the screen.
    pub action: Action,
    /// What the model noted beside it.
    pub note: Option<String>,
    /// What was not as the schema asks and was read all the same, one clause each, for the log.
    pub tolerated: Vec<String>,
}

/// Why a call cannot be used, as a sentence for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable(pub String);

impl fmt::Display for Unusable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

impl Tool {
    /// The tool behind a name as models write it, or none. Spaces around it, a namespace in front (`functions.`,
    /// `default_api:`, `computer.`) and capitals do not matter, and a fixed list of other names is known.
    #[must_use]
    pub fn named(written: &str) -> Option<Self> {
        known(written).map(|(tool, _)| tool)
    }
}

/// The tool, and the arguments that the other name implies.
fn known(written: &str) -> Option<(Tool, &'static [(&'static str, &'static str)])> {
    let lower = written.trim().to_lowercase();
    let bare = ["functions.", "default_api.", "default_api:", "computer."]
        .iter()
        .find_map(|space| lower.strip_prefix(space))
        .unwrap_or(&lower);
    if let Some(tool) = Tool::ALL.iter().find(|tool| tool.name() == bare) {
        return Some((*tool, &[]));
    }
    Some(match bare {
        "left_click" => (Tool::Click, &[]),
        "double_click" => (Tool::Click, &[("count", "2")]),
        "triple_click" => (Tool::Click, &[("count", "3")]),
        "right_click" => (Tool::Click, &[("button", "right")]),
        "middle_click" => (Tool::Click, &[("button", "middle")]),
        "mouse_move" | "move_pointer" | "hover" => (Tool::Move, &[]),
        "left_click_drag" => (Tool::Drag, &[]),
        "type_text" => (Tool::Type, &[]),
        "press" | "press_key" | "keypress" | "hotkey" => (Tool::Key, &[]),
        "say" => (Tool::Speak, &[]),
        "sleep" => (Tool::Wait, &[]),
        "finish" | "finished" => (Tool::Done, &[]),
        _ => return None,
    })
}

impl Tools {
    /// Reads one call.
    ///
    /// Tolerated, and said so in [`ReadCall::tolerated`]: names that [`Tool::named`] knows; arguments that are
    /// empty where none are needed, written as a string in a string, or followed by stray characters; a number in
    /// quotes; a point as `coordinate: [x, y]`; fractions of pixels, rounded; arguments that the tool does not have.
    ///
    /// # Errors
    ///
    /// [`Unusable`], with a sentence that names the argument.
    pub fn read(&self, call: &ToolCall) -> Result<ReadCall, Unusable> {
        self.read_call(&call.name, &call.arguments)
    }

    pub(super) fn read_call(&self, written: &str, arguments: &str) -> Result<ReadCall, Unusable> {
        let offered = self.offered();
        let (tool, implied) = known(written)
            .filter(|(tool, _)| offered.contains(tool))
            .ok_or_else(|| {
                let names: Vec<&str> = offered.iter().map(|tool| tool.name()).collect();
                Unusable(format!(
                    "there is no tool `{}`; the tools are {}",
                    written.trim(),
                    names.join(", ")
                ))
            })?;
        let mut tolerated = Vec::new();
        if written != tool.name() {
            tolerated.push(format!("`{}` for `{tool}`", written.trim()));
        }
        let object = object(arguments, &mut tolerated)
            .ok_or_else(|| Unusable(format!("the arguments of `{tool}` are not a JSON object")))?;
        let mut arguments = Arguments {
            tool,
            object,
            tolerated,
        };
        for (key, value) in implied {
            let value = value
                .parse::<u64>()
                .map_or_else(|_| Value::from(*value), Value::from);
            arguments.object.entry((*key).to_owned()).or_insert(value);
        }
        let note = match arguments.object.remove(NOTE) {
            Some(Value::String(note)) if !note.trim().is_empty() => Some(note.trim().to_owned()),
            _ => None,
        };
        let action = self.action(tool, &mut arguments)?;
        let left: Vec<&str> = arguments.object.keys().map(String::as_str).collect();
        if !left.is_empty() {
            let left = left.join(", ");
            arguments
                .tolerated
                .push(format!("unknown arguments: {left}"));
        }
        Ok(ReadCall {
            action,
            note,
            tolerated: arguments.tolerated,
        })
    }

    fn action(&self, tool: Tool, from: &mut Arguments) -> Result<Action, Unusable> {
        Ok(match tool {
            Tool::Click => Action::Click(Click {
                at: self.point(from, "x", "y")?,
                button: match from.word("button")?.as_deref() {
                    None | Some("left") => MouseButton::Left,
                    Some("middle") => MouseButton::Middle,
                    Some("right") => MouseButton::Right,
                    Some(_) => return Err(from.wrong("button", "is left, middle or right")),
                },
                count: match from.whole("count")? {
                    None => 1,
                    Some(count @ 1..=5) => count as u8,
                    Some(_) => return Err(from.wrong("count", "is 1 to 5")),
                },
            }),
            Tool::Move => Action::Move(self.point(from, "x", "y")?),
            Tool::Drag => {
                from.spread("start_coordinate", "start_x", "start_y")?;
                from.spread("coordinate", "end_x", "end_y")?;
                Action::Drag(Drag {
                    start: self.point(from, "start_x", "start_y")?,
                    end: self.point(from, "end_x", "end_y")?,
                })
            }
            Tool::Type => match from.text(&["text"])? {
                text if text.is_empty() => return Err(from.wrong("text", "is empty")),
                text => Action::Type(text),
            },
            Tool::Key => Action::Key(from.chord()?),
            Tool::Scroll => {
                from.spread("coordinate", "x", "y")?;
                let direction = match from.word("direction")?.as_deref() {
                    Some("up") => ScrollDirection::Up,
                    Some("down") => ScrollDirection::Down,
                    Some("left") => ScrollDirection::Left,
                    Some("right") => ScrollDirection::Right,
                    _ => return Err(from.wrong("direction", "is up, down, left or right")),
                };
                let amount = match from.whole("amount")? {
                    None => NOTCHES,
                    Some(amount) if amount >= 1 => u32::try_from(amount).unwrap_or(u32::MAX),
                    Some(_) => return Err(from.wrong("amount", "is at least 1")),
                };
                let placed = from.object.contains_key("x") || from.object.contains_key("y");
                let at = placed.then(|| self.point(from, "x", "y")).transpose()?;
                Action::Scroll(Scroll {
                    at,
                    direction,
                    amount,
                })
            }
            Tool::Speak => match from.text(&["text"])? {
                text if text.trim().is_empty() => {
                    return Err(from.wrong("text", "has nothing to say"));
                }
                text => Action::Speak(text),
            },
            Tool::Wait => Action::wait(from.time()?),
            Tool::Done => Action::Done,
        })
    }

    fn point(&self, from: &mut Arguments, x: &str, y: &str) -> Result<Point, Unusable> {
        from.spread("coordinate", x, y)?;
        let (last_x, last_y) = self.last();
        let mut side = |key: &str, last: u32| match from.number(key)? {
            Some(value) if value.fract() != 0.0 && value.abs() < 1.0 => {
                Err(from.wrong(key, &format!("is a fraction; it is 0 to {last}")))
            }
            Some(value) if value.abs() <= f64::from(i32::MAX) => {
                if value.fract() != 0.0 {
                    from.tolerated.push(format!("`{key}` was rounded"));
                }
                Ok((value + 0.5).floor() as i64)
            }
            Some(_) => Err(from.wrong(key, &format!("is 0 to {last}"))),
            None => Err(from.wrong(key, &format!("is missing; it is 0 to {last}"))),
        };
        let (x, y) = (side(x, last_x)?, side(y, last_y)?);
        Ok(self.to_screen(x, y))
    }
}
