//! The `local` gate: the two stages of the specification inside what changed.
//!
//! A toast covers two percent of a screen and moves the embedding of the whole of it by less than a hundredth, yet the crop
//! around it has changed completely. So changed tiles are grouped into regions and each region is judged on its own crop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::encoder::{Encoder, cosine_distance};
use super::beat::Beats;
use super::boxes::{padded, union};
use super::busy::{Busy, Recalled};
use super::colour::{grew, ink, recoloured};
use super::embeddings::{Embeddings, fingerprint};
use super::pixels::{CHANGED_PIXELS, Change, Region, Since, TILE, different_tiles, touched_tiles};
use super::places::Places;
use super::restless::Restless;
use super::whole::Whole;
use super::{Decision, Gate, SEMANTIC_DISTANCE};
use crate::capture::screen::{Area, Frame};
use crate::error::ModelError;

/// Least side of a crop in pixels. Crops are otherwise tight: with a margin of a few pixels around it, a lamp of 18 pixels
/// that turns from green to red moves the stand-in encoder by half the threshold, without one by more than twice of it.
const LEAST_SIDE: u32 = 16;
/// A change flatter than this cannot be text or a sign: a line drawn under something, a thin progress bar.
const FLAT: u32 = 8;
/// Crops judged for one frame, the largest first. Two embeddings each at most; the rest waits for the next frame.
const JUDGED: usize = 4;
/// A frame kept in the middle of a fade is followed by one that shows the end of it: so far apart at most …
const FOLLOW_INTERVALS: f32 = 2.5;
/// … and from this distance on: the same thing, only clearer.
const FOLLOW_DISTANCE: f32 = SEMANTIC_DISTANCE / 8.0;
/// What stays so long unchanged is there to stay and is kept, however near to what was.
const SETTLED: Duration = Duration::from_secs(1);
/// Even what is too small to be judged, such as a digit of small print, from so many pixels of a tile on; but it must stay
/// longer: a small clock changes each second, a caret twice.
const SMALL_PIXELS: u32 = 8;
const SMALL_SETTLED: Duration = Duration::from_millis(1500);
/// What has a beat has stopped when it left out so many.
const BEATS_LEFT_OUT: u32 = 3;
/// A bar grows by little if by no more than this part of the screen.
const LITTLE: u32 = 10;
/// The same place is kept as settled at most once in so long: a progress bar rests between its ticks.
const SETTLED_AGAIN: Duration = Duration::from_secs(10);
/// What stays beside something that never rests, such as a spinner, is one region with it and is kept all the same, …
const PARTLY_SETTLED: Duration = Duration::from_secs(3);
/// … but less often: a bar that creeps on leaves resting places behind it all the time.
const PARTLY_AGAIN: Duration = Duration::from_secs(20);
/// A tile that changed in so many samples in a row is busy; what it shows is remembered from [`REMEMBERED_FROM`] on.
const BUSY: u32 = 4;
const REMEMBERED_FROM: u32 = 2;
/// Distance from all that is remembered, from which a small busy place shows something new: one turn of a spinner is
/// nearer, another digit is not.
const NEW_IN_SMALL_PLACE: f32 = 0.1;
const SMALL_PLACE: u32 = 2 * TILE;
/// A large busy place, such as the waveform of a player, must show so many times more than what is usual there, …
const MORE_THAN_USUAL: f32 = 2.0;
/// … or so much, which no drift of one picture reaches, …
const CERTAINLY_NEW: f32 = 0.2;
/// … or it is kept now and then.
const NOW_AND_THEN: Duration = Duration::from_secs(5);

pub(crate) struct Local {
    whole: Whole,
    embeddings: Embeddings,
    restless: Restless,
    busy: Busy,
    beats: Beats,
    interval: Duration,
    /// The last kept frame and what differs from it.
    anchor: Option<Since>,
    /// The last offered frame: what the screen shows now.
    last: Option<Arc<Frame>>,
    tiles: Vec<Tile>,
    follow: Option<Follow>,
    /// What differs from the anchor and was not kept: kept once it settles.
    waiting: Vec<Waiting>,
    /// Where something was kept as settled.
    settled: Places,
    /// Where a large busy place was kept.
    busy_kept: Places,
    /// Where something grew by little.
    growing: Places,
    pixel_time: Duration,
}

#[derive(Clone, Copy, Default)]
struct Tile {
    changed: Option<Instant>,
    /// In how many samples in a row it changed, and when the first of them was.
    streak: u32,
    streak_began: Option<Instant>,
}

struct Follow {
    tiles: Vec<usize>,
    until: Instant,
}

struct Waiting {
    region: Region,
    distance: Option<f32>,
    patience: Duration,
    /// Whether it counts only once all of it rests: what a bar leaves behind is no news.
    as_a_whole: bool,
}

impl Waiting {
    fn new(region: Region, distance: Option<f32>) -> Self {
        Self {
            region,
            distance,
            patience: SETTLED,
            as_a_whole: false,
        }
    }
}

/// What was found out about one region of a frame.
enum Verdict {
    /// Different enough; with the fingerprints of its states before and after.
    New {
        distance: f32,
        states: [u64; 2],
    },
    /// Shows the same as the frame that was just kept, only clearer.
    Clearer(f32),
    Same(Waiting),
}

impl Local {
    pub(crate) fn new(encoder: Arc<dyn Encoder>, interval: Duration) -> Self {
        Self {
            whole: Whole::new(Some(encoder.clone())),
            embeddings: Embeddings::new(encoder),
            restless: Restless::new(interval),
            busy: Busy::default(),
            beats: Beats::new(interval),
            interval,
            anchor: None,
            last: None,
            tiles: Vec::new(),
            follow: None,
            waiting: Vec::new(),
            settled: Places::default(),
            busy_kept: Places::default(),
            growing: Places::default(),
            pixel_time: Duration::ZERO,
        }
    }

    fn judge(
        &mut self,
        since: &Since,
        after: &Frame,
        region: Region,
        budget: &mut usize,
    ) -> Result<Verdict, ModelError> {
        let before = &*since.frame;
        if region.densest < CHANGED_PIXELS {
            return Ok(Verdict::Same(Waiting {
                patience: SMALL_SETTLED,
                ..Waiting::new(region, None)
            }));
        }
        if region.bounds.3 < FLAT || self.creeps(before, after, region.bounds) {
            return Ok(Verdict::Same(Waiting {
                as_a_whole: true,
                ..Waiting::new(region, None)
            }));
        }
        if let Some(period) = self
            .beats
            .period(&region.tiles, &since.change, FLAT, after.captured)
        {
            return Ok(Verdict::Same(Waiting {
                patience: SETTLED.max(period * BEATS_LEFT_OUT),
                ..Waiting::new(region, None)
            }));
        }
        let states = [
            fingerprint(before, region.bounds),
            fingerprint(after, region.bounds),
        ];
        if self.restless.is_quiet(region.bounds, states[0], states[1]) {
            // Should it stop for good, the state in which it stops must not be lost.
            let period = self
                .restless
                .period(region.bounds, states[0], states[1])
                .unwrap_or_default();
            return Ok(Verdict::Same(Waiting {
                patience: SETTLED.max(period * BEATS_LEFT_OUT),
                ..Waiting::new(region, None)
            }));
        }
        let area = padded(region.bounds, 0, LEAST_SIDE, after.width, after.height);
        if !(self.embeddings.knows(before, area) && self.embeddings.knows(after, area)) {
            if *budget == 0 {
                return Ok(Verdict::Same(Waiting::new(region, None)));
            }
            *budget -= 1;
        }
        if self.mostly(&since.change, &region, REMEMBERED_FROM) {
            let Some(place) = region
                .tiles
                .iter()
                .map(|&tile| since.change.tile_area(tile))
                .reduce(union)
            else {
                return Ok(Verdict::Same(Waiting::new(region, None)));
            };
            let state = self.embeddings.of(after, place)?;
            let recalled = self.busy.recall(place, &state, ink(after, place));
            if self.mostly(&since.change, &region, BUSY) {
                let nearest = recalled.nearest;
                return Ok(match nearest {
                    Some(distance) if self.is_new(place, recalled, after.captured) => {
                        Verdict::New { distance, states }
                    }
                    nearest => Verdict::Same(Waiting::new(region, nearest)),
                });
            }
        }
        let distance = cosine_distance(
            &self.embeddings.of(before, area)?,
            &self.embeddings.of(after, area)?,
        );
        let follows = || {
            self.follow.as_ref().is_some_and(|follow| {
                after.captured <= follow.until
                    && region.tiles.iter().any(|tile| follow.tiles.contains(tile))
            })
        };
        let new = if distance >= SEMANTIC_DISTANCE {
            Some(distance)
        } else {
            recoloured(before, after, region.bounds)
        };
        Ok(if let Some(distance) = new {
            Verdict::New { distance, states }
        } else if distance >= FOLLOW_DISTANCE && follows() {
            Verdict::Clearer(distance)
        } else {
            Verdict::Same(Waiting::new(region, Some(distance)))
        })
    }

    /// Whether something grew by little, as a progress bar does; a bar that leaps is news.
    fn creeps(&mut self, before: &Frame, after: &Frame, area: Area) -> bool {
        if !grew(before, after, area) {
            return false;
        }
        let by_little = |(_, _, width, height): Area| {
            area.2 <= width + after.width / LITTLE && area.3 <= height + after.height / LITTLE
        };
        let creeps = by_little((0, 0, 0, 0))
            || self
                .growing
                .recent(area, 0, PARTLY_SETTLED, after.captured)
                .any(by_little);
        if creeps {
            self.growing.note(area, after.captured);
        }
        creeps
    }

    /// Whether a busy place shows something new.
    fn is_new(&mut self, place: Area, recalled: Recalled, now: Instant) -> bool {
        let Some(distance) = recalled.nearest else {
            return false;
        };
        if place.2.max(place.3) <= SMALL_PLACE {
            return distance >= NEW_IN_SMALL_PLACE && !recalled.turned;
        }
        let least = self.busy.usual(place).map_or(CERTAINLY_NEW, |usual| {
            (usual * MORE_THAN_USUAL).clamp(SEMANTIC_DISTANCE, CERTAINLY_NEW)
        });
        let lately = self.busy_kept.is_near(place, 0, NOW_AND_THEN, now);
        let new = distance >= least || distance >= SEMANTIC_DISTANCE && !lately;
        if new {
            self.busy_kept.note(place, now);
        }
        new
    }

    /// Whether most of a region's changed pixels lie in tiles that changed in so many samples in a row. A toast that comes up
    /// beside a spinner is one region with it, and still a toast.
    fn mostly(&self, change: &Change, region: &Region, streak: u32) -> bool {
        // Captures on damage come closer together than the steady ones, so a number of samples is not yet a time.
        let lasting = self.interval.mul_f32(0.8) * (streak - 1);
        let restive = |index: &&usize| {
            self.tiles.get(**index).is_some_and(|tile| {
                let lasted = tile
                    .changed
                    .zip(tile.streak_began)
                    .map(|(last, first)| last - first);
                tile.streak >= streak && lasted.is_some_and(|lasted| lasted >= lasting)
            })
        };
        let pixels: u32 = region
            .tiles
            .iter()
            .filter(restive)
            .map(|&tile| change.pixels_in(tile))
            .sum();
        pixels * 2 > region.pixels
    }

    /// Whether something that was not kept when it came has been there long enough to be kept now.
    fn is_ripe(&self, waiting: &Waiting, change: &Change, now: Instant) -> bool {
        let Waiting {
            region,
            patience,
            as_a_whole,
            ..
        } = waiting;
        let rested = |index: &usize, least: Duration| {
            let changed = self.tiles.get(*index).and_then(|tile| tile.changed);
            changed.is_none_or(|at| now.saturating_duration_since(at) >= least)
        };
        let whole = region.tiles.iter().all(|tile| rested(tile, *patience));
        let partly = || {
            region.tiles.iter().any(|tile| {
                change.pixels_in(*tile) >= SMALL_PIXELS
                    && rested(tile, PARTLY_SETTLED.max(*patience))
            })
        };
        let again = match whole {
            true => SETTLED_AGAIN,
            false if !as_a_whole && partly() => PARTLY_AGAIN,
            false => return false,
        };
        !self.settled.is_near(region.bounds, TILE, again, now)
    }

    /// Makes a frame the last kept one.
    fn keep(&mut self, frame: &Arc<Frame>, follow: Option<Vec<usize>>) {
        self.anchor = Some(Since::new(frame));
        self.waiting.clear();
        let until = frame.captured + self.interval.mul_f32(FOLLOW_INTERVALS);
        self.follow = follow.map(|tiles| Follow { tiles, until });
    }

    /// Takes in the next frame: gives the tiles that differ from the one before and takes down when they did.
    fn advance(&mut self, frame: &Arc<Frame>) -> Vec<usize> {
        let Some(last) = self.last.replace(frame.clone()) else {
            return Vec::new();
        };
        let started = Instant::now();
        let different = different_tiles(&last, frame);
        let touched: Vec<usize> = touched_tiles(&last, frame, &different).collect();
        let count = frame.width.div_ceil(TILE) * frame.height.div_ceil(TILE);
        self.tiles.resize(count as usize, Tile::default());
        let in_a_row = self.interval.mul_f32(1.6);
        let mut change = Change::none(frame);
        for index in touched {
            let Some(tile) = self.tiles.get_mut(index) else {
                continue;
            };
            let again = tile
                .changed
                .is_some_and(|at| frame.captured.saturating_duration_since(at) <= in_a_row);
            if again {
                tile.streak += 1;
            } else {
                tile.streak = 1;
                tile.streak_began = Some(frame.captured);
                change.recount(&last, frame, &[index]);
                self.beats.note(index, &change, frame.captured);
            }
            tile.changed = Some(frame.captured);
        }
        self.pixel_time += started.elapsed();
        different
    }
}

impl Gate for Local {
    fn rebase(&mut self, frame: &Arc<Frame>) {
        self.whole.rebase(frame);
        self.advance(frame);
        self.keep(frame, None);
    }

    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>, ModelError> {
        let Some(mut since) = self.anchor.take() else {
            self.rebase(frame);
            return Ok(None);
        };
        let different = self.advance(frame);
        let whole = self.whole.judge(frame, &different)?;
        let started = Instant::now();
        since.update(frame, &different);
        let regions = since.change.regions(SMALL_PIXELS);
        self.pixel_time += started.elapsed();
        if let Some(decision) = whole {
            self.keep(
                frame,
                Some(
                    regions
                        .into_iter()
                        .flat_map(|region| region.tiles)
                        .collect(),
                ),
            );
            return Ok(Some(decision));
        }

        self.waiting.clear();
        let mut kept: Option<(Area, f32)> = None;
        let mut follow = None;
        let mut budget = JUDGED;
        for region in regions {
            let (bounds, tiles) = (region.bounds, region.tiles.clone());
            let distance = match self.judge(&since, frame, region, &mut budget)? {
                Verdict::New {
                    distance,
                    states: [before, after],
                } => {
                    self.restless.note(bounds, before, after, frame.captured);
                    follow.get_or_insert_with(Vec::new).extend(tiles);
                    distance
                }
                // A frame that follows is not followed itself: what fades on and on waits until it settles.
                Verdict::Clearer(distance) => distance,
                Verdict::Same(waiting) => {
                    self.waiting.push(waiting);
                    continue;
                }
            };
            kept = Some(kept.map_or((bounds, distance), |(area, most)| {
                (union(area, bounds), distance.max(most))
            }));
        }
        let changed_fraction = since.change.fraction();
        let Some((changed, distance)) = kept else {
            self.anchor = Some(since);
            return self.rest(frame.captured);
        };
        self.keep(frame, follow);
        Ok(Some(Decision {
            frame: frame.clone(),
            changed,
            changed_fraction,
            semantic_distance: Some(distance),
            settled: false,
        }))
    }

    fn rest(&mut self, now: Instant) -> Result<Option<Decision>, ModelError> {
        let (Some(frame), Some(since)) = (&self.last, &self.anchor) else {
            return Ok(None);
        };
        let ripe = self
            .waiting
            .iter()
            .find(|waiting| self.is_ripe(waiting, &since.change, now));
        let Some(Waiting {
            region, distance, ..
        }) = ripe
        else {
            return Ok(None);
        };
        let decision = Decision {
            frame: frame.clone(),
            changed: region.bounds,
            changed_fraction: since.change.fraction(),
            semantic_distance: *distance,
            settled: true,
        };
        self.settled.note(decision.changed, now);
        self.keep(&decision.frame.clone(), None);
        Ok(Some(decision))
    }

    fn pixel_time(&self) -> Duration {
        self.pixel_time + self.whole.pixel_time()
    }
}

#[cfg(test)]
mod tests;
