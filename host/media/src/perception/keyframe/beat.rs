//! Knows small print that changes to a beat: the seconds of a clock, the time of a player.
//!
//! Each second of a clock is a picture of its own, so neither a distance nor a memory of pictures bounds it. What gives it away
//! is that the same few pixels change, and nothing around them, again and again after the same pause.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::boxes::{padded, union};
use super::pixels::Change;
use crate::capture::screen::Area;

/// So many changes after equal pauses are a beat.
const TICKS: usize = 4;
/// What changes less often is worth a frame each time.
const LONGEST: Duration = Duration::from_millis(2500);
/// Small print: nothing higher is taken for a clock. A figure of 36 px is 26 pixels high, one of 14 px ten.
const SMALL_PRINT: u32 = 20;

/// The latest changes of each tile of the screen.
pub(crate) struct Beats {
    tiles: Vec<VecDeque<Tick>>,
    /// How much pauses may differ and still count as equal: sampling alone moves each by one interval.
    tolerance: Duration,
}

#[derive(Clone, Copy)]
struct Tick {
    at: Instant,
    /// What changed in the tile.
    bounds: Area,
}

impl Beats {
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            tiles: Vec::new(),
            tolerance: interval.mul_f32(1.5),
        }
    }

    /// Takes down what changed in a tile that had rested before; `change` is from the frame before to this one.
    pub(crate) fn note(&mut self, tile: usize, change: &Change, at: Instant) {
        let Some(bounds) = change.bounds_in(tile) else {
            return;
        };
        if self.tiles.len() <= tile {
            self.tiles.resize(tile + 1, VecDeque::new());
        }
        let ticks = &mut self.tiles[tile];
        if ticks.len() == TICKS {
            ticks.pop_front();
        }
        ticks.push_back(Tick { at, bounds });
    }

    /// The longest pause between two changes in these tiles, if all that differs there from an earlier frame is small print
    /// with a beat, and what is flatter than `flat`, such as the bar beside a player's time.
    pub(crate) fn period(
        &self,
        tiles: &[usize],
        change: &Change,
        flat: u32,
        now: Instant,
    ) -> Option<Duration> {
        tiles
            .iter()
            .map(|&tile| match change.bounds_in(tile) {
                Some((_, _, _, height)) if height < flat => Some(Duration::ZERO),
                _ => self.beat(tile, change, now),
            })
            .try_fold(Duration::ZERO, |longest, pause| Some(longest.max(pause?)))
            .filter(|longest| !longest.is_zero())
    }

    fn beat(&self, tile: usize, change: &Change, now: Instant) -> Option<Duration> {
        let ticks = self.tiles.get(tile).filter(|ticks| ticks.len() == TICKS)?;
        let pauses = || {
            ticks
                .iter()
                .zip(ticks.iter().skip(1))
                .map(|(from, to)| to.at.duration_since(from.at))
        };
        let (longest, shortest) = (pauses().max()?, pauses().min()?);
        let late = now.saturating_duration_since(ticks.back()?.at) > longest + self.tolerance;
        if late || longest > LONGEST || longest - shortest > self.tolerance {
            return None;
        }
        let place = ticks.iter().map(|tick| tick.bounds).reduce(union)?;
        // From 0:09 to 0:10 the figure beside changes too.
        let (_, _, width, height) = place;
        let reach = padded(place, height, 0, u32::MAX, u32::MAX);
        let inside = |area: Area| union(reach, area) == reach;
        (height < SMALL_PRINT && width < SMALL_PRINT * 4 && inside(change.bounds_in(tile)?))
            .then_some(longest)
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;
    use crate::capture::screen::Frame;

    const FIGURE: Area = (405, 675, 7, 9);
    const SECOND: Duration = Duration::from_secs(1);

    fn change(area: Area) -> Change {
        change_of(&[area])
    }

    fn change_of(areas: &[Area]) -> Change {
        let page = RgbImage::from_pixel(1280, 720, Rgb([240; 3]));
        let mut changed = page.clone();
        for &(left, top, width, height) in areas {
            for (y, x) in
                (top..top + height).flat_map(|y| (left..left + width).map(move |x| (y, x)))
            {
                changed.put_pixel(x, y, Rgb([20; 3]));
            }
        }
        let now = Instant::now();
        Change::between(
            &Frame::from_rgb(now, &page),
            &Frame::from_rgb(now, &changed),
        )
    }

    /// The tile in which all of them lie.
    fn tile(change: &Change) -> usize {
        change.regions(1)[0].tiles[0]
    }

    fn ticked(area: Area, millis: &[u64]) -> (Beats, Instant) {
        let (start, change) = (Instant::now(), change(area));
        let mut beats = Beats::new(Duration::from_millis(333));
        let mut last = start;
        for &millis in millis {
            last = start + Duration::from_millis(millis);
            beats.note(tile(&change), &change, last);
        }
        (beats, last)
    }

    fn period(beats: &Beats, area: Area, now: Instant) -> Option<Duration> {
        let change = change(area);
        beats.period(&[tile(&change)], &change, 8, now)
    }

    #[test]
    fn four_even_ticks_of_small_print_are_a_beat() {
        let (beats, now) = ticked(FIGURE, &[0, 1000, 2000]);
        assert_eq!(period(&beats, FIGURE, now), None);
        let (beats, now) = ticked(FIGURE, &[0, 1000, 2333, 3333]);
        assert_eq!(
            period(&beats, FIGURE, now),
            Some(Duration::from_millis(1333))
        );
        assert!(period(&beats, (397, 675, 15, 9), now).is_some(), "the tens");
        assert_eq!(period(&beats, FIGURE, now + 2 * SECOND), None, "it stopped");
    }

    #[test]
    fn what_is_uneven_slow_or_large_is_content() {
        for millis in [[0, 1000, 1667, 3333], [0, 6000, 12000, 18000]] {
            let (beats, now) = ticked(FIGURE, &millis);
            assert_eq!(period(&beats, FIGURE, now), None, "{millis:?}");
        }
        let number = (400, 650, 18, 26);
        let (beats, now) = ticked(number, &[0, 1000, 2000, 3000]);
        assert_eq!(period(&beats, number, now), None);
    }

    #[test]
    fn a_thin_bar_beside_the_time_of_a_player_is_no_news() {
        let (beats, now) = ticked(FIGURE, &[0, 1000, 2000, 3000]);
        let with_bar = |height| {
            let change = change_of(&[FIGURE, (460, 677, 30, height)]);
            let tiles = change.regions(1)[0].tiles.clone();
            assert_eq!(tiles.len(), 2);
            beats.period(&tiles, &change, 8, now)
        };
        assert_eq!(with_bar(5), Some(SECOND));
        assert_eq!(with_bar(9), None, "text");
    }

    #[test]
    fn what_changes_beside_a_beat_is_content() {
        let (beats, now) = ticked(FIGURE, &[0, 1000, 2000, 3000]);
        assert!(period(&beats, FIGURE, now).is_some());
        for beside in [(405, 650, 7, 34), (405, 675, 40, 9), (390, 645, 30, 9)] {
            assert_eq!(period(&beats, beside, now), None, "{beside:?}");
        }
    }
}
