//! Remembers what places that never rest have shown: a spinner, a video, a progress bar.
//!
//! Each picture of a spinner differs from the one before, so comparing with the last kept frame would keep them all. A place
//! that changes with every sample is judged by memory instead: only what it has not shown lately is new.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::encoder::cosine_distance;
use crate::capture::screen::Area;

/// Places and, for each, states that are remembered; a state is 2 kB.
const PLACES: usize = 16;
const STATES: usize = 48;
/// A state nearer than this to a remembered one is that one.
const SAME: f32 = 0.02;
/// Mean colours that differ by less, as a share of the whole range, are the same: a spinner's edges flicker so much, another
/// figure in a number has more or less ink than that.
const SAME_INK: f32 = 0.001;
/// So many times in a row: two figures can have as much ink as one another.
const TURNS: u32 = 2;
/// So many latest distances say what is usual at a place.
const LATELY: usize = 8;

#[derive(Default)]
pub(crate) struct Busy {
    places: VecDeque<Place>,
}

struct Place {
    area: Area,
    states: VecDeque<Arc<[f32]>>,
    /// How far the latest states were from what was remembered then.
    lately: VecDeque<f32>,
    /// The mean colour of the last state, and for how many states it has been the same.
    ink: [f32; 3],
    turns: u32,
}

/// How a state of a place stands to what the place showed before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Recalled {
    /// Distance to the nearest state; None for a new place.
    pub nearest: Option<f32>,
    /// The mean colour is that of the states before: something turns, and nothing came or went.
    pub turned: bool,
}

impl Busy {
    /// Remembers a state and the mean colour of the place, and compares them with what the place showed before.
    pub(crate) fn recall(&mut self, area: Area, state: &Arc<[f32]>, ink: [f32; 3]) -> Recalled {
        let known = self.places.iter().position(|place| place.area == area);
        let mut place = known
            .and_then(|index| self.places.remove(index))
            .unwrap_or_else(|| Place {
                area,
                states: VecDeque::new(),
                lately: VecDeque::new(),
                ink: [f32::INFINITY; 3],
                turns: 0,
            });
        let same = place
            .ink
            .iter()
            .zip(ink)
            .all(|(before, after)| (before - after).abs() < SAME_INK);
        place.ink = ink;
        place.turns = if same { place.turns + 1 } else { 0 };
        let turned = place.turns >= TURNS;
        let nearest = place
            .states
            .iter()
            .map(|known| cosine_distance(known, state))
            .enumerate()
            .min_by(|a, b| a.1.total_cmp(&b.1));
        // The one that was not seen for the longest is forgotten.
        let seen = nearest
            .filter(|(_, distance)| *distance < SAME)
            .and_then(|(index, _)| place.states.remove(index));
        if place.states.len() == STATES {
            place.states.pop_front();
        }
        place
            .states
            .push_back(seen.unwrap_or_else(|| state.clone()));
        let nearest = nearest.map(|(_, distance)| distance);
        if let Some(distance) = nearest {
            if place.lately.len() == LATELY {
                place.lately.pop_front();
            }
            place.lately.push_back(distance);
        }
        if self.places.len() == PLACES {
            self.places.pop_front();
        }
        self.places.push_back(place);
        Recalled { nearest, turned }
    }

    /// The median of how far the latest states of a place were from what it had shown before; None for one that is not known
    /// for long.
    pub(crate) fn usual(&self, area: Area) -> Option<f32> {
        let place = self.places.iter().find(|place| place.area == area)?;
        let mut lately: Vec<f32> = place.lately.iter().copied().collect();
        lately.sort_by(f32::total_cmp);
        (lately.len() == LATELY).then(|| lately[LATELY / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_shown_before_is_near() {
        let state = |x: f32, y: f32| -> Arc<[f32]> { [x, y].into() };
        let (here, there) = ((0, 0, 64, 64), (64, 0, 64, 64));
        let mut busy = Busy::default();
        let mut nearest = |place, state| busy.recall(place, &state, [0.0; 3]).nearest;
        assert_eq!(nearest(here, state(1.0, 0.0)), None);
        assert!(nearest(here, state(0.0, 1.0)).is_some_and(|distance| distance > 0.9));
        assert!(nearest(here, state(1.0, 0.0)).is_some_and(|distance| distance < 0.01));
        assert_eq!(
            nearest(there, state(1.0, 0.0)),
            None,
            "another place has its own memory"
        );
    }

    #[test]
    fn what_turns_keeps_its_ink() {
        let mut busy = Busy::default();
        let mut turned = |grey: f32| {
            busy.recall((0, 0, 64, 64), &[1.0].into(), [0.5, grey, 0.5])
                .turned
        };
        assert!(!turned(0.2), "nothing is known of a new place");
        assert!(!turned(0.2005), "once is no turning");
        assert!(turned(0.2));
        assert!(!turned(0.21));
    }

    #[test]
    fn a_state_that_comes_again_is_not_forgotten() {
        let state = |angle: f32| -> Arc<[f32]> { [angle.cos(), angle.sin()].into() };
        let mut busy = Busy::default();
        for step in 0..3 * STATES {
            busy.recall((0, 0, 64, 64), &state(step as f32 * 0.02 + 1.0), [0.0; 3]);
            let again = busy.recall((0, 0, 64, 64), &state(0.0), [0.0; 3]).nearest;
            assert!(
                step == 0 || again.is_some_and(|distance| distance < 0.01),
                "step {step}: {again:?}"
            );
        }
    }

    #[test]
    fn the_usual_is_known_after_a_while() {
        let place = (0, 0, 64, 64);
        let mut busy = Busy::default();
        for step in 0..=LATELY {
            assert_eq!(busy.usual(place), None, "step {step}");
            let angle = step as f32 * 0.3;
            busy.recall(place, &[angle.cos(), angle.sin()].into(), [0.0; 3]);
        }
        let usual = busy.usual(place).unwrap();
        assert!((usual - (1.0 - 0.3_f32.cos())).abs() < 1e-4, "{usual}");
    }

    #[test]
    fn the_memory_is_bounded() {
        let one_of_many =
            |step: usize| -> Arc<[f32]> { (0..200).map(|at| f32::from(at == step)).collect() };
        let mut busy = Busy::default();
        for place in 0..PLACES as u32 * 2 {
            for step in 0..STATES * 2 {
                busy.recall((place, 0, 64, 64), &one_of_many(step), [0.0; 3]);
            }
        }
        assert_eq!(busy.places.len(), PLACES);
        assert!(
            busy.places
                .iter()
                .all(|place| place.states.len() == STATES && place.lately.len() == LATELY)
        );
    }
}
