//! The computer-use tool: how it is declared, and what its calls mean. There are two sets of functions, by the model;
//! their names do not collide. Points are on a grid of 1000, which the adapter declares as its own.

use dynacu_sdk::{Action, Duration, MouseButton, Point, Scroll, ScrollDirection};
use model_wire::native::{Native, chord, click, notches, point};
use serde_json::{Map, Value, json};

/// Pixels of a scroll that names none, in the newer set and in the older one.
const SCROLL: f64 = 300.0;
const OLDER_SCROLL: f64 = 800.0;

/// The declaration. What leads out of the page is left out.
pub(super) fn declaration() -> Value {
    json!({
        "environment": "ENVIRONMENT_BROWSER",
        "excludedPredefinedFunctions":
            ["open_web_browser", "search", "navigate", "go_back", "go_forward"],
    })
}

/// Whether the provider wants a person to confirm a call.
pub(super) fn wants_confirmation(call: &Value) -> bool {
    call.get("args")
        .and_then(|args| args.get("safety_decision")?.get("decision")?.as_str())
        == Some("require_confirmation")
}

/// What the call of a function means.
pub(super) fn meaning(name: &str, args: &Map<String, Value>) -> Native {
    known(name, args).unwrap_or_else(|| Native::Unknown(name.to_owned()))
}

fn known(name: &str, args: &Map<String, Value>) -> Option<Native> {
    let at = || point(args, "x", "y");
    let text = |key: &str| Some(args.get(key)?.as_str()?.to_owned());
    let yes = |key: &str, default: bool| args.get(key).and_then(Value::as_bool).unwrap_or(default);
    Some(match name {
        "click" | "click_at" => Native::one(click(at()?, MouseButton::Left, 1)),
        "double_click" => Native::one(click(at()?, MouseButton::Left, 2)),
        "triple_click" => Native::one(click(at()?, MouseButton::Left, 3)),
        "middle_click" => Native::one(click(at()?, MouseButton::Middle, 1)),
        "right_click" => Native::one(click(at()?, MouseButton::Right, 1)),
        "move" | "hover_at" => Native::one(Action::Move(at()?)),
        "type" => {
            let mut actions = vec![Action::type_text(text("text")?)];
            if yes("press_enter", false) {
                actions.push(Action::key("Return"));
            }
            Native::Actions(actions)
        }
        "type_text_at" => {
            let mut actions = vec![click(at()?, MouseButton::Left, 1)];
            if yes("clear_before_typing", true) {
                actions.extend([Action::key("ctrl+a"), Action::key("BackSpace")]);
            }
            actions.push(Action::type_text(text("text")?));
            if yes("press_enter", true) {
                actions.push(Action::key("Return"));
            }
            Native::Actions(actions)
        }
        "press_key" => Native::one(Action::key(text("key")?)),
        "hotkey" => Native::one(Action::key(chord(args.get("keys")?)?)),
        "key_combination" => Native::one(Action::key(text("keys")?)),
        "scroll" => scroll(args, Some(at()?), SCROLL)?,
        "scroll_at" => scroll(args, Some(at()?), OLDER_SCROLL)?,
        "scroll_document" => scroll(args, None, OLDER_SCROLL)?,
        "drag_and_drop" => {
            let start = point(args, "start_x", "start_y").or_else(at)?;
            let end = point(args, "end_x", "end_y")
                .or_else(|| point(args, "destination_x", "destination_y"))?;
            Native::one(Action::drag(start, end))
        }
        "wait" => {
            let seconds = args.get("seconds").map_or(Some(1.0), Value::as_f64)?;
            let seconds = Some(seconds).filter(|seconds| (0.0..=300.0).contains(seconds))?;
            Native::one(Action::wait(Duration::from_millis(
                (seconds * 1000.0) as u64,
            )))
        }
        "wait_5_seconds" => Native::one(Action::wait(Duration::from_millis(5_000))),
        "take_screenshot" | "open_web_browser" => Native::Look,
        _ => return None,
    })
}

/// Documentation and reference code disagree on what the amount is called.
fn scroll(args: &Map<String, Value>, at: Option<Point>, default: f64) -> Option<Native> {
    let direction = match args.get("direction")?.as_str()? {
        "up" => ScrollDirection::Up,
        "down" => ScrollDirection::Down,
        "left" => ScrollDirection::Left,
        "right" => ScrollDirection::Right,
        _ => return None,
    };
    let pixels = ["magnitude_in_pixels", "magnitude"]
        .iter()
        .find_map(|key| args.get(*key))
        .map_or(Some(default), Value::as_f64)
        .filter(|pixels| *pixels > 0.0)?;
    Some(Native::one(Action::Scroll(Scroll {
        at,
        direction,
        amount: notches(pixels),
    })))
}
