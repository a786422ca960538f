//! Key chords: how they are written, and which of them a policy may press.
//!
//! A chord is X11 key names joined by `+`, for example `ctrl+a` or `shift+Tab`; case is ignored for names, and common aliases
//! (`enter`, `esc`, `pgdn`, `cmd`) are known. The list of what may be pressed is one of permission: editing text, moving inside
//! the page, printable characters, and the shortcuts that are a page's own. Everything else would act on the browser
//! (reload, address bar, tabs, developer tools, printing, zoom), and with that outside the task.

use std::collections::BTreeSet;

mod names;

use names::{NAMED, SIGNS, alias};

/// X11 keysyms that the rest of the host needs by name.
pub mod keysyms {
    pub const BACK_SPACE: u32 = 0xff08;
    pub const TAB: u32 = 0xff09;
    pub const RETURN: u32 = 0xff0d;
    pub const ESCAPE: u32 = 0xff1b;
    pub const DELETE: u32 = 0xffff;
    pub const SHIFT: u32 = 0xffe1;
    pub const CONTROL: u32 = 0xffe3;
    pub const ALT: u32 = 0xffe9;
    pub const SUPER: u32 = 0xffeb;
    pub const LEVEL3_SHIFT: u32 = 0xfe03;
}

/// Control characters, but for line breaks and tabulators, are on no keyboard.
#[must_use]
pub fn untypable(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r' | '\t')
}

/// Held while the chord's key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modifier {
    Control,
    Shift,
    Alt,
    Super,
}

impl Modifier {
    /// The keysym of the modifier's left key.
    #[must_use]
    pub fn keysym(self) -> u32 {
        match self {
            Self::Control => keysyms::CONTROL,
            Self::Shift => keysyms::SHIFT,
            Self::Alt => keysyms::ALT,
            Self::Super => keysyms::SUPER,
        }
    }
}

/// A chord that may be pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    pub modifiers: BTreeSet<Modifier>,
    pub keysym: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// With the name as it was written.
    #[error("there is no key named {0:?}")]
    UnknownKey(String),
    /// With the chord as it was written.
    #[error("the chord {0:?} is not on the list of allowed chords")]
    ForbiddenKey(String),
}

/// Reads a chord and checks it against the list.
pub fn parse(written: &str) -> Result<Chord, KeyError> {
    let (modifiers, key) = split(written)?;
    if permitted(&modifiers, key) {
        let keysym = match key {
            // `ctrl+A` means the key, not the capital: that would take Shift, and make another chord of it.
            Key::Character(character) if !modifiers.is_empty() => {
                keysym_of(character.to_ascii_lowercase())
            }
            Key::Character(character) => keysym_of(character),
            Key::Named(_, keysym) => keysym,
            Key::Modifier(modifier) => modifier.keysym(),
        };
        Ok(Chord { modifiers, keysym })
    } else {
        Err(KeyError::ForbiddenKey(written.to_owned()))
    }
}

/// The keysym of a character: its code point up to U+00FF, above that the code point in X11's Unicode range.
#[must_use]
pub fn keysym_of(character: char) -> u32 {
    match character {
        '\n' => keysyms::RETURN,
        '\t' => keysyms::TAB,
        ' '..='~' | '\u{a0}'..='\u{ff}' => u32::from(character),
        _ => 0x0100_0000 | u32::from(character),
    }
}

/// The character that a keysym types, for the two ranges of [`keysym_of`].
#[must_use]
pub fn character_of(keysym: u32) -> Option<char> {
    match keysym {
        0x20..=0x7e | 0xa0..=0xff => char::from_u32(keysym),
        0x0100_0100..=0x0110_ffff => char::from_u32(keysym & 0x00ff_ffff),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Character(char),
    /// Its canonical name in lower case, its keysym.
    Named(&'static str, u32),
    Modifier(Modifier),
}

fn split(written: &str) -> Result<(BTreeSet<Modifier>, Key), KeyError> {
    let trimmed = written.trim();
    // `+` is the separator and a key: a plus at the end, alone or behind a separator, is the key.
    let (before, last) = match trimmed.strip_suffix('+') {
        Some("") => ("", "+"),
        Some(rest) => match rest.strip_suffix('+') {
            Some(before) => (before, "+"),
            None => return Err(KeyError::UnknownKey(trimmed.to_owned())),
        },
        None => trimmed.rsplit_once('+').unwrap_or(("", trimmed)),
    };
    let mut modifiers = BTreeSet::new();
    for name in before.split('+').filter(|_| !before.is_empty()) {
        match key(name.trim())? {
            Key::Modifier(modifier) => modifiers.insert(modifier),
            // Two ordinary keys at once are nobody's shortcut.
            _ => return Err(KeyError::ForbiddenKey(written.to_owned())),
        };
    }
    Ok((modifiers, key(last.trim())?))
}

fn key(name: &str) -> Result<Key, KeyError> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next())
        && !character.is_control()
    {
        return Ok(Key::Character(character));
    }
    let lower = name.to_lowercase().replace([' ', '-'], "_");
    let found = match lower.as_str() {
        "ctrl" | "control" | "control_l" | "control_r" => Key::Modifier(Modifier::Control),
        "shift" | "shift_l" | "shift_r" => Key::Modifier(Modifier::Shift),
        "alt" | "alt_l" | "alt_r" | "option" | "meta" | "meta_l" | "meta_r" | "altgr"
        | "iso_level3_shift" => Key::Modifier(Modifier::Alt),
        "super" | "super_l" | "super_r" | "cmd" | "command" | "win" | "windows" | "hyper" => {
            Key::Modifier(Modifier::Super)
        }
        other => {
            let canonical = alias(other);
            if let Some((name, keysym)) = NAMED.iter().find(|(name, _)| *name == canonical) {
                Key::Named(name, *keysym)
            } else if let Some((_, character)) = SIGNS.iter().find(|(name, _)| *name == canonical) {
                Key::Character(*character)
            } else {
                return Err(KeyError::UnknownKey(name.to_owned()));
            }
        }
    };
    Ok(found)
}

fn permitted(modifiers: &BTreeSet<Modifier>, key: Key) -> bool {
    use Modifier::{Alt, Control, Shift, Super};
    // Alt opens menus and goes back, Super is the desktop's.
    if modifiers.contains(&Alt) || modifiers.contains(&Super) {
        return false;
    }
    let (control, shift) = (modifiers.contains(&Control), modifiers.contains(&Shift));
    match key {
        // A modifier alone does nothing on a page, and Alt and Super alone do something outside it.
        Key::Modifier(_) => false,
        Key::Character(character) => {
            let lower = character.to_ascii_lowercase();
            match (control, shift) {
                (false, _) => true,
                (true, false) => CONTROL_CHARACTERS.contains(&lower),
                (true, true) => CONTROL_SHIFT_CHARACTERS.contains(&lower),
            }
        }
        Key::Named(name, _) => match (control, shift) {
            (false, false) => PLAIN.contains(&name),
            // Shift+Escape is the task manager, Shift+F10 the context menu.
            (false, true) => PLAIN.contains(&name) && name != "escape",
            (true, false) => CONTROL_NAMED.contains(&name),
            (true, true) => CONTROL_SHIFT_NAMED.contains(&name),
        },
    }
}

/// Edit (select all, copy, paste, cut, undo, redo) and a page's own: bold, italic, comment, mark.
const CONTROL_CHARACTERS: &[char] = &['a', 'c', 'v', 'x', 'z', 'y', 'b', 'i', '/', '.'];
/// Redo and paste as plain text.
const CONTROL_SHIFT_CHARACTERS: &[char] = &['z', 'v'];
const PLAIN: &[&str] = &[
    "return",
    "tab",
    "escape",
    "backspace",
    "delete",
    "insert",
    "space",
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "page_up",
    "page_down",
];
/// Not Page Up and Page Down, which change tabs, nor Tab.
const CONTROL_NAMED: &[&str] = &[
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "backspace",
    "delete",
    "insert",
    "return",
    "space",
];
const CONTROL_SHIFT_NAMED: &[&str] = &["left", "right", "up", "down", "home", "end", "return"];

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(written: &str) -> (Vec<Modifier>, u32) {
        let chord = parse(written).unwrap();
        (chord.modifiers.into_iter().collect(), chord.keysym)
    }

    #[test]
    fn names_aliases_and_case() {
        assert_eq!(pressed("Return"), (vec![], keysyms::RETURN));
        assert_eq!(pressed("enter"), (vec![], keysyms::RETURN));
        assert_eq!(pressed("Page_Down"), pressed("pgdn"));
        assert_eq!(pressed("ctrl+a"), (vec![Modifier::Control], 0x61));
        assert_eq!(pressed("Control_L+A"), (vec![Modifier::Control], 0x61));
        assert_eq!(pressed("shift+Tab"), (vec![Modifier::Shift], keysyms::TAB));
        assert_eq!(pressed("+"), (vec![], 0x2b));
        assert_eq!(pressed("shift++"), (vec![Modifier::Shift], 0x2b));
        assert_eq!(pressed("plus"), (vec![], 0x2b));
        assert_eq!(pressed("é"), (vec![], 0xe9));
        assert_eq!(pressed("日"), (vec![], 0x0100_65e5));
        assert_eq!(
            pressed("ctrl+shift+Left").0,
            [Modifier::Control, Modifier::Shift]
        );
    }

    #[test]
    fn unknown_is_not_forbidden() {
        for written in ["", "Foo", "ctrl+Foo", "a+", "hyperspace"] {
            assert!(
                matches!(parse(written), Err(KeyError::UnknownKey(_))),
                "{written}"
            );
        }
    }

    #[test]
    fn what_editing_and_moving_need_is_permitted() {
        for written in [
            "ctrl+c",
            "ctrl+v",
            "ctrl+x",
            "ctrl+z",
            "ctrl+y",
            "ctrl+shift+z",
            "ctrl+Left",
            "ctrl+End",
            "ctrl+BackSpace",
            "ctrl+Delete",
            "shift+Down",
            "shift+Home",
            "shift+Insert",
            "Tab",
            "space",
            "Escape",
            "Home",
            "Page_Up",
            "ctrl+Return",
            "ctrl+b",
            "ctrl+i",
            "shift+a",
            "%",
        ] {
            assert!(parse(written).is_ok(), "{written}");
        }
    }

    #[test]
    fn every_way_out_is_refused() {
        let mut ways: Vec<String> = (1..=12).map(|number| format!("F{number}")).collect();
        for key in "deghfjklmnopqrstuw0123456789+-=".chars() {
            ways.push(format!("ctrl+{key}"));
        }
        for key in "abcdefghijklmnopqrstuwxy".chars() {
            ways.push(format!("ctrl+shift+{key}"));
        }
        for key in "abcdefghijklmnopqrstuvwxyz".chars() {
            ways.push(format!("alt+{key}"));
            ways.push(format!("super+{key}"));
        }
        for written in [
            "alt+Left",
            "alt+Right",
            "alt+F4",
            "alt+Home",
            "alt+Tab",
            "ctrl+Tab",
            "ctrl+shift+Tab",
            "ctrl+F4",
            "ctrl+F5",
            "shift+F5",
            "shift+F10",
            "shift+Escape",
            "ctrl+Escape",
            "Menu",
            "Print",
            "Caps_Lock",
            "ctrl+Page_Up",
            "ctrl+Page_Down",
            "ctrl+alt+Delete",
            "ctrl+shift+Delete",
            "BrowserBack",
            "XF86Reload",
            "super",
            "alt",
            "ctrl",
            "shift",
            "ctrl+plus",
            "ctrl+minus",
            "a+b",
            "ctrl+alt+a",
            "ctrl+KP_0",
            "CTRL+T",
            "Control_R+n",
            "cmd+r",
        ] {
            ways.push(written.to_owned());
        }
        for written in ways {
            assert_eq!(
                parse(&written),
                Err(KeyError::ForbiddenKey(written.clone()))
            );
        }
    }

    #[test]
    fn characters_and_keysyms_are_inverse() {
        for character in ['a', '~', 'ß', '–', '日', '😀'] {
            assert_eq!(character_of(keysym_of(character)), Some(character));
        }
        assert_eq!(character_of(keysyms::RETURN), None);
    }
}
