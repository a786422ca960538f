//! Native computer-use calls as calls of the tools that a policy offers.

use dynacu_sdk::model::{Tool, ToolCall};
use dynacu_sdk::{Action, ActionKind, Click, Duration, MouseButton, Point};
use serde_json::{Map, Value};

/// Pixels of one wheel notch, for providers that scroll in pixels.
const NOTCH: f64 = 100.0;
/// What a wish to look becomes.
const SHORTEST_WAIT: Action = Action::Wait(Duration::from_millis(100));

/// Whether every native set has it. `speak` and `done` are the benchmark's own.
const fn is_native(kind: ActionKind) -> bool {
    match kind {
        ActionKind::Click
        | ActionKind::Move
        | ActionKind::Drag
        | ActionKind::Type
        | ActionKind::Key
        | ActionKind::Scroll
        | ActionKind::Wait => true,
        ActionKind::Speak | ActionKind::Done => false,
    }
}

/// What a native call comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Native {
    /// These actions, in order.
    Actions(Vec<Action>),
    /// A wish to look, which the next observation grants anyway.
    Look,
    /// Nothing that a policy offers: handed on under this name, so that the model is told.
    Unknown(String),
}

impl Native {
    /// One action.
    pub fn one(action: Action) -> Self {
        Self::Actions(vec![action])
    }
}

/// The calls that one native call comes to, each with the arguments that are handed on where there is no action. A
/// wish to look counts only where nothing else is wanted. Several calls get ids made from the provider's.
pub fn calls(id: &str, wanted: Vec<(Native, Value)>, notes: &mut Vec<String>) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    let mut looks = false;
    for (native, arguments) in wanted {
        match native {
            Native::Actions(actions) => {
                calls.extend(actions.iter().map(|action| ToolCall::of_action("", action)));
            }
            Native::Look => looks = true,
            Native::Unknown(name) => calls.push(ToolCall::new("", name, arguments.to_string())),
        }
    }
    if looks {
        notes.push("screenshot_request".to_owned());
        if calls.is_empty() {
            // The next observation brings a fresh screenshot anyway.
            calls.push(ToolCall::of_action("", &SHORTEST_WAIT));
        }
    }
    let several = calls.len() > 1;
    for (index, call) in calls.iter_mut().enumerate() {
        call.id = if several {
            format!("{id}#{}", index + 1)
        } else {
            id.to_owned()
        };
    }
    calls
}

/// The tools that no native set has, to be offered as functions beside it.
pub fn beside(tools: &[Tool]) -> impl Iterator<Item = &Tool> {
    tools
        .iter()
        .filter(|tool| !ActionKind::named(&tool.name).is_some_and(is_native))
}

/// A click of a button, `count` times.
pub fn click(at: Point, button: MouseButton, count: u8) -> Action {
    Action::Click(Click { at, button, count })
}

/// A point of two members that hold numbers.
pub fn point(input: &Map<String, Value>, x: &str, y: &str) -> Option<Point> {
    Some(Point {
        x: whole(input.get(x)?)?,
        y: whole(input.get(y)?)?,
    })
}

/// A point of a member that holds a pair.
pub fn pair(input: &Map<String, Value>, name: &str) -> Option<Point> {
    match input.get(name)?.as_array()?.as_slice() {
        [x, y] => Some(Point {
            x: whole(x)?,
            y: whole(y)?,
        }),
        _ => None,
    }
}

/// A number as a whole one; halves go up. A fraction of one is no coordinate.
pub fn whole(value: &Value) -> Option<i32> {
    let number = value.as_f64()?;
    let rounded = (number + 0.5).floor();
    let fraction = number.fract() != 0.0 && number.abs() < 1.0;
    (!fraction && rounded.abs() <= f64::from(i32::MAX)).then_some(rounded as i32)
}

/// Notches of a way in pixels: at least one, unless the way is none.
pub fn notches(pixels: f64) -> u32 {
    match pixels.abs() {
        0.0 => 0,
        way => (way / NOTCH).round().clamp(1.0, 1_000.0) as u32,
    }
}

/// A list of key names as one chord.
pub fn chord(keys: &Value) -> Option<String> {
    let names: Vec<&str> = keys.as_array()?.iter().filter_map(Value::as_str).collect();
    (!names.is_empty()).then(|| names.join("+"))
}
