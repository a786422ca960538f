//! What a desk's hands do, and what they refuse.

use dynacu_runtime::ActionReceipt;
use dynacu_runtime::types::{Action, ActionError, Channel, Point, Size};

use super::Desk;

/// What an action takes, beside a wait and what is spoken.
const ACTION_MS: u64 = 50;
/// A spoken word.
const WORD_MS: u64 = 350;

impl Desk {
    /// What is wrong with an action, as the host would see it.
    fn refusal(&self, action: &Action) -> Option<ActionError> {
        let Size { width, height } = self.script.brief.screen;
        let outside = |at: &Point| {
            at.x < 0
                || at.y < 0
                || i64::from(at.x) >= width.into()
                || i64::from(at.y) >= height.into()
        };
        let points = match action {
            Action::Click { at, .. } | Action::Move { to: at } => vec![*at],
            Action::Drag { start, end } => vec![*start, *end],
            Action::Scroll { at, .. } => at.iter().copied().collect(),
            Action::Speak { .. } if !self.granted(Channel::Speech) => {
                let what = Channel::Speech.to_string();
                return Some(ActionError::NotGranted { what });
            }
            Action::Type { .. }
            | Action::Key { .. }
            | Action::Speak { .. }
            | Action::Wait { .. }
            | Action::Done => Vec::new(),
        };
        let first = points.into_iter().find(outside);
        first.map(|at| ActionError::OffScreen { at })
    }

    /// Does one action when the hands are free, and gives what became of it and when.
    pub(super) fn act(&mut self, action: &Action) -> (u64, Result<ActionReceipt, ActionError>) {
        let started_at = self.busy_until.max(self.now);
        if let Some(error) = self.refusal(action) {
            return (started_at, Err(error));
        }
        let took = match action {
            Action::Wait { ms } => *ms,
            Action::Speak { text } => WORD_MS * text.split_whitespace().count() as u64,
            Action::Click { at, .. } | Action::Move { to: at } | Action::Drag { end: at, .. } => {
                self.pointer = *at;
                ACTION_MS
            }
            Action::Type { .. } | Action::Key { .. } | Action::Scroll { .. } | Action::Done => {
                ACTION_MS
            }
        };
        let ended_at = started_at.saturating_add(took);
        self.busy_until = ended_at;
        if matches!(action, Action::Done) {
            self.done_at = Some(ended_at);
        }
        let receipt = ActionReceipt {
            started_at,
            ended_at,
        };
        (ended_at, Ok(receipt))
    }
}
