//! The `local` gate: the two stages of the specification inside what changed.
//!
//! A toast covers two percent of a screen and moves the embedding of the whole of it by less than a hundredth, yet the crop
//! around it has changed completely. So changed tiles are grouped into regions and each region is judged on its own crop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::super::encoder::{Encoder, cosine_distance};
use super::boxes::{padded, union};
use super::busy::Busy;
use super::embeddings::{Embeddings, fingerprint};
use super::pixels::{Change, Region, Since, TILE, different_tiles};
use super::restless::Restless;
use super::{Decision, Gate, SEMANTIC_DISTANCE, Spec};
use crate::capture::screen::{Area, Frame};

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
/// The same place is kept as settled at most once in so long: a progress bar rests between its ticks.
const SETTLED_AGAIN: Duration = Duration::from_secs(10);
/// A tile that changed in so many samples in a row is busy; what it shows is remembered from [`REMEMBERED_FROM`] on.
const BUSY: u32 = 4;
const REMEMBERED_FROM: u32 = 2;
/// Distance from all that is remembered, from which a small busy place shows something new: one turn of a spinner is
/// nearer, another digit is not.
const NEW_IN_SMALL_PLACE: f32 = 0.1;
const SMALL_PLACE: u32 = 2 * TILE;

pub struct Local {
    whole: Spec,
    embeddings: Embeddings,
    restless: Restless,
    busy: Busy,
    interval: Duration,
    /// The last kept frame and what differs from it.
    anchor: Option<Since>,
    /// The last offered frame: what the screen shows now.
    last: Option<Arc<Frame>>,
    tiles: Vec<Tile>,
    follow: Option<Follow>,
    /// What differs from the anchor and was not kept: kept once it settles.
    waiting: Vec<Waiting>,
    pixel_time: Duration,
}

#[derive(Clone, Copy, Default)]
struct Tile {
    changed: Option<Instant>,
    /// In how many samples in a row it changed.
    streak: u32,
    kept_as_settled: Option<Instant>,
}

struct Follow {
    tiles: Vec<usize>,
    until: Instant,
}

struct Waiting {
    region: Region,
    distance: Option<f32>,
    patience: Duration,
}

impl Waiting {
    fn new(region: Region, distance: Option<f32>) -> Self {
        Self {
            region,
            distance,
            patience: SETTLED,
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
    pub fn new(encoder: Arc<dyn Encoder>, interval: Duration) -> Self {
        Self {
            whole: Spec::new(encoder.clone()),
            embeddings: Embeddings::new(encoder),
            restless: Restless::new(interval),
            busy: Busy::default(),
            interval,
            anchor: None,
            last: None,
            tiles: Vec::new(),
            follow: None,
            waiting: Vec::new(),
            pixel_time: Duration::ZERO,
        }
    }

    fn judge(
        &mut self,
        since: &Since,
        after: &Frame,
        region: Region,
        budget: &mut usize,
    ) -> Result<Verdict> {
        let before = &*since.frame;
        if region.bounds.3 < FLAT {
            return Ok(Verdict::Same(Waiting::new(region, None)));
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
                region,
                distance: None,
                patience: SETTLED.max(period * 3),
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
            let nearest = self.busy.recall(place, &state);
            if self.mostly(&since.change, &region, BUSY) {
                let small = place.2.max(place.3) <= SMALL_PLACE;
                let least = if small {
                    NEW_IN_SMALL_PLACE
                } else {
                    SEMANTIC_DISTANCE
                };
                return Ok(match nearest {
                    Some(distance) if distance >= least => Verdict::New { distance, states },
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
        Ok(if distance >= SEMANTIC_DISTANCE {
            Verdict::New { distance, states }
        } else if distance >= FOLLOW_DISTANCE && follows() {
            Verdict::Clearer(distance)
        } else {
            Verdict::Same(Waiting::new(region, Some(distance)))
        })
    }

    /// Whether most of a region's changed pixels lie in tiles that changed in so many samples in a row. A toast that comes up
    /// beside a spinner is one region with it, and still a toast.
    fn mostly(&self, change: &Change, region: &Region, streak: u32) -> bool {
        let restive = |tile: &&usize| {
            self.tiles
                .get(**tile)
                .is_some_and(|tile| tile.streak >= streak)
        };
        let pixels: u32 = region
            .tiles
            .iter()
            .filter(restive)
            .map(|&tile| change.pixels_in(tile))
            .sum();
        pixels * 2 > region.pixels
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
        let mut change = Change::none(frame);
        change.recount(&last, frame, &different);
        self.pixel_time += started.elapsed();
        self.tiles.resize(change.tile_count(), Tile::default());
        let in_a_row = self.interval.mul_f32(1.6);
        let touched = self
            .tiles
            .iter_mut()
            .enumerate()
            .filter(|(index, _)| change.pixels_in(*index) > 0);
        for (_, tile) in touched {
            let again = tile
                .changed
                .is_some_and(|at| frame.captured.saturating_duration_since(at) <= in_a_row);
            tile.streak = if again { tile.streak + 1 } else { 1 };
            tile.changed = Some(frame.captured);
        }
        different
    }
}

impl Gate for Local {
    fn rebase(&mut self, frame: &Arc<Frame>) {
        self.whole.rebase(frame);
        self.advance(frame);
        self.keep(frame, None);
    }

    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>> {
        let Some(mut since) = self.anchor.take() else {
            self.rebase(frame);
            return Ok(None);
        };
        let different = self.advance(frame);
        let whole = self.whole.judge(frame, &different)?;
        let started = Instant::now();
        since.update(frame, &different);
        let regions = since.change.regions();
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

    fn rest(&mut self, now: Instant) -> Result<Option<Decision>> {
        let (Some(frame), Some(since)) = (&self.last, &self.anchor) else {
            return Ok(None);
        };
        let past = |instant: Option<Instant>, least: Duration| {
            instant.is_none_or(|instant| now.saturating_duration_since(instant) >= least)
        };
        let ripe = self.waiting.iter().find(|waiting| {
            waiting
                .region
                .tiles
                .iter()
                .filter_map(|&tile| self.tiles.get(tile))
                .all(|tile| {
                    past(tile.changed, waiting.patience)
                        && past(tile.kept_as_settled, SETTLED_AGAIN)
                })
        });
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
        for &tile in &region.tiles {
            if let Some(tile) = self.tiles.get_mut(tile) {
                tile.kept_as_settled = Some(now);
            }
        }
        self.keep(&decision.frame.clone(), None);
        Ok(Some(decision))
    }

    fn pixel_time(&self) -> Duration {
        self.pixel_time + self.whole.pixel_time()
    }
}

#[cfg(test)]
mod tests;
