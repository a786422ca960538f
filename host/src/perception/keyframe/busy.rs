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
const STATES: usize = 16;
/// A state nearer than this to a remembered one is that one.
const SAME: f32 = 0.02;
/// So many latest distances say what is usual at a place.
const LATELY: usize = 8;

#[derive(Default)]
pub struct Busy {
    places: VecDeque<Place>,
}

struct Place {
    area: Area,
    states: VecDeque<Arc<[f32]>>,
    /// How far the latest states were from what was remembered then.
    lately: VecDeque<f32>,
}

impl Busy {
    /// Remembers a state and gives its distance to the nearest one that the place showed before; None for a new place.
    pub fn recall(&mut self, area: Area, state: &Arc<[f32]>) -> Option<f32> {
        let known = self.places.iter().position(|place| place.area == area);
        let mut place = known
            .and_then(|index| self.places.remove(index))
            .unwrap_or_else(|| Place {
                area,
                states: VecDeque::new(),
                lately: VecDeque::new(),
            });
        let nearest = place
            .states
            .iter()
            .map(|known| cosine_distance(known, state))
            .reduce(f32::min);
        if nearest.is_none_or(|distance| distance >= SAME) {
            if place.states.len() == STATES {
                place.states.pop_front();
            }
            place.states.push_back(state.clone());
        }
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
        nearest
    }

    /// The median of how far the latest states of a place were from what it had shown before; None for one that is not known
    /// for long.
    pub fn usual(&self, area: Area) -> Option<f32> {
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
        assert_eq!(busy.recall(here, &state(1.0, 0.0)), None);
        assert!(
            busy.recall(here, &state(0.0, 1.0))
                .is_some_and(|distance| distance > 0.9)
        );
        assert!(
            busy.recall(here, &state(1.0, 0.0))
                .is_some_and(|distance| distance < 0.01)
        );
        assert_eq!(
            busy.recall(there, &state(1.0, 0.0)),
            None,
            "another place has its own memory"
        );
    }

    #[test]
    fn the_usual_is_known_after_a_while() {
        let place = (0, 0, 64, 64);
        let mut busy = Busy::default();
        for step in 0..=LATELY {
            assert_eq!(busy.usual(place), None, "step {step}");
            let angle = step as f32 * 0.3;
            busy.recall(place, &[angle.cos(), angle.sin()].into());
        }
        let usual = busy.usual(place).unwrap();
        assert!((usual - (1.0 - 0.3_f32.cos())).abs() < 1e-4, "{usual}");
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut busy = Busy::default();
        for place in 0..PLACES as u32 * 2 {
            for step in 0..STATES * 3 {
                let angle = step as f32 * 0.3;
                busy.recall((place, 0, 64, 64), &[angle.cos(), angle.sin()].into());
            }
        }
        assert_eq!(busy.places.len(), PLACES);
        let most = busy
            .places
            .iter()
            .map(|place| place.states.len().max(place.lately.len()))
            .max();
        assert_eq!(most, Some(STATES));
    }
}
