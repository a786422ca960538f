//! Pointer and keyboard, through the X server's XTEST extension: what the browser sees is what a person's hands would cause.
//!
//! All methods block, for as long as the gesture takes. Use one `Input` from one thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use dynacu_runtime::types::{MouseButton, ScrollDirection};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{self, ConnectionExt as _};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use crate::desktop::display::off_screen;

mod keyboard;
pub mod keymap;

use keyboard::{Keyboard, Stroke};
use keymap::{Chord, keysym_of, keysyms, untypable};

/// A browser looks at the pointer's new place before it takes a press there.
const POINTER_SETTLE: Duration = Duration::from_millis(20);
const BUTTON_HOLD: Duration = Duration::from_millis(25);
/// Well inside the half second in which two clicks are a double click.
const BETWEEN_CLICKS: Duration = Duration::from_millis(70);
const DRAG_STEP: Duration = Duration::from_millis(8);
const DRAG_HOLD: Duration = Duration::from_millis(60);
const BETWEEN_NOTCHES: Duration = Duration::from_millis(12);
const KEY_HOLD: Duration = Duration::from_millis(20);
const BETWEEN_CHARACTERS: Duration = Duration::from_millis(5);
/// After keys got new meanings, for clients to read them.
const LAYOUT_SETTLE: Duration = Duration::from_millis(40);
/// Before a key that has been typed loses its meaning: a client reads a key press with the layout of the moment in which it
/// gets to it, and a busy one gets to it late.
const EVENTS_SETTLE: Duration = Duration::from_millis(400);

#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("the display {display} cannot be reached: {reason}")]
    Connect { display: String, reason: String },
    #[error("the display does not take input: {0}")]
    Display(String),
    #[error("the point ({0}, {1}) is outside the screen")]
    OffScreen(i32, i32),
    #[error("the keyboard cannot type U+{0:04X}")]
    NoKey(u32),
    #[error("the gesture was interrupted")]
    Interrupted,
}

/// What X11 calls the mouse's buttons.
fn button_number(button: MouseButton) -> u8 {
    match button {
        MouseButton::Left => 1,
        MouseButton::Middle => 2,
        MouseButton::Right => 3,
    }
}

/// The wheel's notches are buttons to X11.
fn notch_number(direction: ScrollDirection) -> u8 {
    match direction {
        ScrollDirection::Up => 4,
        ScrollDirection::Down => 5,
        ScrollDirection::Left => 6,
        ScrollDirection::Right => 7,
    }
}

/// The hands of one lane.
#[derive(Debug)]
pub struct Input {
    connection: RustConnection,
    root: xproto::Window,
    keyboard: Keyboard,
    interrupt: Arc<AtomicBool>,
}

impl Input {
    /// Connects to a display such as `:3`.
    pub fn connect(display: &str) -> Result<Self, InputError> {
        let failed = |reason: String| InputError::Connect {
            display: display.to_owned(),
            reason,
        };
        let (connection, screen) =
            x11rb::connect(Some(display)).map_err(|error| failed(error.to_string()))?;
        let root = connection
            .setup()
            .roots
            .get(screen)
            .ok_or_else(|| failed("it has no screen".to_owned()))?
            .root;
        connection
            .xtest_get_version(2, 2)
            .map_err(|error| failed(error.to_string()))?
            .reply()
            .map_err(|error| failed(format!("it has no XTEST: {error}")))?;
        // On a starved machine a press and its release can come late enough for the server to repeat the key.
        let quiet =
            xproto::ChangeKeyboardControlAux::new().auto_repeat_mode(xproto::AutoRepeatMode::OFF);
        connection
            .change_keyboard_control(&quiet)
            .map_err(|error| failed(error.to_string()))?;
        let keyboard = Keyboard::read(&connection)?;
        Ok(Self {
            connection,
            root,
            keyboard,
            interrupt: Arc::new(AtomicBool::new(false)),
        })
    }

    /// While this is true, gestures end early with [`InputError::Interrupted`], and nothing stays pressed. The setter also
    /// clears it.
    #[must_use]
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// Where the pointer is, in pixels of the screen.
    pub fn pointer(&self) -> Result<(i32, i32), InputError> {
        let reply = self.connection.query_pointer(self.root).map_err(display)?;
        let reply = reply.reply().map_err(display)?;
        Ok((i32::from(reply.root_x), i32::from(reply.root_y)))
    }

    /// Puts the pointer at a point.
    pub fn move_pointer(&self, x: i32, y: i32) -> Result<(), InputError> {
        let (Ok(to_x), Ok(to_y), false) = (i16::try_from(x), i16::try_from(y), off_screen(x, y))
        else {
            return Err(InputError::OffScreen(x, y));
        };
        self.send(xproto::MOTION_NOTIFY_EVENT, 0, to_x, to_y)?;
        self.sync()
    }

    /// Moves to a point and clicks there `count` times, fast enough to be one double or triple click.
    pub fn click(&self, x: i32, y: i32, button: MouseButton, count: u8) -> Result<(), InputError> {
        self.move_pointer(x, y)?;
        sleep(POINTER_SETTLE);
        for number in 0..count {
            self.go_on()?;
            if number > 0 {
                sleep(BETWEEN_CLICKS);
            }
            self.button(button_number(button), true)?;
            sleep(BUTTON_HOLD);
            self.button(button_number(button), false)?;
        }
        self.sync()
    }

    /// Presses the left button at `start`, moves along a straight line, releases it at `end`.
    pub fn drag(&self, start: (i32, i32), end: (i32, i32)) -> Result<(), InputError> {
        if off_screen(end.0, end.1) {
            return Err(InputError::OffScreen(end.0, end.1));
        }
        self.move_pointer(start.0, start.1)?;
        sleep(POINTER_SETTLE);
        self.button(button_number(MouseButton::Left), true)?;
        sleep(DRAG_HOLD);
        let (across, down) = (end.0 - start.0, end.1 - start.1);
        // Pages see a drag by its way, so it has many places: at least ten, and one for each dozen pixels.
        let steps = (across.abs().max(down.abs()) / 12).clamp(10, 60);
        for step in 1..=steps {
            if let Err(interrupted) = self.go_on() {
                self.button(button_number(MouseButton::Left), false)?;
                return Err(interrupted);
            }
            self.move_pointer(
                start.0 + across * step / steps,
                start.1 + down * step / steps,
            )?;
            sleep(DRAG_STEP);
        }
        sleep(DRAG_HOLD);
        self.button(button_number(MouseButton::Left), false)?;
        self.sync()
    }

    /// Turns the wheel by `notches`, at a point or where the pointer is.
    pub fn scroll(
        &self,
        at: Option<(i32, i32)>,
        direction: ScrollDirection,
        notches: u32,
    ) -> Result<(), InputError> {
        if let Some((x, y)) = at {
            self.move_pointer(x, y)?;
            sleep(POINTER_SETTLE);
        }
        for _ in 0..notches {
            self.go_on()?;
            self.button(notch_number(direction), true)?;
            self.button(notch_number(direction), false)?;
            sleep(BETWEEN_NOTCHES);
        }
        self.sync()
    }

    /// Presses and releases a chord that [`keymap`] has let through.
    pub fn key(&mut self, chord: &Chord) -> Result<(), InputError> {
        let stroke = self.stroke(chord.keysym)?;
        let mut held = Vec::new();
        for modifier in &chord.modifiers {
            held.push(self.key_of(modifier.keysym())?);
        }
        for modifier in self.modifiers_of(stroke)? {
            if !held.contains(&modifier) {
                held.push(modifier);
            }
        }
        for code in &held {
            self.press(*code, true)?;
        }
        self.press(stroke.code, true)?;
        self.sync()?;
        sleep(KEY_HOLD);
        self.press(stroke.code, false)?;
        for code in held.iter().rev() {
            self.press(*code, false)?;
        }
        self.sync()
    }

    /// Types text into whatever has the focus. A line break is Return, a tabulator Tab; every other character comes from a key
    /// that has it, or from a spare key that is given it.
    pub fn type_text(&mut self, text: &str) -> Result<(), InputError> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if let Some(character) = text.chars().find(|character| untypable(*character)) {
            return Err(InputError::NoKey(u32::from(character)));
        }
        let mut rest: &[u32] = &text.chars().map(keysym_of).collect::<Vec<_>>();
        while !rest.is_empty() {
            let batch = self.prepare(rest)?;
            let (now, later) = rest.split_at(batch);
            for keysym in now {
                self.go_on()?;
                self.strike(*keysym)?;
                sleep(BETWEEN_CHARACTERS);
            }
            rest = later;
        }
        self.sync()
    }

    /// Releases every key and button that the display holds to be pressed.
    pub fn release_all(&self) -> Result<(), InputError> {
        let keys = self.connection.query_keymap().map_err(display)?;
        let keys = keys.reply().map_err(display)?.keys;
        for code in self.keyboard.codes() {
            let byte = keys.get(usize::from(code / 8)).copied().unwrap_or(0);
            if byte & (1 << (code % 8)) != 0 {
                self.press(code, false)?;
            }
        }
        let pointer = self.connection.query_pointer(self.root).map_err(display)?;
        let mask = u16::from(pointer.reply().map_err(display)?.mask);
        for number in 1..=5_u8 {
            if mask & (u16::from(xproto::KeyButMask::BUTTON1) << (number - 1)) != 0 {
                self.button(number, false)?;
            }
        }
        self.sync()
    }

    /// Gives keys to as many of `keysyms` as one layout can hold, and says how many those are (at least one).
    fn prepare(&mut self, keysyms: &[u32]) -> Result<usize, InputError> {
        let plan = self.keyboard.plan(keysyms);
        if plan.count == 0 {
            return Err(InputError::NoKey(
                keysyms.first().copied().unwrap_or(0) & 0x00ff_ffff,
            ));
        }
        if !plan.bindings.is_empty() {
            if plan.rebinds {
                self.sync()?;
                sleep(EVENTS_SETTLE);
            }
            for (code, keysym) in &plan.bindings {
                self.keyboard.bind(&self.connection, *code, *keysym)?;
            }
            self.sync()?;
            sleep(LAYOUT_SETTLE);
        }
        Ok(plan.count)
    }

    fn stroke(&mut self, keysym: u32) -> Result<Stroke, InputError> {
        if self.keyboard.find(keysym).is_none() {
            self.prepare(&[keysym])?;
        }
        let missing = InputError::NoKey(keysym & 0x00ff_ffff);
        self.keyboard.find(keysym).ok_or(missing)
    }

    fn strike(&mut self, keysym: u32) -> Result<(), InputError> {
        let stroke = self.stroke(keysym)?;
        let held = self.modifiers_of(stroke)?;
        for code in &held {
            self.press(*code, true)?;
        }
        self.press(stroke.code, true)?;
        self.press(stroke.code, false)?;
        for code in held.iter().rev() {
            self.press(*code, false)?;
        }
        self.connection.flush().map_err(display)
    }

    /// The keys to hold for the level on which a stroke's meaning lies.
    fn modifiers_of(&self, stroke: Stroke) -> Result<Vec<u8>, InputError> {
        let mut held = Vec::new();
        if stroke.shift {
            held.push(self.key_of(keysyms::SHIFT)?);
        }
        if stroke.level3 {
            held.push(self.key_of(keysyms::LEVEL3_SHIFT)?);
        }
        Ok(held)
    }

    fn key_of(&self, keysym: u32) -> Result<u8, InputError> {
        let stroke = self.keyboard.find(keysym);
        Ok(stroke.ok_or(InputError::NoKey(keysym))?.code)
    }

    fn press(&self, code: u8, down: bool) -> Result<(), InputError> {
        let kind = if down {
            xproto::KEY_PRESS_EVENT
        } else {
            xproto::KEY_RELEASE_EVENT
        };
        self.send(kind, code, 0, 0)
    }

    fn button(&self, number: u8, down: bool) -> Result<(), InputError> {
        let kind = if down {
            xproto::BUTTON_PRESS_EVENT
        } else {
            xproto::BUTTON_RELEASE_EVENT
        };
        self.send(kind, number, 0, 0)?;
        self.connection.flush().map_err(display)
    }

    fn send(&self, kind: u8, detail: u8, x: i16, y: i16) -> Result<(), InputError> {
        self.connection
            .xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, x, y, 0)
            .map_err(display)?;
        Ok(())
    }

    /// Waits until the server has done all that was sent.
    fn sync(&self) -> Result<(), InputError> {
        let reply = self.connection.get_input_focus().map_err(display)?;
        reply.reply().map_err(display)?;
        Ok(())
    }

    fn go_on(&self) -> Result<(), InputError> {
        if self.interrupt.load(Ordering::Relaxed) {
            Err(InputError::Interrupted)
        } else {
            Ok(())
        }
    }
}

impl Drop for Input {
    /// Leaves the keyboard as it was found, for the lane's next episode.
    fn drop(&mut self) {
        let _ = self.release_all();
        let _ = self.keyboard.restore(&self.connection);
        let _ = self.sync();
    }
}

fn display(error: impl std::fmt::Display) -> InputError {
    InputError::Display(error.to_string())
}
