//! What is wrong with an action, before anything of it is done. Nothing is clamped: a point outside the screen is an error
//! that the policy sees.

use dynacu_runtime::types::{Action, ActionError, Channel, Point};

use crate::desktop::display::off_screen;
use crate::input::keymap::{self, KeyError, untypable};

/// The most clicks of one click action: three select a paragraph, no page asks for more than a few.
pub const MOST_CLICKS: u8 = 5;
/// The most wheel notches of one scroll action.
pub const MOST_NOTCHES: u32 = 100;
/// The most characters of one type action: at a hundred a second, longer ones would outlast an episode's patience.
pub const MOST_CHARACTERS: usize = 10_000;

/// Checks one action; `speech_granted` is the mode's word on the microphone.
///
/// # Errors
/// What the policy is told.
pub fn check(action: &Action, speech_granted: bool) -> Result<(), ActionError> {
    match action {
        Action::Click { at, count, .. } => {
            on_screen(*at)?;
            within(
                "a click count must be from 1 to 5",
                (1..=MOST_CLICKS).contains(count),
                count,
            )
        }
        Action::Move { to } => on_screen(*to),
        Action::Drag { start, end } => on_screen(*start).and_then(|()| on_screen(*end)),
        Action::Scroll { at, amount, .. } => {
            at.map_or(Ok(()), on_screen)?;
            within(
                "a scroll may have at most 100 notches",
                *amount <= MOST_NOTCHES,
                amount,
            )
        }
        Action::Type { text } => {
            let count = text.chars().count();
            within(
                "a text may have at most 10,000 characters",
                count <= MOST_CHARACTERS,
                &count,
            )?;
            match text.chars().find(|character| untypable(*character)) {
                Some(character) => Err(ActionError::Invalid {
                    reason: format!(
                        "the character U+{:04X} cannot be typed",
                        u32::from(character)
                    ),
                }),
                None => Ok(()),
            }
        }
        Action::Key { combo } => keymap::parse(combo).map(|_| ()).map_err(ActionError::from),
        Action::Speak { text } => {
            if !speech_granted {
                Err(ActionError::NotGranted {
                    what: Channel::Speech.name().to_owned(),
                })
            } else if text.trim().is_empty() {
                Err(ActionError::Invalid {
                    reason: "there is nothing to speak".to_owned(),
                })
            } else {
                Ok(())
            }
        }
        Action::Wait { .. } | Action::Done => Ok(()),
    }
}

fn on_screen(at: Point) -> Result<(), ActionError> {
    if off_screen(at.x, at.y) {
        Err(ActionError::OffScreen { at })
    } else {
        Ok(())
    }
}

fn within(rule: &str, holds: bool, value: &impl ToString) -> Result<(), ActionError> {
    if holds {
        return Ok(());
    }
    Err(ActionError::Invalid {
        reason: format!("{rule}, not {}", value.to_string()),
    })
}

impl From<KeyError> for ActionError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::UnknownKey(key) => Self::UnknownKey { key },
            KeyError::ForbiddenKey(combo) => Self::ForbiddenKey { combo },
        }
    }
}

#[cfg(test)]
mod tests {
    use dynacu_runtime::types::MouseButton;

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
            let at = Point { x, y };
            assert_eq!(
                check(&Action::Move { to: at }, false),
                Err(ActionError::OffScreen { at })
            );
        }
        let (start, end) = (Point { x: 0, y: 0 }, Point { x: 1280, y: 0 });
        assert_eq!(
            check(&Action::Drag { start, end }, false),
            Err(ActionError::OffScreen { at: end })
        );
    }

    #[test]
    fn speech_needs_its_grant_and_chords_their_list() {
        let speak = Action::Speak {
            text: "Paris".to_owned(),
        };
        let key = |combo: &str| Action::Key {
            combo: combo.to_owned(),
        };
        assert!(check(&speak, true).is_ok());
        assert_eq!(
            check(&speak, false),
            Err(ActionError::NotGranted {
                what: "speech".to_owned()
            })
        );
        assert_eq!(
            check(&key("F5"), true),
            Err(ActionError::ForbiddenKey {
                combo: "F5".to_owned()
            })
        );
        assert_eq!(
            check(&key("F99"), true),
            Err(ActionError::UnknownKey {
                key: "F99".to_owned()
            })
        );
    }

    #[test]
    fn what_is_out_of_range_is_refused_before_any_of_it_is_done() {
        let typed = |text: &str| Action::Type {
            text: text.to_owned(),
        };
        let clicks = |count| Action::Click {
            at: Point { x: 1, y: 1 },
            button: MouseButton::Left,
            count,
        };
        assert!(check(&typed("two\nlines\tand 日本語 😀"), false).is_ok());
        assert!(check(&typed("bell \u{7}"), false).is_err());
        assert!(check(&clicks(5), false).is_ok());
        let refused = check(&clicks(0), false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a click count must be from 1 to 5, not 0"
        );
    }
}
