//! Short ways to make actions, their written form, and what became of those already done.

use std::fmt;

use crate::{
    Action, ActionError, ActionId, ActionKind, ActionReceipt, Click, Drag, Duration, MouseButton,
    Point, Rect, Scroll, ScrollDirection, Size,
};

dynacu_vocabulary::wit_conversions!(
    action: { crate::bindings::policy::dynacu::environment::action },
    observation: { crate::bindings::policy::dynacu::environment::observation }
);

/// An action that the policy performed, with its outcome once that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorAction {
    /// The id that the host gave it.
    pub id: ActionId,
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

/// Short ways, called as the actions are. `move` and `type` are words of Rust, so these two are longer here. [`Done`] needs
/// none.
///
/// [`Done`]: Self::Done
impl Action {
    /// One click of the left button at a pixel of the screen.
    pub fn click(x: i32, y: i32) -> Self {
        Self::Click(Click {
            at: Point { x, y },
            button: MouseButton::Left,
            count: 1,
        })
    }

    /// A drag with the left button between two pixels.
    pub fn drag(start: impl Into<Point>, end: impl Into<Point>) -> Self {
        Self::Drag(Drag {
            start: start.into(),
            end: end.into(),
        })
    }

    /// Moves the pointer to a pixel.
    pub fn move_to(x: i32, y: i32) -> Self {
        Self::Move(Point { x, y })
    }

    /// Text typed into whatever has the focus.
    pub fn type_text(text: impl Into<String>) -> Self {
        Self::Type(text.into())
    }

    /// One chord of X11 key names joined by `+`, for example `ctrl+a`.
    pub fn key(combo: impl Into<String>) -> Self {
        Self::Key(combo.into())
    }

    /// Wheel notches where the pointer is.
    pub fn scroll(direction: ScrollDirection, amount: u32) -> Self {
        Self::Scroll(Scroll {
            at: None,
            direction,
            amount,
        })
    }

    /// A sentence spoken into the virtual microphone.
    pub fn speak(text: impl Into<String>) -> Self {
        Self::Speak(text.into())
    }

    /// A pause, to the millisecond.
    pub fn wait(time: impl Into<Duration>) -> Self {
        Self::Wait(time.into())
    }

    /// What it is, without its details: the tool that a model does it with.
    pub const fn kind(&self) -> ActionKind {
        match self {
            Self::Click(_) => ActionKind::Click,
            Self::Move(_) => ActionKind::Move,
            Self::Drag(_) => ActionKind::Drag,
            Self::Type(_) => ActionKind::Type,
            Self::Key(_) => ActionKind::Key,
            Self::Scroll(_) => ActionKind::Scroll,
            Self::Speak(_) => ActionKind::Speak,
            Self::Wait(_) => ActionKind::Wait,
            Self::Done => ActionKind::Done,
        }
    }
}

/// One line of prose, as in the observation record's prior actions: `click(640, 400)`, `wait 3s`, `type "64"`.
impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        dynacu_vocabulary::Action::from(self.clone()).fmt(out)
    }
}

impl ActionError {
    /// The error as a clause that can be shown to a model.
    pub fn reason(&self) -> String {
        dynacu_vocabulary::ActionError::from(self.clone()).to_string()
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
