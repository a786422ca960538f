//! What a policy does, and the one place where an action becomes prose.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::channel::StopCause;
use crate::geometry::Point;

/// A button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MouseButton {
    /// The first button.
    Left,
    /// The wheel.
    Middle,
    /// The one that opens menus.
    Right,
}

impl fmt::Display for MouseButton {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        })
    }
}

/// Where the wheel turns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScrollDirection {
    /// Towards the beginning of the page.
    Up,
    /// Towards its end.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl fmt::Display for ScrollDirection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

/// One thing that a policy does with keyboard, mouse and microphone.
///
/// Written with `{}` it is one line of prose: `click(640, 400)`, `scroll down 3 at (200, 300)`, `type "64"`. That line is
/// what a model is shown of its prior actions, and what people read in a record's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Action {
    /// Presses and releases a button, `count` times, at a point.
    Click {
        /// Where.
        at: Point,
        /// Which button.
        button: MouseButton,
        /// Clicks in a row, 1 to 5.
        count: u8,
    },
    /// Presses the left button at `start`, moves, and releases it at `end`.
    Drag {
        /// Where the button goes down.
        start: Point,
        /// Where it goes up.
        end: Point,
    },
    /// Moves the pointer.
    Move {
        /// Where to.
        to: Point,
    },
    /// Types into whatever has the focus.
    Type {
        /// At most 10,000 characters.
        text: String,
    },
    /// Presses one chord.
    Key {
        /// X11 key names joined by `+`, for example `ctrl+a`.
        combo: String,
    },
    /// Turns the wheel.
    Scroll {
        /// Where; none is where the pointer is.
        at: Option<Point>,
        /// Where to.
        direction: ScrollDirection,
        /// Wheel notches, at most 100.
        amount: u32,
    },
    /// Speaks into the virtual microphone.
    Speak {
        /// The words.
        text: String,
    },
    /// Does nothing for a while.
    Wait {
        /// For how long, ms.
        ms: u64,
    },
    /// Says that the task is finished.
    Done,
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Click { at, button, count } => {
                write!(out, "click({}, {}", at.x, at.y)?;
                if *button != MouseButton::Left {
                    write!(out, ", {button}")?;
                }
                if *count != 1 {
                    write!(out, ", {count} times")?;
                }
                out.write_str(")")
            }
            Self::Drag { start, end } => write!(
                out,
                "drag({}, {} to {}, {})",
                start.x, start.y, end.x, end.y
            ),
            Self::Move { to } => write!(out, "move({}, {})", to.x, to.y),
            Self::Type { text } => write!(out, "type {text:?}"),
            Self::Key { combo } => write!(out, "key {combo}"),
            Self::Scroll {
                at,
                direction,
                amount,
            } => {
                write!(out, "scroll {direction} {amount}")?;
                match at {
                    Some(at) => write!(out, " at ({}, {})", at.x, at.y),
                    None => Ok(()),
                }
            }
            Self::Speak { text } => write!(out, "speak {text:?}"),
            Self::Wait { ms } => write!(out, "wait {}s", *ms as f64 / 1000.0),
            Self::Done => out.write_str("done"),
        }
    }
}

/// Why an action was not done. Written with `{}` it is a clause that can be shown to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ActionError {
    /// The point is outside the screen; nothing was done.
    OffScreen {
        /// The point.
        at: Point,
    },
    /// No key has this name.
    UnknownKey {
        /// The name.
        key: String,
    },
    /// The chord would leave the page.
    ForbiddenKey {
        /// The chord.
        combo: String,
    },
    /// The mode did not grant the channel.
    NotGranted {
        /// The channel's name.
        what: String,
    },
    /// A value of the action is out of range.
    Invalid {
        /// Which, and what is possible.
        reason: String,
    },
    /// An earlier action of the batch failed, or the policy aborted its actions.
    Cancelled,
    /// The host could not do it.
    Other {
        /// What went wrong.
        reason: String,
    },
}

impl fmt::Display for ActionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OffScreen { at } => write!(out, "({}, {}) is outside the screen", at.x, at.y),
            Self::UnknownKey { key } => write!(out, "there is no key called {key:?}"),
            Self::ForbiddenKey { combo } => {
                write!(out, "the chord {combo:?} would leave the page")
            }
            Self::NotGranted { what } => write!(out, "not granted in this mode: {what}"),
            Self::Cancelled => out.write_str("cancelled"),
            Self::Invalid { reason } | Self::Other { reason } => out.write_str(reason),
        }
    }
}

impl std::error::Error for ActionError {}

/// Why a batch of actions was not taken at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PerformError {
    /// More than 64 actions in one batch.
    TooMany {
        /// How many there were.
        count: u32,
    },
    /// The episode is over.
    Stopped {
        /// Why.
        cause: StopCause,
    },
}
