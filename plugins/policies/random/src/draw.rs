//! Random numbers, and actions drawn with them.

use std::hash::{BuildHasher, RandomState};

use dynacu_sdk::{
    Action, ActionKind, Click, Duration, MouseButton, Point, Scroll, ScrollDirection, Size,
};
use fastrand::Rng;

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
    random: Rng,
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
            random: Rng::with_seed(seed),
            screen,
            speaks,
        }
    }

    /// A number from 0 to below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.random.u64(..limit)
    }

    /// How often in a hundred actions people do this.
    const fn share(&self, kind: ActionKind) -> u64 {
        match kind {
            ActionKind::Click => 55,
            ActionKind::Type => 15,
            ActionKind::Key => 13,
            ActionKind::Scroll => 8,
            ActionKind::Move | ActionKind::Drag => 3,
            // Who has no voice looks on instead.
            ActionKind::Speak => 3 * self.speaks as u64,
            ActionKind::Wait => 3 * !self.speaks as u64,
            // Drawn for a whole observation.
            ActionKind::Done => 0,
        }
    }

    /// Something to do, in the shares in which people do it.
    pub(crate) fn action(&mut self) -> Action {
        let all: u64 = ActionKind::ALL.iter().map(|kind| self.share(*kind)).sum();
        let mut drawn = self.below(all);
        for kind in ActionKind::ALL {
            let share = self.share(*kind);
            if drawn < share {
                return self.made(*kind);
            }
            drawn -= share;
        }
        Action::Done
    }

    fn made(&mut self, kind: ActionKind) -> Action {
        match kind {
            ActionKind::Click => self.click(),
            ActionKind::Move => Action::Move(self.point()),
            ActionKind::Drag => Action::drag(self.point(), self.point()),
            ActionKind::Type => Action::type_text(self.text()),
            ActionKind::Key => Action::key(self.one(&CHORDS)),
            ActionKind::Scroll => self.scroll(),
            ActionKind::Speak => Action::speak(self.text()),
            ActionKind::Wait => Action::wait(Duration::from_millis(500 + self.below(2_000))),
            ActionKind::Done => Action::Done,
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

    const SCREEN: Size = Size {
        width: 1280,
        height: 720,
    };

    fn actions(seed: u64, speaks: bool) -> Vec<Action> {
        let mut draw = Draw::new(seed, SCREEN, speaks);
        (0..2_000).map(|_| draw.action()).collect()
    }

    #[test]
    fn a_seed_is_a_row_of_actions() {
        assert_eq!(actions(7, false), actions(7, false));
        assert_ne!(actions(7, false), actions(8, false));
    }

    #[test]
    fn every_kind_in_its_share_and_nothing_outside_the_screen() {
        for speaks in [true, false] {
            let all = actions(3, speaks);
            let draw = Draw::new(3, SCREEN, speaks);
            for kind in ActionKind::ALL {
                let count = all.iter().filter(|action| action.kind() == *kind).count() as u64;
                let expected = draw.share(*kind) * all.len() as u64 / 100;
                let around = expected / 2..=expected * 2;
                assert!(around.contains(&count), "{kind}: {count}, not {expected}");
            }
        }
        let inside = |at: &Point| (0..1280).contains(&at.x) && (0..720).contains(&at.y);
        for action in &actions(3, true) {
            match action {
                Action::Click(click) => assert!(inside(&click.at)),
                Action::Drag(drag) => assert!(inside(&drag.start) && inside(&drag.end)),
                Action::Move(at) => assert!(inside(at)),
                Action::Scroll(scroll) => assert!(scroll.at.as_ref().is_some_and(inside)),
                Action::Type(_)
                | Action::Key(_)
                | Action::Speak(_)
                | Action::Wait(_)
                | Action::Done => {}
            }
        }
    }
}
