//! What the calls of the computer tool mean.

use dynacu_sdk::{Action, Duration, MouseButton, Scroll, ScrollDirection};
use model_wire::native::{Native, chord, click, notches, point};
use serde_json::{Map, Value};

/// The actions of one call, each with itself for where it is handed on.
pub(super) fn meanings(call: &Map<String, Value>) -> Vec<(Native, Value)> {
    let listed = call.get("actions").and_then(Value::as_array);
    let actions: Vec<&Value> = match listed {
        Some(actions) if !actions.is_empty() => actions.iter().collect(),
        // Older models send one at a time.
        _ => call.get("action").into_iter().collect(),
    };
    if actions.is_empty() {
        return vec![(Native::Unknown("computer".to_owned()), Value::Null)];
    }
    actions
        .into_iter()
        .map(|action| (meaning(action), action.clone()))
        .collect()
}

fn meaning(action: &Value) -> Native {
    let empty = Map::new();
    let action = action.as_object().unwrap_or(&empty);
    let kind = action
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("computer");
    let held = action
        .get("keys")
        .and_then(Value::as_array)
        .is_some_and(|keys| !keys.is_empty());
    if held && kind != "keypress" {
        // Held keys would get lost if this were read as the plain action that it resembles.
        return Native::Unknown(format!("{kind}_with_keys"));
    }
    known(kind, action).unwrap_or_else(|| Native::Unknown(kind.to_owned()))
}

fn known(kind: &str, action: &Map<String, Value>) -> Option<Native> {
    let at = || point(action, "x", "y");
    Some(match kind {
        "click" => {
            let button = match action.get("button").and_then(Value::as_str) {
                Some("left") | None => MouseButton::Left,
                Some("right") => MouseButton::Right,
                Some("wheel" | "middle") => MouseButton::Middle,
                // Back and forward leave the page, and no policy offers them.
                Some(other) => return Some(Native::Unknown(format!("click_{other}"))),
            };
            Native::one(click(at()?, button, 1))
        }
        "double_click" => Native::one(click(at()?, MouseButton::Left, 2)),
        "move" => Native::one(Action::Move(at()?)),
        "drag" => {
            let path = action.get("path")?.as_array()?;
            let [first, between @ .., last] = path.as_slice() else {
                return None;
            };
            if !between.is_empty() {
                // A drawn line is not the straight one between its ends.
                return Some(Native::Unknown("drag_along_a_path".to_owned()));
            }
            Native::one(Action::drag(
                point(first.as_object()?, "x", "y")?,
                point(last.as_object()?, "x", "y")?,
            ))
        }
        "scroll" => scroll(action)?,
        "keypress" => Native::one(Action::key(chord(action.get("keys")?)?)),
        "type" => Native::one(Action::type_text(action.get("text")?.as_str()?)),
        "wait" => Native::one(Action::wait(Duration::from_millis(1_000))),
        "screenshot" => Native::Look,
        _ => return None,
    })
}

/// One action for each axis; positive is down and to the right.
fn scroll(action: &Map<String, Value>) -> Option<Native> {
    let at = point(action, "x", "y");
    let way = |name: &str| action.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    let axes = [
        ("scroll_y", ScrollDirection::Down, ScrollDirection::Up),
        ("scroll_x", ScrollDirection::Right, ScrollDirection::Left),
    ];
    let scrolls: Vec<Action> = axes
        .into_iter()
        .filter(|(name, _, _)| way(name) != 0.0)
        .map(|(name, forward, backward)| {
            Action::Scroll(Scroll {
                at,
                direction: if way(name) > 0.0 { forward } else { backward },
                amount: notches(way(name)),
            })
        })
        .collect();
    (!scrolls.is_empty()).then_some(Native::Actions(scrolls))
}
