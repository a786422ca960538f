//! Actions and their errors as single lines: for the record and for people.

use dynacu_runtime::types::{Action, ActionError, MouseButton};

/// An action as one line, as the specification writes it.
#[must_use]
pub fn describe(action: &Action) -> String {
    match action {
        Action::Click(click) => {
            let mut text = format!("click({}, {})", click.at.x, click.at.y);
            if click.count != 1 || click.button != MouseButton::Left {
                text.push_str(&format!(" {:?} x{}", click.button, click.count));
            }
            text
        }
        Action::MovePointer(point) => format!("move-pointer({}, {})", point.x, point.y),
        Action::Drag(drag) => format!(
            "drag({}, {} to {}, {})",
            drag.start.x, drag.start.y, drag.end.x, drag.end.y
        ),
        Action::TypeText(text) => format!("type {text:?}"),
        Action::Key(chord) => format!("key {chord}"),
        Action::Scroll(scroll) => format!("scroll {:?} {}", scroll.direction, scroll.amount),
        Action::Speak(text) => format!("speak {text:?}"),
        Action::Wait(time) => format!("wait {time} ms"),
        Action::Done => "done".to_owned(),
    }
}

#[must_use]
pub fn describe_error(error: &ActionError) -> String {
    match error {
        ActionError::OffScreen(point) => format!(
            "off-screen: ({}, {}) is outside the screen",
            point.x, point.y
        ),
        ActionError::UnknownKey(key) => format!("unknown-key: {key}"),
        ActionError::ForbiddenKey(chord) => format!("forbidden-key: {chord}"),
        ActionError::NotGranted(what) => format!("not-granted: {what}"),
        ActionError::Cancelled => "cancelled".to_owned(),
        ActionError::Other(text) => text.clone(),
    }
}
