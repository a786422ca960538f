//! What pictures say that were read before.

use std::collections::VecDeque;

use super::TextLine;

/// A bounded memory: when it is full, what was not asked for the longest goes.
pub(crate) struct Known {
    most: usize,
    /// The latest used last.
    entries: VecDeque<(u64, Vec<TextLine>)>,
}

impl Known {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            entries: VecDeque::with_capacity(most),
        }
    }

    pub(crate) fn recall(&mut self, key: u64) -> Option<Vec<TextLine>> {
        let index = self.entries.iter().position(|(known, _)| *known == key)?;
        let entry = self.entries.remove(index)?;
        let lines = entry.1.clone();
        self.entries.push_back(entry);
        Some(lines)
    }

    pub(crate) fn remember(&mut self, key: u64, lines: &[TextLine]) {
        self.entries.retain(|(known, _)| *known != key);
        if self.entries.len() == self.most {
            self.entries.pop_front();
        }
        self.entries.push_back((key, lines.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_the_longest_goes() {
        let line = |text: &str| {
            vec![TextLine {
                text: text.to_owned(),
                area: (0, 0, 9, 9).into(),
                confidence: 1.0,
            }]
        };
        let mut known = Known::new(2);
        known.remember(1, &line("one"));
        known.remember(2, &line("two"));
        assert_eq!(known.recall(1), Some(line("one")));
        known.remember(3, &line("three"));
        assert_eq!(known.recall(2), None);
        assert_eq!(known.recall(1), Some(line("one")));
        known.remember(3, &line("again"));
        assert_eq!(known.recall(3), Some(line("again")));
        assert_eq!(known.entries.len(), 2);
    }
}
