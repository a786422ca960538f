//! What is wrong with an action, before anything of it is done. Nothing is clamped: a point outside the screen is an error
//! that the policy sees.

use crate::desktop::display::{HEIGHT, WIDTH, off_screen};
use crate::input::keymap::{self, KeyError, untypable};

/// The most clicks of one click action: three select a paragraph, no page asks for more than a few.
pub const MOST_CLICKS: u8 = 5;
/// The most wheel notches of one scroll action.
pub const MOST_NOTCHES: u32 = 100;
/// The most characters of one type-text action: at a hundred a second, longer ones would outlast an episode's patience.
pub const MOST_CHARACTERS: usize = 10_000;

/// An action as far as its validity goes. Points are pixels of the screen, the origin is its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposed<'a> {
    Click {
        at: (i32, i32),
        count: u8,
    },
    Move {
        to: (i32, i32),
    },
    Drag {
        start: (i32, i32),
        end: (i32, i32),
    },
    Scroll {
        at: Option<(i32, i32)>,
        notches: u32,
    },
    Type {
        text: &'a str,
    },
    Key {
        chord: &'a str,
    },
    Speak {
        text: &'a str,
    },
    /// `wait` and `done`.
    Pause,
}

/// Why an action is not done. The first four are the interface's errors of the same names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the point ({0}, {1}) is outside the screen of {WIDTH}x{HEIGHT}")]
    OffScreen(i32, i32),
    #[error("there is no key named {0:?}")]
    UnknownKey(String),
    #[error("the chord {0:?} is not one of those that stay on the page")]
    ForbiddenKey(String),
    #[error("the mode does not grant {0}")]
    NotGranted(String),
    #[error("{0}")]
    Other(String),
}

impl From<KeyError> for Refusal {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::UnknownKey(name) => Self::UnknownKey(name),
            KeyError::ForbiddenKey(chord) => Self::ForbiddenKey(chord),
        }
    }
}

/// Checks one action; `speech_granted` is the mode's word on the microphone.
pub fn check(action: &Proposed<'_>, speech_granted: bool) -> Result<(), Refusal> {
    let on_screen = |(x, y): (i32, i32)| {
        if off_screen(x, y) {
            Err(Refusal::OffScreen(x, y))
        } else {
            Ok(())
        }
    };
    match *action {
        Proposed::Click { at, count } => {
            on_screen(at)?;
            if count == 0 || count > MOST_CLICKS {
                return Err(Refusal::Other(format!(
                    "a click has 1 to {MOST_CLICKS} clicks, not {count}"
                )));
            }
            Ok(())
        }
        Proposed::Move { to } => on_screen(to),
        Proposed::Drag { start, end } => on_screen(start).and_then(|()| on_screen(end)),
        Proposed::Scroll { at, notches } => {
            at.map_or(Ok(()), on_screen)?;
            if notches > MOST_NOTCHES {
                return Err(Refusal::Other(format!(
                    "a scroll has at most {MOST_NOTCHES} notches, not {notches}"
                )));
            }
            Ok(())
        }
        Proposed::Type { text } => {
            let count = text.chars().count();
            if count > MOST_CHARACTERS {
                return Err(Refusal::Other(format!(
                    "a text has at most {MOST_CHARACTERS} characters, not {count}"
                )));
            }
            match text.chars().find(|character| untypable(*character)) {
                Some(character) => Err(Refusal::Other(format!(
                    "the character U+{:04X} cannot be typed",
                    u32::from(character)
                ))),
                None => Ok(()),
            }
        }
        Proposed::Key { chord } => keymap::parse(chord).map(|_| ()).map_err(Refusal::from),
        Proposed::Speak { text } => {
            if !speech_granted {
                Err(Refusal::NotGranted("speech".to_owned()))
            } else if text.trim().is_empty() {
                Err(Refusal::Other("there is nothing to speak".to_owned()))
            } else {
                Ok(())
            }
        }
        Proposed::Pause => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_ends_at_its_edges() {
        for (x, y) in [(0, 0), (1279, 719), (1279, 0), (0, 719)] {
            assert!(!off_screen(x, y));
        }
        for (x, y) in [
            (1280, 5),
            (-1, 5),
            (640, 720),
            (640, -1),
            (i32::MAX, i32::MIN),
        ] {
            assert_eq!(
                check(&Proposed::Move { to: (x, y) }, false),
                Err(Refusal::OffScreen(x, y))
            );
        }
        let drag = Proposed::Drag {
            start: (0, 0),
            end: (1280, 0),
        };
        assert_eq!(check(&drag, false), Err(Refusal::OffScreen(1280, 0)));
    }

    #[test]
    fn speech_needs_its_grant_and_chords_their_list() {
        assert!(check(&Proposed::Speak { text: "Paris" }, true).is_ok());
        let refused = check(&Proposed::Speak { text: "Paris" }, false);
        assert_eq!(refused, Err(Refusal::NotGranted("speech".to_owned())));
        assert_eq!(
            check(&Proposed::Key { chord: "F5" }, true),
            Err(Refusal::ForbiddenKey("F5".to_owned()))
        );
        assert_eq!(
            check(&Proposed::Key { chord: "F99" }, true),
            Err(Refusal::UnknownKey("F99".to_owned()))
        );
    }

    #[test]
    fn text_that_no_keyboard_has_is_refused_before_any_of_it_is_typed() {
        assert!(
            check(
                &Proposed::Type {
                    text: "two\nlines\tand 日本語 😀"
                },
                false
            )
            .is_ok()
        );
        assert!(check(&Proposed::Type { text: "bell \u{7}" }, false).is_err());
    }
}
