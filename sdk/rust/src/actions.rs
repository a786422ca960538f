//! Short ways to make actions, their written form, and what became of those already done.

use std::fmt;
use std::time::Duration;

use crate::{
    Action, ActionError, ActionReceipt, Click, Drag, MouseButton, Point, Rect, Scroll,
    ScrollDirection, Size,
};

/// An action that the policy performed, with its outcome once that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorAction {
    /// The id that the host gave it.
    pub id: u64,
    /// The observation that it followed, counted from 1; 0 before the first.
    pub step: u32,
    /// What was asked for.
    pub action: Action,
    /// None while the action is queued or under way.
    pub outcome: Option<Result<ActionReceipt, ActionError>>,
}

impl fmt::Display for PriorAction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Step {}: {}", self.step, self.action)?;
        match &self.outcome {
            Some(Err(error)) => write!(out, " → error: {}", error.reason()),
            Some(Ok(_)) => Ok(()),
            None => write!(out, " → not finished yet"),
        }
    }
}

impl Action {
    /// One click of the left button at a pixel of the screen.
    pub fn click_at(x: i32, y: i32) -> Self {
        Self::Click(Click {
            at: Point { x, y },
            button: MouseButton::Left,
            count: 1,
        })
    }

    /// A drag with the left button between two pixels.
    pub fn drag_between(start: Point, end: Point) -> Self {
        Self::Drag(Drag { start, end })
    }

    /// Text typed into whatever has the focus.
    pub fn text(text: impl Into<String>) -> Self {
        Self::TypeText(text.into())
    }

    /// One chord of X11 key names joined by `+`, for example `ctrl+a`.
    pub fn chord(chord: impl Into<String>) -> Self {
        Self::Key(chord.into())
    }

    /// Wheel notches where the pointer is.
    pub fn scroll_by(direction: ScrollDirection, notches: u32) -> Self {
        Self::Scroll(Scroll {
            at: None,
            direction,
            amount: notches,
        })
    }

    /// A sentence spoken into the virtual microphone.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Speak(text.into())
    }

    /// A pause, to the millisecond.
    pub fn pause(time: Duration) -> Self {
        Self::Wait(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

/// The form of the observation record's prior actions: `click(640, 400)`, `wait 3s`, `type "64"`.
impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Click(Click { at, button, count }) => {
                write!(out, "click({}, {}", at.x, at.y)?;
                match button {
                    MouseButton::Left => {}
                    MouseButton::Middle => write!(out, ", middle")?,
                    MouseButton::Right => write!(out, ", right")?,
                }
                if *count != 1 {
                    write!(out, ", {count} times")?;
                }
                write!(out, ")")
            }
            Self::MovePointer(at) => write!(out, "move({}, {})", at.x, at.y),
            Self::Drag(Drag { start, end }) => {
                write!(
                    out,
                    "drag({}, {} to {}, {})",
                    start.x, start.y, end.x, end.y
                )
            }
            Self::TypeText(text) => write!(out, "type {text:?}"),
            Self::Key(chord) => write!(out, "key {chord}"),
            Self::Scroll(Scroll {
                at,
                direction,
                amount,
            }) => {
                let direction = match direction {
                    ScrollDirection::Up => "up",
                    ScrollDirection::Down => "down",
                    ScrollDirection::Left => "left",
                    ScrollDirection::Right => "right",
                };
                write!(out, "scroll {direction} {amount}")?;
                match at {
                    Some(at) => write!(out, " at ({}, {})", at.x, at.y),
                    None => Ok(()),
                }
            }
            Self::Speak(text) => write!(out, "speak {text:?}"),
            Self::Wait(milliseconds) => write!(out, "wait {}s", *milliseconds as f64 / 1000.0),
            Self::Done => write!(out, "done"),
        }
    }
}

impl ActionError {
    /// The error as a clause that can be shown to a model.
    pub fn reason(&self) -> String {
        match self {
            Self::OffScreen(at) => format!("({}, {}) is outside the screen", at.x, at.y),
            Self::UnknownKey(key) => format!("there is no key called {key:?}"),
            Self::ForbiddenKey(chord) => format!("the chord {chord:?} would leave the page"),
            Self::NotGranted(what) => format!("not granted in this mode: {what}"),
            Self::Cancelled => "cancelled".to_owned(),
            Self::Other(what) => what.clone(),
        }
    }
}

impl Rect {
    /// The rectangle of a corner and a size, in pixels.
    pub fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
        Self {
            origin: Point { x, y },
            size: Size { width, height },
        }
    }

    /// The pixel in the middle.
    pub fn centre(&self) -> Point {
        Point {
            x: self.origin.x + (self.size.width / 2) as i32,
            y: self.origin.y + (self.size.height / 2) as i32,
        }
    }

    /// Whether the two share a pixel.
    pub fn meets(&self, other: &Self) -> bool {
        let overlap = |start_a: i32, length_a: u32, start_b: i32, length_b: u32| {
            i64::from(start_a) < i64::from(start_b) + i64::from(length_b)
                && i64::from(start_b) < i64::from(start_a) + i64::from(length_a)
        };
        overlap(
            self.origin.x,
            self.size.width,
            other.origin.x,
            other.size.width,
        ) && overlap(
            self.origin.y,
            self.size.height,
            other.origin.y,
            other.size.height,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_that_touch_do_not_meet() {
        let area = Rect::new(10, 10, 20, 20);
        assert!(area.meets(&Rect::new(29, 29, 5, 5)));
        assert!(!area.meets(&Rect::new(30, 10, 5, 5)));
        assert_eq!(area.centre(), Point { x: 20, y: 20 });
    }
}
