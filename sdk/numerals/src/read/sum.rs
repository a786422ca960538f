//! Adds number words up while they continue one number.

use super::NumberWord;

/// What the words so far amount to: complete groups, and the group below the next scale.
#[derive(Default)]
pub(super) struct Sum {
    total: u64,
    group: u64,
    last: Option<NumberWord>,
    last_scale: Option<u64>,
}

impl Sum {
    pub(super) fn value(&self) -> u64 {
        self.total + self.group
    }

    /// Whether "and" may continue the number: "one hundred and five".
    pub(super) fn takes_and(&self) -> bool {
        self.last.is_some_and(NumberWord::is_multiplier)
    }

    /// Whether a scale is no smaller than the one before it, so that it belongs to another number.
    pub(super) fn is_exceeded_by(&self, scale: u64) -> bool {
        let follows_group = self.group > 0;
        follows_group && self.last_scale.is_some_and(|last| scale >= last)
    }

    /// Takes a word that continues the number; false, and nothing changed, when it does not.
    pub(super) fn add(&mut self, word: NumberWord) -> bool {
        use NumberWord::{Hundred, Scale, Teen, Tens, Unit};
        let fits = match (self.last, word) {
            (None, _) => true,
            (Some(Tens(_)), Unit(value)) => value > 0,
            (Some(Hundred | Scale(_)), Unit(value) | Teen(value) | Tens(value)) => value > 0,
            (Some(Unit(_) | Teen(_) | Tens(_)), Hundred) => (1..100).contains(&self.group),
            (Some(Unit(_) | Teen(_) | Tens(_) | Hundred), Scale(_)) => self.group > 0,
            (Some(Unit(_) | Teen(_)), Unit(_) | Teen(_) | Tens(_))
            | (Some(Tens(_)), Teen(_) | Tens(_))
            | (Some(Hundred | Scale(_)), Hundred)
            | (Some(Scale(_)), Scale(_)) => false,
        };
        let (added, group) = match word {
            Unit(value) | Teen(value) | Tens(value) => (Some(0), self.group + u64::from(value)),
            Hundred => (Some(0), self.group.max(1) * 100),
            Scale(scale) => (self.group.max(1).checked_mul(scale), 0),
        };
        let total = added.and_then(|added| self.total.checked_add(added));
        let Some(total) = total.filter(|total| fits && total.checked_add(group).is_some()) else {
            return false;
        };
        (self.total, self.group, self.last) = (total, group, Some(word));
        if let Scale(scale) = word {
            self.last_scale = Some(scale);
        }
        true
    }
}
