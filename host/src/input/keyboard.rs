//! Which key types what, and which keys are free to be given a new meaning.

use std::collections::HashMap;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::ConnectionExt;
use x11rb::rust_connection::RustConnection;

use super::keymap::keysyms;
use super::{InputError, display};

/// Columns of the core keyboard map: first group plain and shifted, then (by XKB's convention) its third and fourth level.
const PLAIN: usize = 0;
const SHIFTED: usize = 1;
const LEVEL3: usize = 4;
const LEVEL3_SHIFTED: usize = 5;

/// How to type one keysym.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stroke {
    pub code: u8,
    pub shift: bool,
    pub level3: bool,
}

/// What has to be bound before the next characters can be typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// How many of the keysyms can be typed afterwards, from the first.
    pub count: usize,
    pub bindings: Vec<(u8, u32)>,
    /// A key loses a meaning that may still be on its way to a client.
    pub rebinds: bool,
}

#[derive(Debug)]
pub(super) struct Keyboard {
    first: u8,
    count: u8,
    strokes: HashMap<u32, Stroke>,
    /// Keys without a meaning of their own, and what they were given; the least recently given comes first.
    spares: Vec<(u8, Option<u32>)>,
}

impl Keyboard {
    /// Reads the display's layout.
    pub(super) fn read(connection: &RustConnection) -> Result<Self, InputError> {
        let setup = connection.setup();
        let first = setup.min_keycode;
        let count = setup.max_keycode - first + 1;
        let reply = connection
            .get_keyboard_mapping(first, count)
            .map_err(display)?
            .reply()
            .map_err(display)?;
        let width = usize::from(reply.keysyms_per_keycode).max(1);
        Ok(Self::new(first, width, &reply.keysyms))
    }

    fn new(first: u8, width: usize, map: &[u32]) -> Self {
        let rows: Vec<(u8, &[u32])> = (first..=u8::MAX).zip(map.chunks(width)).collect();
        let mut strokes = HashMap::new();
        // Column by column, so that each keysym gets the plainest of its keys.
        for (column, shift, level3) in [
            (PLAIN, false, false),
            (SHIFTED, true, false),
            (LEVEL3, false, true),
            (LEVEL3_SHIFTED, true, true),
        ] {
            for (code, row) in &rows {
                let keysym = row.get(column).copied().unwrap_or(0);
                // The fourth column of a layout without a third level repeats the first.
                if keysym != 0 && (!level3 || row.get(PLAIN) != Some(&keysym)) {
                    strokes.entry(keysym).or_insert(Stroke {
                        code: *code,
                        shift,
                        level3,
                    });
                }
            }
        }
        if !strokes.contains_key(&keysyms::LEVEL3_SHIFT) {
            strokes.retain(|_, stroke| !stroke.level3);
        }
        let spares = rows
            .iter()
            .filter(|(_, row)| row.iter().all(|keysym| *keysym == 0))
            .map(|(code, _)| (*code, None))
            .collect();
        Self {
            first,
            count: u8::try_from(rows.len()).unwrap_or(u8::MAX),
            strokes,
            spares,
        }
    }

    /// All key codes of the display.
    pub(super) fn codes(&self) -> impl Iterator<Item = u8> + use<> {
        self.first..=self.first.saturating_add(self.count.saturating_sub(1))
    }

    pub(super) fn find(&self, keysym: u32) -> Option<Stroke> {
        let spare = || {
            let (code, _) = self
                .spares
                .iter()
                .find(|(_, bound)| *bound == Some(keysym))?;
            Some(Stroke {
                code: *code,
                shift: false,
                level3: false,
            })
        };
        self.strokes.get(&keysym).copied().or_else(spare)
    }

    /// Chooses keys for the longest beginning of `keysyms` that needs no key twice.
    pub(super) fn plan(&self, keysyms: &[u32]) -> Plan {
        let mut plan = Plan {
            count: 0,
            bindings: Vec::new(),
            rebinds: false,
        };
        let mut kept: Vec<u32> = Vec::new();
        for keysym in keysyms {
            let ready = self.strokes.contains_key(keysym)
                || plan.bindings.iter().any(|(_, bound)| bound == keysym);
            if !ready && self.find(*keysym).is_some() {
                kept.push(*keysym);
                // It stays on its key, unless this batch has taken that key already.
                let taken = self.find(*keysym).is_some_and(|stroke| {
                    plan.bindings.iter().any(|(code, _)| *code == stroke.code)
                });
                if taken {
                    break;
                }
            } else if !ready {
                let free = self.spares.iter().find(|(code, bound)| {
                    !plan.bindings.iter().any(|(taken, _)| taken == code)
                        && bound.is_none_or(|bound| !kept.contains(&bound))
                });
                let Some((code, bound)) = free else { break };
                plan.rebinds |= bound.is_some();
                plan.bindings.push((*code, *keysym));
            }
            plan.count += 1;
        }
        plan
    }

    /// Gives a spare key a meaning, the same with and without Shift.
    pub(super) fn bind(
        &mut self,
        connection: &RustConnection,
        code: u8,
        keysym: u32,
    ) -> Result<(), InputError> {
        connection
            .change_keyboard_mapping(1, code, 2, &[keysym, keysym])
            .map_err(display)?
            .check()
            .map_err(display)?;
        // To the end of the list: an unbound key comes first again, then the one bound longest ago.
        self.spares.retain(|(spare, _)| *spare != code);
        self.spares.push((code, Some(keysym)));
        Ok(())
    }

    /// Takes all given meanings back.
    pub(super) fn restore(&mut self, connection: &RustConnection) -> Result<(), InputError> {
        for (code, bound) in &mut self.spares {
            if bound.take().is_some() {
                connection
                    .change_keyboard_mapping(1, *code, 2, &[0, 0])
                    .map_err(display)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes from 8: a/A with level three at æ, Shift, two spare keys, AltGr.
    fn small() -> Keyboard {
        let map = [
            [0x61, 0x41, 0x61, 0x41, 0xe6, 0xc6],
            [keysyms::SHIFT, 0, 0, 0, 0, 0],
            [0; 6],
            [0; 6],
            [keysyms::LEVEL3_SHIFT, 0, 0, 0, 0, 0],
        ];
        Keyboard::new(8, 6, map.as_flattened())
    }

    #[test]
    fn the_layout_knows_four_levels() {
        let keyboard = small();
        let stroke = |keysym| keyboard.find(keysym).unwrap();
        assert_eq!(
            stroke(0x61),
            Stroke {
                code: 8,
                shift: false,
                level3: false
            }
        );
        assert_eq!(
            stroke(0x41),
            Stroke {
                code: 8,
                shift: true,
                level3: false
            }
        );
        assert_eq!(
            stroke(0xc6),
            Stroke {
                code: 8,
                shift: true,
                level3: true
            }
        );
        assert_eq!(keyboard.find(0x62), None);
    }

    #[test]
    fn a_batch_ends_where_the_spare_keys_do_and_the_next_reuses_the_oldest() {
        let mut keyboard = small();
        let plan = keyboard.plan(&[1, 0x61, 2, 1, 3, 0x41]);
        assert_eq!(
            plan,
            Plan {
                count: 4,
                bindings: vec![(10, 1), (11, 2)],
                rebinds: false
            }
        );
        keyboard.spares = vec![(10, Some(1)), (11, Some(2))];
        // 1 stays where it is, so 3 has to take the key of 2.
        let plan = keyboard.plan(&[1, 3, 2]);
        assert_eq!(
            plan,
            Plan {
                count: 2,
                bindings: vec![(11, 3)],
                rebinds: true
            }
        );
        let plan = keyboard.plan(&[3, 1]);
        assert_eq!(
            plan,
            Plan {
                count: 1,
                bindings: vec![(10, 3)],
                rebinds: true
            }
        );
    }
}
