//! Where to click next, and what to type there.

use std::collections::{BTreeSet, VecDeque};

use dynacu_sdk::{Action, Point, Size, TextLine};

/// Places of one batch: with two more actions each they stay below the host's 64.
const PLACES: usize = 20;
/// Pixels between the points of the grid, which is for controls without words. Fields and buttons are larger.
const GRID: (u32, u32) = (64, 36);
/// The grid is gone over in so many passes, each between the points of those before, so that all parts of a page have their
/// turn early.
const PASSES: usize = 4;

pub(crate) struct Sweep {
    grid: VecDeque<Point>,
    /// Words on the screen that were not clicked yet.
    words: VecDeque<Point>,
    /// Words that were, by text and rough place: the same words somewhere else are another control.
    clicked: BTreeSet<(String, i32, i32)>,
    /// What was read, to be typed in turn.
    texts: Vec<String>,
    typed: usize,
}

impl Sweep {
    pub(crate) fn over(screen: Size) -> Self {
        let points = |length: u32, step: u32| {
            (0..length / step).map(move |place| (place * step + step / 2) as i32)
        };
        let all: Vec<Point> = points(screen.height, GRID.1)
            .flat_map(|y| points(screen.width, GRID.0).map(move |x| Point { x, y }))
            .collect();
        let grid = (0..PASSES)
            .flat_map(|pass| all.iter().skip(pass).step_by(PASSES).copied())
            .collect();
        Self {
            grid,
            words: VecDeque::new(),
            clicked: BTreeSet::new(),
            texts: Vec::new(),
            typed: 0,
        }
    }

    /// Takes in what a part of the screen says now.
    pub(crate) fn see(&mut self, lines: Vec<TextLine>) {
        for line in lines {
            let at = line.area.centre();
            let text = line.text.trim().to_owned();
            if text.is_empty() {
                continue;
            }
            // What has figures in it is what tasks ask for most; the line as a whole may be a name.
            let pieces = text.split_whitespace();
            let figures = pieces.filter(|piece| piece.contains(|c: char| c.is_ascii_digit()));
            for piece in figures.chain([text.as_str()]) {
                if !self.texts.iter().any(|known| known == piece) {
                    self.texts.push(piece.to_owned());
                }
            }
            if !self.clicked.contains(&name(&text, at)) {
                self.clicked.insert(name(&text, at));
                self.words.push_back(at);
            }
        }
    }

    /// The next actions. New words come first, since they may be gone soon; the grid fills the batch, and begins again once it
    /// is done.
    pub(crate) fn batch(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        for _ in 0..PLACES {
            let at = self.words.pop_front().or_else(|| {
                self.grid.rotate_left(1);
                self.grid.back().copied()
            });
            let Some(at) = at else { break };
            actions.push(Action::click(at.x, at.y));
            if !self.texts.is_empty() {
                let text = self.texts[self.typed % self.texts.len()].clone();
                self.typed += 1;
                actions.push(Action::key("ctrl+a"));
                actions.push(Action::type_text(text));
            }
        }
        actions
    }
}

fn name(text: &str, at: Point) -> (String, i32, i32) {
    (text.to_owned(), at.x / 32, at.y / 16)
}

#[cfg(test)]
mod tests {
    use dynacu_sdk::Rect;

    use super::*;

    const SCREEN: Size = Size {
        width: 1280,
        height: 720,
    };

    fn line(text: &str, x: i32, y: i32) -> TextLine {
        TextLine {
            text: text.to_owned(),
            area: Rect::new(x, y, 80, 20),
            confidence: 0.9,
        }
    }

    fn clicks(actions: &[Action]) -> Vec<(i32, i32)> {
        actions
            .iter()
            .filter_map(|action| match action {
                Action::Click(click) => Some((click.at.x, click.at.y)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn words_first_then_the_whole_screen() {
        let mut sweep = Sweep::over(SCREEN);
        let toast = || vec![line("Submit", 600, 400), line("Total 84 EUR", 100, 100)];
        sweep.see(toast());
        let batch = sweep.batch();
        assert!(batch.len() <= 64, "{}", batch.len());
        assert_eq!(clicks(&batch)[..2], [(640, 410), (140, 110)]);
        let typed: Vec<&Action> = batch
            .iter()
            .filter(|action| matches!(action, Action::Type(_)))
            .collect();
        let texts = ["Submit", "84", "Total 84 EUR", "Submit"].map(Action::type_text);
        assert_eq!(typed[..4], texts.iter().collect::<Vec<_>>()[..]);

        sweep.see(toast());
        let mut places: BTreeSet<(i32, i32)> = clicks(&batch).into_iter().collect();
        assert!(!clicks(&sweep.batch()).contains(&(640, 410)), "once");
        for _ in 0..25 {
            places.extend(clicks(&sweep.batch()));
        }
        for (x, y) in [(30, 16), (1250, 20), (20, 700), (1270, 710), (640, 360)] {
            let near = |place: &&(i32, i32)| (place.0 - x).abs() <= 40 && (place.1 - y).abs() <= 24;
            assert!(places.iter().any(|place| near(&place)), "{x}, {y}");
        }
    }

    #[test]
    fn without_words_it_still_clicks() {
        let batch = Sweep::over(SCREEN).batch();
        assert_eq!(clicks(&batch).len(), batch.len());
        assert_eq!(batch.len(), PLACES);
    }
}
