//! Random numbers, and actions drawn with them.

use std::hash::{BuildHasher, RandomState};

use dynacu_sdk::{Action, Click, Duration, MouseButton, Point, Scroll, ScrollDirection, Size};

/// Chords that a person presses without thinking of a shortcut.
const CHORDS: [&str; 12] = [
    "Tab",
    "Tab",
    "Return",
    "Return",
    "space",
    "BackSpace",
    "Escape",
    "Up",
    "Down",
    "Left",
    "Right",
    "ctrl+a",
];
const WORDS: [&str; 16] = [
    "yes", "no", "thanks", "blue", "left", "Monday", "Paris", "north", "ready", "report", "Anna",
    "sales", "update", "final", "summer", "please",
];

pub(crate) struct Draw {
    state: u64,
    screen: Size,
    speaks: bool,
}

/// A seed from the host's random numbers.
pub(crate) fn any_seed() -> u64 {
    // The standard library asks the host for the keys of its hash tables; no further interface is needed.
    RandomState::new().hash_one(0)
}

impl Draw {
    pub(crate) fn new(seed: u64, screen: Size, speaks: bool) -> Self {
        Self {
            state: seed,
            screen,
            speaks,
        }
    }

    /// The next number (SplitMix64; G. Steele, D. Lea, C. Flood, OOPSLA 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below `limit`, which is not 0. The bias of the remainder is below 2^-50 for limits as small as here.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Something to do, in the shares in which people do it.
    pub(crate) fn action(&mut self) -> Action {
        match self.below(100) {
            0..55 => self.click(),
            55..70 => Action::type_text(self.text()),
            70..83 => Action::key(self.one(&CHORDS)),
            83..91 => self.scroll(),
            91..94 => Action::drag(self.point(), self.point()),
            94..97 => Action::Move(self.point()),
            _ if self.speaks => Action::speak(self.text()),
            _ => Action::wait(Duration::from_millis(500 + self.below(2_000))),
        }
    }

    fn click(&mut self) -> Action {
        let at = self.point();
        let (button, count) = match self.below(20) {
            0 => (MouseButton::Right, 1),
            1 | 2 => (MouseButton::Left, 2),
            _ => (MouseButton::Left, 1),
        };
        Action::Click(Click { at, button, count })
    }

    fn scroll(&mut self) -> Action {
        let up = self.below(3) == 0;
        Action::Scroll(Scroll {
            at: Some(self.point()),
            direction: if up {
                ScrollDirection::Up
            } else {
                ScrollDirection::Down
            },
            amount: 1 + self.below(5) as u32,
        })
    }

    /// A word, a number, or a few of both.
    fn text(&mut self) -> String {
        let count = 1 + self.below(3);
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(if self.below(2) == 0 {
                self.one(&WORDS).to_owned()
            } else {
                let digits = 1 + self.below(4) as u32;
                self.below(10u64.pow(digits)).to_string()
            });
        }
        parts.join(" ")
    }

    fn point(&mut self) -> Point {
        let Size { width, height } = self.screen;
        Point {
            x: self.below(u64::from(width.max(1))) as i32,
            y: self.below(u64::from(height.max(1))) as i32,
        }
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(seed: u64, speaks: bool) -> Vec<Action> {
        let screen = Size {
            width: 1280,
            height: 720,
        };
        let mut draw = Draw::new(seed, screen, speaks);
        (0..2_000).map(|_| draw.action()).collect()
    }

    #[test]
    fn a_seed_is_a_row_of_actions() {
        assert_eq!(actions(7, false), actions(7, false));
        assert_ne!(actions(7, false), actions(8, false));
    }

    #[test]
    fn every_kind_and_nothing_outside_the_screen() {
        let all = actions(3, true);
        let count =
            |wanted: fn(&Action) -> bool| all.iter().filter(|action| wanted(action)).count();
        assert!(count(|action| matches!(action, Action::Click(_))) > 1_000);
        assert!(count(|action| matches!(action, Action::Type(_))) > 200);
        assert!(count(|action| matches!(action, Action::Key(_))) > 150);
        assert!(count(|action| matches!(action, Action::Scroll(_))) > 80);
        assert!(count(|action| matches!(action, Action::Drag(_))) > 20);
        assert!(count(|action| matches!(action, Action::Speak(_))) > 20);
        let inside = |at: &Point| (0..1280).contains(&at.x) && (0..720).contains(&at.y);
        for action in &all {
            match action {
                Action::Click(click) => assert!(inside(&click.at)),
                Action::Drag(drag) => assert!(inside(&drag.start) && inside(&drag.end)),
                _ => {}
            }
        }
        let silent = actions(3, false);
        assert!(
            !silent
                .iter()
                .any(|action| matches!(action, Action::Speak(_)))
        );
    }
}
