//! The computer-use tool: how it is declared, and what its calls mean.

use dynacu_sdk::{Action, Duration, MouseButton, Point, Scroll, ScrollDirection};
use model_wire::native::{Native, click, pair};
use serde_json::{Map, Value, json};

use crate::models::ComputerTool;

/// Keys pressed by one call at most, as documented.
const MOST_REPEATS: u64 = 100;

/// The entry of `tools`. What no policy offers is switched off where it can be.
pub(super) fn declaration(model: &str, display: Option<(u32, u32)>) -> Value {
    match ComputerTool::of(model) {
        ComputerTool::Toolset => json!({
            "type": "computer_toolset_20260801",
            "configs": {
                "zoom": {"enabled": false},
                "cursor_position": {"enabled": false},
                "hold_key": {"enabled": false},
                "left_mouse_down": {"enabled": false},
                "left_mouse_up": {"enabled": false},
            },
        }),
        ComputerTool::Single(kind, _) => {
            let (width, height) = display.unwrap_or((1280, 720));
            json!({
                "type": kind,
                "name": "computer",
                "display_width_px": width,
                "display_height_px": height,
            })
        }
    }
}

/// What a call of the tool named `name` means.
pub(super) fn meaning(name: &str, input: &Map<String, Value>) -> Native {
    let unknown = || Native::Unknown(name.to_owned());
    let text = input.get("text").and_then(Value::as_str);
    let at = |action: &dyn Fn(Point) -> Action| match (pair(input, "coordinate"), text) {
        (Some(at), None | Some("")) => Native::one(action(at)),
        // Held keys would get lost if this were read as the plain click that it resembles.
        (_, Some(_)) => Native::Unknown(format!("{name}_with_keys")),
        (None, _) => unknown(),
    };
    match name {
        "left_click" => at(&|at| click(at, MouseButton::Left, 1)),
        "right_click" => at(&|at| click(at, MouseButton::Right, 1)),
        "middle_click" => at(&|at| click(at, MouseButton::Middle, 1)),
        "double_click" => at(&|at| click(at, MouseButton::Left, 2)),
        "triple_click" => at(&|at| click(at, MouseButton::Left, 3)),
        "mouse_move" => at(&Action::Move),
        "left_click_drag" => match pair(input, "start_coordinate") {
            Some(start) => at(&|end| Action::drag(start, end)),
            None => unknown(),
        },
        "scroll" => scroll(input).unwrap_or_else(|| Native::Unknown("scroll".to_owned())),
        "type" => match text {
            Some(text) => Native::one(Action::type_text(text)),
            None => unknown(),
        },
        "key" => match text {
            Some(chord) => {
                let repeat = input.get("repeat").and_then(Value::as_u64).unwrap_or(1);
                let repeat = repeat.clamp(1, MOST_REPEATS) as usize;
                Native::Actions(vec![Action::key(chord); repeat])
            }
            None => unknown(),
        },
        "wait" => match input.get("duration").and_then(Value::as_f64) {
            Some(seconds) if (0.0..=300.0).contains(&seconds) => Native::one(Action::wait(
                Duration::from_millis((seconds * 1000.0) as u64),
            )),
            _ => unknown(),
        },
        "screenshot" | "zoom" | "cursor_position" => Native::Look,
        _ => unknown(),
    }
}

fn scroll(input: &Map<String, Value>) -> Option<Native> {
    let held = input
        .get("text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !held.is_empty() {
        return Some(Native::Unknown("scroll_with_keys".to_owned()));
    }
    let direction = match input.get("scroll_direction")?.as_str()? {
        "up" => ScrollDirection::Up,
        "down" => ScrollDirection::Down,
        "left" => ScrollDirection::Left,
        "right" => ScrollDirection::Right,
        _ => return None,
    };
    let amount = u32::try_from(input.get("scroll_amount")?.as_u64()?).ok()?;
    let at = match input.get("coordinate") {
        Some(_) => Some(pair(input, "coordinate")?),
        None => None,
    };
    Some(Native::one(Action::Scroll(Scroll {
        at,
        direction,
        amount,
    })))
}
