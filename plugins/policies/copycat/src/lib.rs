//! A policy that perceives nothing and copies: it selects whatever the page lets it select, copies it, pastes it into what
//! may be a field, keeps its last characters, and submits. What it scores, a page gives away to the clipboard.

use dynacu_sdk::settings::NoSettings;
use dynacu_sdk::{
    Action, Brief, Click, Decision, Duration, Interrupted, MouseButton, Observation, Point,
    PolicyError, Session, Size, StepPolicy, export_policy,
};
use fastrand::Rng;

/// Always the same places and ways: a gate that it passes once is passed again.
const SEED: u64 = 0;
/// Characters that are kept of what was pasted, at most: codes, prices and names are no longer.
const KEPT: u64 = 12;
/// Pixels from the screen's edge that are not worth a click.
const MARGIN: i32 = 8;

struct Copycat {
    random: Rng,
    screen: Size,
}

impl Copycat {
    fn point(&mut self) -> Point {
        let mut along = |length: u32| {
            let length = i32::try_from(length).unwrap_or(i32::MAX);
            self.random.i32(MARGIN..(length - MARGIN).max(MARGIN + 1))
        };
        Point {
            x: along(self.screen.width),
            y: along(self.screen.height),
        }
    }

    /// One of the ways in which people select text.
    fn select(&mut self) -> Vec<Action> {
        let at = self.point();
        let click = |count| {
            Action::Click(Click {
                at,
                button: MouseButton::Left,
                count,
            })
        };
        match self.random.u8(..4) {
            0 => vec![click(1), Action::key("ctrl+a")],
            1 => vec![click(3)],
            2 => vec![Action::drag(at, self.point())],
            _ => vec![
                click(1),
                Action::Click(Click {
                    at: self.point(),
                    button: MouseButton::Left,
                    count: 2,
                }),
            ],
        }
    }

    /// Pastes at a place and keeps the last characters of it.
    fn paste(&mut self) -> Vec<Action> {
        let at = self.point();
        let mut actions = vec![
            Action::Click(Click {
                at,
                button: MouseButton::Left,
                count: 1,
            }),
            Action::key("ctrl+a"),
            Action::key("ctrl+v"),
            Action::key("End"),
        ];
        let kept = 1 + self.random.u64(..KEPT);
        actions.extend((0..kept).map(|_| Action::key("shift+Left")));
        for keys in ["ctrl+x", "ctrl+a", "ctrl+v", "Return"] {
            actions.push(Action::key(keys));
        }
        actions
    }
}

impl StepPolicy for Copycat {
    type Settings = NoSettings;

    fn new(brief: &Brief, _settings: NoSettings) -> Result<Self, PolicyError> {
        Ok(Self {
            random: Rng::with_seed(SEED),
            screen: brief.screen,
        })
    }

    fn on_observation(
        &mut self,
        _session: &mut Session,
        _observation: &Observation,
    ) -> Result<Decision, Interrupted> {
        let mut actions = self.select();
        actions.push(Action::key("ctrl+c"));
        actions.extend(self.paste());
        actions.push(Action::wait(Duration::from_millis(200)));
        Ok(Decision::Act(actions))
    }
}

export_policy!(Copycat);
