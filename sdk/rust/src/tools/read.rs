//! From a call to an action. Tolerant where what was meant is beyond doubt, and otherwise a reason for the model.

use std::fmt;

use serde_json::Value;

use super::arguments::{Arguments, object};
use super::{NOTE, Tools};
use crate::model::ToolCall;
use crate::{Action, ActionKind, Click, Drag, MouseButton, Point, Scroll, ScrollDirection};

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

/// Arguments that another name implies.
type Implied = &'static [(&'static str, &'static str)];

/// Other names under which models call a kind.
const fn aliases(kind: ActionKind) -> &'static [(&'static str, Implied)] {
    match kind {
        ActionKind::Click => &[
            ("left_click", &[]),
            ("double_click", &[("count", "2")]),
            ("triple_click", &[("count", "3")]),
            ("right_click", &[("button", "right")]),
            ("middle_click", &[("button", "middle")]),
        ],
        ActionKind::Move => &[("mouse_move", &[]), ("move_pointer", &[]), ("hover", &[])],
        ActionKind::Drag => &[("left_click_drag", &[])],
        ActionKind::Type => &[("type_text", &[])],
        ActionKind::Key => &[
            ("press", &[]),
            ("press_key", &[]),
            ("keypress", &[]),
            ("hotkey", &[]),
        ],
        ActionKind::Scroll => &[],
        ActionKind::Speak => &[("say", &[])],
        ActionKind::Wait => &[("sleep", &[])],
        ActionKind::Done => &[("finish", &[]), ("finished", &[])],
    }
}

/// The kind behind a name as models write it, and the arguments that the name implies. Spaces around it, a namespace in front
/// (`functions.`, `default_api:`, `computer.`) and capitals do not matter.
pub(super) fn known(written: &str) -> Option<(ActionKind, Implied)> {
    let lower = written.trim().to_lowercase();
    let bare = ["functions.", "default_api.", "default_api:", "computer."]
        .iter()
        .find_map(|space| lower.strip_prefix(space))
        .unwrap_or(&lower);
    if let Some(kind) = ActionKind::named(bare) {
        return Some((kind, &[]));
    }
    ActionKind::ALL.iter().find_map(|kind| {
        let (_, implied) = aliases(*kind).iter().find(|(name, _)| *name == bare)?;
        Some((*kind, *implied))
    })
}

impl Tools {
    /// Reads one call.
    ///
    /// Tolerated, and said so in [`ReadCall::tolerated`]: capitals, namespaces and a fixed list of other names; arguments that are
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
        let (kind, implied) = known(written)
            .filter(|(kind, _)| offered.contains(kind))
            .ok_or_else(|| {
                let names: Vec<&str> = offered.iter().map(|kind| kind.name()).collect();
                Unusable(format!(
                    "there is no tool `{}`; the tools are {}",
                    written.trim(),
                    names.join(", ")
                ))
            })?;
        let mut tolerated = Vec::new();
        if written != kind.name() {
            tolerated.push(format!("`{}` for `{kind}`", written.trim()));
        }
        let object = object(arguments, &mut tolerated)
            .ok_or_else(|| Unusable(format!("the arguments of `{kind}` are not a JSON object")))?;
        let mut arguments = Arguments {
            kind,
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
        let action = self.action(kind, &mut arguments)?;
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

    fn action(&self, kind: ActionKind, from: &mut Arguments) -> Result<Action, Unusable> {
        Ok(match kind {
            ActionKind::Click => Action::Click(Click {
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
            ActionKind::Move => Action::Move(self.point(from, "x", "y")?),
            ActionKind::Drag => {
                from.spread("start_coordinate", "start_x", "start_y")?;
                from.spread("coordinate", "end_x", "end_y")?;
                Action::Drag(Drag {
                    start: self.point(from, "start_x", "start_y")?,
                    end: self.point(from, "end_x", "end_y")?,
                })
            }
            ActionKind::Type => match from.text(&["text"])? {
                text if text.is_empty() => return Err(from.wrong("text", "is empty")),
                text => Action::Type(text),
            },
            ActionKind::Key => Action::Key(from.chord()?),
            ActionKind::Scroll => {
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
            ActionKind::Speak => match from.text(&["text"])? {
                text if text.trim().is_empty() => {
                    return Err(from.wrong("text", "has nothing to say"));
                }
                text => Action::Speak(text),
            },
            ActionKind::Wait => Action::wait(from.time()?),
            ActionKind::Done => Action::Done,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_name_stands_for_two_actions() {
        let mut names = BTreeSet::new();
        for kind in ActionKind::ALL {
            assert!(names.insert(kind.name()), "{kind}");
            for (name, _) in aliases(*kind) {
                assert!(names.insert(name), "{name} of {kind}");
                assert_eq!(known(name).map(|(kind, _)| kind), Some(*kind));
            }
        }
    }
}
