//! The judgement on the order of uses.

use dynacu_sdk::scoring::{PageEvent, ScoreError};
use page_events::{Use, uses};

use crate::settings::Rules;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Whole,
    Unfinished,
    /// A mistake after the last restart, or a use after the end.
    Wrong,
}

pub(crate) struct Verdict {
    /// Whether what ends the task has come: until then nothing is decided.
    pub(crate) ended: bool,
    pub(crate) outcome: Outcome,
    /// Uses of the controls that count.
    pub(crate) uses: usize,
    pub(crate) rounds_done: usize,
    pub(crate) restarts: usize,
    pub(crate) explanation: String,
}

pub(crate) fn verdict(rules: &Rules, page_events: &[PageEvent]) -> Result<Verdict, ScoreError> {
    let end = rules.ends.at(page_events)?;
    let mut uses = uses(page_events)?;
    uses.retain(|used| end.is_none_or(|end| used.at <= end));
    let mut walk = Walk {
        rules,
        round: 0,
        place: 0,
        restarts: 0,
        counted: 0,
        fault: None,
    };
    for used in &uses {
        walk.step(used);
    }
    Ok(walk.verdict(end.is_some()))
}

/// How far the uses have come.
struct Walk<'a> {
    rules: &'a Rules,
    round: usize,
    place: usize,
    restarts: usize,
    counted: usize,
    /// The first mistake that could not be made good.
    fault: Option<String>,
}

impl Walk<'_> {
    fn step(&mut self, used: &Use) {
        if self.rules.restart.as_deref() == Some(used.control.as_str()) {
            // Clearing what is empty costs nothing.
            if self.place > 0 {
                self.begin_anew(format!("{:?} was used", used.control));
            }
            return;
        }
        if !self.rules.controls.contain(&used.control) {
            return;
        }
        self.counted += 1;
        if self.fault.is_some() {
            return;
        }
        let wanted = self
            .rules
            .rounds
            .get(self.round)
            .map(|round| round[self.place].clone());
        match wanted {
            Some(wanted) if wanted == used.control => {
                self.place += 1;
                if self.place == self.rules.rounds[self.round].len() {
                    self.round += 1;
                    self.place = 0;
                }
            }
            Some(wanted) => {
                let place = self.place + 1;
                self.begin_anew(format!(
                    "use {place} was {:?}, expected {wanted:?}",
                    used.control
                ));
            }
            None => self.fault = Some(format!("{:?} was used after the end", used.control)),
        }
    }

    fn begin_anew(&mut self, why: String) {
        if self.restarts == self.rules.restarts {
            self.fault.get_or_insert(why);
        } else {
            self.restarts += 1;
            self.place = 0;
        }
    }

    fn verdict(self, ended: bool) -> Verdict {
        let rounds = self.rules.rounds.len();
        let (outcome, explanation) = match self.fault {
            Some(fault) if rounds > 1 => {
                let round = (self.round + 1).min(rounds);
                (
                    Outcome::Wrong,
                    format!("In round {round} of {rounds}, {fault}."),
                )
            }
            Some(fault) => (Outcome::Wrong, format!("In the sequence, {fault}.")),
            None if self.round == rounds => (Outcome::Whole, "The order was right.".to_owned()),
            None => {
                let length = self.rules.rounds[self.round].len();
                let round = self.round + 1;
                let place = self.place;
                (
                    Outcome::Unfinished,
                    format!("Round {round} of {rounds} came to {place} of {length} uses."),
                )
            }
        };
        Verdict {
            ended,
            outcome,
            uses: self.counted,
            rounds_done: self.round,
            restarts: self.restarts,
            explanation,
        }
    }
}
