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

mod read;
mod text;

pub use read::{ReadCall, Unusable, canonical_name};

use serde_json::{Map, Value, json};

use crate::model::{Tool, ToolCall};
use crate::{Action, Click, Drag, MouseButton, Point, Scroll, ScrollDirection, Size};

/// Presses a mouse button at a point.
pub const CLICK: &str = "click";
/// Moves the pointer.
pub const MOVE: &str = "move";
/// Drags with the left button.
pub const DRAG: &str = "drag";
/// Types text into whatever has the focus.
pub const TYPE: &str = "type";
/// Presses one chord.
pub const KEY: &str = "key";
/// Turns the wheel.
pub const SCROLL: &str = "scroll";
/// Speaks into the microphone. Only offered where the speech channel is granted.
pub const SPEAK: &str = "speak";
/// Waits.
pub const WAIT: &str = "wait";
/// Says that the task is finished.
pub const DONE: &str = "done";
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
    /// assert_eq!(read.action, Action::click_at(640, 400));
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
            Action::MovePointer(at) => Action::MovePointer(place(*at)),
            Action::Drag(Drag { start, end }) => Action::drag_between(place(*start), place(*end)),
            Action::Scroll(scroll) => Action::Scroll(Scroll {
                at: scroll.at.map(place),
                ..*scroll
            }),
            other => other.clone(),
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

    /// The names that are offered, in the order of [`list`](Self::list).
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = vec![CLICK, MOVE, DRAG, TYPE, KEY, SCROLL];
        if self.speech {
            names.push(SPEAK);
        }
        names.extend([WAIT, DONE]);
        names
    }

    /// The tools with their JSON schemas, for a request.
    pub fn list(&self) -> Vec<Tool> {
        self.names()
            .into_iter()
            .map(|name| {
                let (description, properties, required) = self.shape(name);
                let schema = json!({
                    "type": "object",
                    "properties": properties,
                    "required": required,
                    "additionalProperties": false,
                });
                Tool {
                    name: name.to_owned(),
                    description: description.to_owned(),
                    input_schema: schema.to_string(),
                }
            })
            .collect()
    }

    /// The same for a model without tools: one line for each, to be answered by one JSON object.
    ///
    /// The object has the name under `action` and the arguments beside it: `{"action": "click", "x": 640, "y": 400}`.
    /// [`recover`](Self::recover) reads it.
    pub fn in_words(&self) -> String {
        let mut lines = String::new();
        for name in self.names() {
            let (description, properties, required) = self.shape(name);
            let arguments: Vec<String> = properties
                .iter()
                .map(|(key, shape)| {
                    let optional = if required.contains(&key.as_str()) {
                        ""
                    } else {
                        ", may be left out"
                    };
                    let said = shape["description"].as_str().unwrap_or_default();
                    format!("  {key:?}: {said}{optional}\n")
                })
                .collect();
            lines.push_str(&format!("{{\"action\": {name:?}}} {description}\n"));
            lines.push_str(&arguments.concat());
        }
        lines
    }

    /// Description, properties and what of them is required.
    fn shape(&self, name: &str) -> (&'static str, Map<String, Value>, Vec<&'static str>) {
        let (last_x, last_y) = self.last();
        let of = if self.grid.is_some() {
            "on the grid laid over the screenshot"
        } else {
            "in pixels of the screenshot"
        };
        let x = || json!({"type": "integer", "description": format!("from the left, 0 to {last_x} {of}")});
        let y = || json!({"type": "integer", "description": format!("from the top, 0 to {last_y} {of}")});
        let text = |description: &str| json!({"type": "string", "description": description});
        let (description, properties, required) = match name {
            CLICK => (
                "Clicks at a point. A count of 2 is a double click.",
                json!({
                    "x": x(), "y": y(),
                    "button": {"type": "string", "enum": ["left", "middle", "right"], "description": "left, middle or right; left by default"},
                    "count": {"type": "integer", "description": "clicks in a row, 1 to 5; 1 by default"},
                }),
                vec!["x", "y"],
            ),
            MOVE => (
                "Moves the pointer to a point without clicking.",
                json!({"x": x(), "y": y()}),
                vec!["x", "y"],
            ),
            DRAG => (
                "Presses the left button at the start, moves to the end and releases it there.",
                json!({"start_x": x(), "start_y": y(), "end_x": x(), "end_y": y()}),
                vec!["start_x", "start_y", "end_x", "end_y"],
            ),
            TYPE => (
                "Types text into whatever has the focus. A line break presses Enter.",
                json!({"text": text("the text")}),
                vec!["text"],
            ),
            KEY => (
                "Presses one key or one chord of keys.",
                json!({"combo": text("key names joined by +, for example Return, ctrl+a, shift+Tab")}),
                vec!["combo"],
            ),
            SCROLL => (
                "Turns the mouse wheel at a point, or where the pointer is.",
                json!({
                    "direction": {"type": "string", "enum": ["up", "down", "left", "right"], "description": "up, down, left or right"},
                    "amount": {"type": "integer", "description": "wheel notches, 1 to 100"},
                    "x": x(), "y": y(),
                }),
                vec!["direction", "amount"],
            ),
            SPEAK => (
                "Says a sentence aloud into the microphone.",
                json!({"text": text("what to say")}),
                vec!["text"],
            ),
            WAIT => (
                "Does nothing for a while, then looks again.",
                json!({"seconds": {"type": "number", "description": "seconds, at most 60"}}),
                vec!["seconds"],
            ),
            _ => (
                "Says that the task is finished and ends it. Nothing can be done afterwards.",
                json!({}),
                vec![],
            ),
        };
        let mut properties = match properties {
            Value::Object(properties) => properties,
            _ => Map::new(),
        };
        if self.notes {
            let note = text(
                "one or two sentences on what you saw or heard that later steps need; images are not shown again",
            );
            properties.insert(NOTE.to_owned(), note);
        }
        (description, properties, required)
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
    /// let call = ToolCall::of_action("c1", &Action::chord("ctrl+s"));
    /// assert_eq!((call.name.as_str(), call.arguments.as_str()), ("key", r#"{"combo":"ctrl+s"}"#));
    /// ```
    pub fn of_action(id: impl Into<String>, action: &Action) -> Self {
        let (name, arguments) = match action {
            Action::Click(Click { at, button, count }) => {
                let mut arguments = json!({"x": at.x, "y": at.y});
                match button {
                    MouseButton::Left => {}
                    MouseButton::Middle => arguments["button"] = "middle".into(),
                    MouseButton::Right => arguments["button"] = "right".into(),
                }
                if *count != 1 {
                    arguments["count"] = (*count).into();
                }
                (CLICK, arguments)
            }
            Action::MovePointer(at) => (MOVE, json!({"x": at.x, "y": at.y})),
            Action::Drag(Drag { start, end }) => (
                DRAG,
                json!({"start_x": start.x, "start_y": start.y, "end_x": end.x, "end_y": end.y}),
            ),
            Action::TypeText(text) => (TYPE, json!({"text": text})),
            Action::Key(chord) => (KEY, json!({"combo": chord})),
            Action::Scroll(Scroll {
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
                let mut arguments = json!({"direction": direction, "amount": amount});
                if let Some(at) = at {
                    arguments["x"] = at.x.into();
                    arguments["y"] = at.y.into();
                }
                (SCROLL, arguments)
            }
            Action::Speak(text) => (SPEAK, json!({"text": text})),
            Action::Wait(milliseconds) => (WAIT, json!({"seconds": *milliseconds as f64 / 1000.0})),
            Action::Done => (DONE, json!({})),
        };
        Self::new(id, name, arguments.to_string())
    }
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
