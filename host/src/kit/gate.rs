//! The gates that a task must pass before it belongs to the set: what each asks for, and what became of it.
//!
//! 1. `reference` passes in the mode that the task needs on three seeds, and once in `aoi_interactive`.
//! 2. `reference` in `standard`; a pass stands beside the bound of what screenshots are worth.
//! 3. `idle`, `random`, `replayer`, `copycat` and `guess` score 0.
//! 4. and 5. `tasks lint`.
//!
//! What was shown is a line of the ledger. It says what decided about it, so that it is known when it is out of date, and which record
//! shows it; nothing but a record makes a line.

use crate::mode::Mode;
use crate::task::manifest::Needs;

pub mod inputs;
pub mod ledger;
pub mod records;
pub mod run;
pub mod runner;
pub mod standing;
pub mod table;
pub mod verify;

impl From<Needs> for Mode {
    fn from(needs: Needs) -> Self {
        match needs {
            Needs::Standard => Self::Standard,
            Needs::AoiAudio => Self::AoiAudio,
            Needs::AoiVisual => Self::AoiVisual,
            Needs::AoiFull => Self::AoiFull,
            Needs::AoiInteractive => Self::AoiInteractive,
        }
    }
}

/// One episode that a gate asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Check {
    pub policy: &'static str,
    pub mode: Mode,
    pub seed: u64,
    pub wants: Wants,
    /// Whether it is cut a few seconds after the last moment instead of running to the task's limit.
    pub cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wants {
    Pass,
    /// Whatever comes, it is shown.
    Shown,
    Nothing,
}

impl Check {
    /// Its name in the ledger.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {} {}", self.policy, self.mode, self.seed)
    }
}

/// All checks of a task, the reference in the mode it needs first: its length decides where others are cut.
#[must_use]
pub fn checks(needs: Needs, seeds: u64) -> Vec<Check> {
    let needs: Mode = needs.into();
    let check = |policy, mode, seed, wants, cut| Check {
        policy,
        mode,
        seed,
        wants,
        cut,
    };
    let mut all: Vec<Check> = (0..seeds)
        .map(|seed| check("reference", needs, seed, Wants::Pass, false))
        .collect();
    if needs != Mode::AoiInteractive {
        all.push(check(
            "reference",
            Mode::AoiInteractive,
            0,
            Wants::Pass,
            false,
        ));
    }
    all.push(check("reference", Mode::Standard, 0, Wants::Shown, false));
    all.push(check("idle", needs, 0, Wants::Nothing, true));
    all.push(check("random", needs, 0, Wants::Nothing, false));
    all.push(check("replayer", Mode::Standard, 0, Wants::Nothing, false));
    all.push(check("copycat", Mode::Standard, 0, Wants::Nothing, false));
    all.push(check("guess", needs, 0, Wants::Nothing, true));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checks_of_a_task_are_those_of_the_gates() {
        let names: Vec<String> = checks(Needs::AoiAudio, 3).iter().map(Check::name).collect();
        assert_eq!(
            names,
            [
                "reference aoi_audio 0",
                "reference aoi_audio 1",
                "reference aoi_audio 2",
                "reference aoi_interactive 0",
                "reference standard 0",
                "idle aoi_audio 0",
                "random aoi_audio 0",
                "replayer standard 0",
                "copycat standard 0",
                "guess aoi_audio 0",
            ]
        );
        assert_eq!(checks(Needs::AoiInteractive, 3).len(), 9);
    }
}
