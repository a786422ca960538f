//! The actions as tools for a model: their names, their schemas, and how a call is read back.
//!
//! This is the contract between policies and model adapters. A policy offers [`Tools::list`] in its request; an adapter
//! offers them to the model as function tools under these names, and hands calls back under these names. A native
//! computer-use tool is mapped onto them: make the [`Action`] and write it with [`ToolCall::of_action`].
//!
//! | tool | arguments | action |
//! |---|---|---|
//! | `click` | `x`, `y`; `button` (`left`, `middle`, `right`), `count` 1 to 5 | presses and releases, `count` times |
//! | `move` | `x`, `y` | moves the pointer |
//! | `drag` | `start_x`, `start_y`, `end_x`, `end_y` | drags with the left button |
//! | `type` | `text` | types into whatever has the focus |
//! | `key` | `combo`, for example `ctrl+a` | presses one chord |
//! | `scroll` | `direction`, `amount` in wheel notches; `x`, `y` | turns the wheel |
//! | `speak` | `text` | speaks into the microphone |
//! | `wait` | `seconds` | waits |
//! | `done` | | ends the episode |
//!
//! # Coordinates
//!
//! Points are pixels of the screenshot as it was sent; its size is [`Request::display`](crate::model::Request), and the
//! policy turns them into pixels of the screen. Where the adapter declares a
//! [`coordinate_grid`](crate::model::Capabilities) of `g`, the tools ask for 0 to `g` on both axes instead, and the
//! policy turns those into pixels too. So an adapter converts only where what its model answers with is neither: a
//! native tool on a grid of 1000, say, either declares 1000 and passes numbers on, or declares none and converts to
//! pixels of the display. Nothing is moved inside: the host refuses a point outside the screen and the model is told.
//!
//! # What an adapter passes on
//!
//! Names and arguments as the model wrote them, several calls in their order, and text as text.
//! [`Tools::read`] and [`Tools::recover`] are tolerant in the ways listed there, so that every adapter is so in the same
//! way.

mod arguments;
mod read;
mod shape;
mod text;

pub use read::{ReadCall, Unusable};

use serde_json::json;

use crate::model::ToolCall;
use crate::{Action, Click, Drag, MouseButton, Point, Scroll, Size};

/// The optional argument of every tool in which a model notes what it saw; see [`Tools::with_notes`].
pub const NOTE: &str = "note";

/// The tools of one request: which there are, and in which space their coordinates are.
#[derive(Clone, Debug, PartialEq)]
pub struct Tools {
    screen: Size,
    sent: Size,
    grid: Option<u32>,
    speech: bool,
    notes: bool,
}

impl Tools {
    /// The tools for a screen that is sent in its own size: pixels, no `speak`, no notes.
    ///
    /// ```
    /// use dynacu_sdk::{Action, Size, model::ToolCall, tools::Tools};
    ///
    /// let tools = Tools::new(Size { width: 1280, height: 720 });
    /// let call = ToolCall::new("c1", "click", r#"{"x": 640, "y": 400}"#);
    /// let read = tools.read(&call).unwrap();
    /// assert_eq!(read.action, Action::click(640, 400));
    ///
    /// let call = ToolCall::new("c2", "click", r#"{"x": 640}"#);
    /// assert!(tools.read(&call).unwrap_err().to_string().contains("`y`"));
    /// ```
    pub fn new(screen: Size) -> Self {
        Self {
            screen,
            sent: screen,
            grid: None,
            speech: false,
            notes: false,
        }
    }

    /// The screenshot is sent in this size, so points come back in its pixels.
    #[must_use]
    pub fn sent_as(self, sent: Size) -> Self {
        Self { sent, ..self }
    }

    /// The adapter's [`coordinate_grid`](crate::model::Capabilities).
    #[must_use]
    pub fn on_grid(self, grid: Option<u32>) -> Self {
        Self { grid, ..self }
    }

    /// Whether `speak` is offered.
    #[must_use]
    pub fn with_speech(self, speech: bool) -> Self {
        Self { speech, ..self }
    }

    /// Whether each tool takes a `note`.
    #[must_use]
    pub fn with_notes(self, notes: bool) -> Self {
        Self { notes, ..self }
    }

    /// The largest coordinates that are on the screen, in the space that the model answers in.
    fn last(&self) -> (u32, u32) {
        let (width, height) = self.space();
        (width.saturating_sub(1), height.saturating_sub(1))
    }

    /// How far the space reaches in which the model answers.
    fn space(&self) -> (u32, u32) {
        match self.grid {
            Some(grid) => (grid, grid),
            None => (self.sent.width, self.sent.height),
        }
    }

    /// A pixel of the screen in the space that the model answers in: what it would have to name to mean that pixel.
    ///
    /// ```
    /// use dynacu_sdk::{Point, Size, tools::Tools};
    ///
    /// let tools = Tools::new(Size::from((1280, 720))).on_grid(Some(1000));
    /// assert_eq!(tools.place_of(Point::from((655, 72))), Point::from((512, 100)));
    /// ```
    pub fn place_of(&self, pixel: Point) -> Point {
        let (width, height) = self.space();
        let scale = |value: i32, from: u32, to: u32| {
            // Rounded up, as the way back is rounded down.
            let scaled = -(-i64::from(value) * i64::from(to)).div_euclid(i64::from(from.max(1)));
            scaled.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        };
        Point {
            x: scale(pixel.x, self.screen.width, width),
            y: scale(pixel.y, self.screen.height, height),
        }
    }

    /// An action of the screen with its points in the space that the model answers in, to tell it what it did.
    pub fn as_the_model_says(&self, action: &Action) -> Action {
        let place = |point| self.place_of(point);
        match action {
            Action::Click(click) => Action::Click(Click {
                at: place(click.at),
                ..*click
            }),
            Action::Move(at) => Action::Move(place(*at)),
            Action::Drag(Drag { start, end }) => Action::drag(place(*start), place(*end)),
            Action::Scroll(scroll) => Action::Scroll(Scroll {
                at: scroll.at.map(place),
                ..*scroll
            }),
            Action::Type(_)
            | Action::Key(_)
            | Action::Speak(_)
            | Action::Wait(_)
            | Action::Done => action.clone(),
        }
    }

    /// A point that the model named, as a pixel of the screen. What is outside stays outside.
    fn to_screen(&self, x: i64, y: i64) -> Point {
        let (width, height) = self.space();
        let scale = |value: i64, from: u32, to: u32| {
            let scaled = (value * i64::from(to)).div_euclid(i64::from(from.max(1)));
            scaled.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        };
        Point {
            x: scale(x, width, self.screen.width),
            y: scale(y, height, self.screen.height),
        }
    }
}

impl ToolCall {
    /// A call with its arguments as JSON text.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    /// The call that means this action, for an adapter whose model answers in other words. Points are written as they
    /// are: give them in the space that the adapter declares.
    ///
    /// ```
    /// use dynacu_sdk::{Action, model::ToolCall};
    ///
    /// let call = ToolCall::of_action("c1", &Action::key("ctrl+s"));
    /// assert_eq!((call.name.as_str(), call.arguments.as_str()), ("key", r#"{"combo":"ctrl+s"}"#));
    /// ```
    pub fn of_action(id: impl Into<String>, action: &Action) -> Self {
        let arguments = match action {
            Action::Click(Click { at, button, count }) => {
                let mut arguments = json!({"x": at.x, "y": at.y});
                if *button != MouseButton::Left {
                    let button = dynacu_vocabulary::MouseButton::from(*button);
                    arguments["button"] = button.to_string().into();
                }
                if *count != 1 {
                    arguments["count"] = (*count).into();
                }
                arguments
            }
            Action::Move(at) => json!({"x": at.x, "y": at.y}),
            Action::Drag(Drag { start, end }) => {
                json!({"start_x": start.x, "start_y": start.y, "end_x": end.x, "end_y": end.y})
            }
            Action::Type(text) | Action::Speak(text) => json!({"text": text}),
            Action::Key(combo) => json!({"combo": combo}),
            Action::Scroll(Scroll {
                at,
                direction,
                amount,
            }) => {
                let direction = dynacu_vocabulary::ScrollDirection::from(*direction);
                let mut arguments = json!({"direction": direction.to_string(), "amount": amount});
                if let Some(at) = at {
                    arguments["x"] = at.x.into();
                    arguments["y"] = at.y.into();
                }
                arguments
            }
            Action::Wait(time) => json!({"seconds": time.as_seconds()}),
            Action::Done => json!({}),
        };
        Self::new(id, action.kind().name(), arguments.to_string())
    }
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
