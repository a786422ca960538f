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

#[derive(Default)]
pub struct Busy {
    places: VecDeque<Place>,
}

struct Place {
    area: Area,
    states: VecDeque<Arc<[f32]>>,
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
        if self.places.len() == PLACES {
            self.places.pop_front();
        }
        self.places.push_back(place);
        nearest
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
}
