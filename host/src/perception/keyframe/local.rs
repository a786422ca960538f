//! The `local` gate: the two stages of the specification inside what changed.
//!
//! A toast covers two percent of a screen and moves the embedding of the whole of it by less than a hundredth, yet the crop
//! around it has changed completely. So changed tiles are grouped into regions and each region is judged on its own crop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::super::encoder::{Encoder, cosine_distance};
use super::embeddings::{Embeddings, fingerprint};
use super::pixels::{Change, Region, padded, union};
use super::restless::Restless;
use super::{Decision, Gate, SEMANTIC_DISTANCE, Spec};
use crate::capture::screen::{Area, Frame};

/// Margin around a change and least side of a crop, in pixels: the encoder needs something to see.
const MARGIN: u32 = 8;
const LEAST_SIDE: u32 = 64;
/// Crops judged for one frame, the largest first. Two embeddings each at most; the rest waits for the next frame.
const JUDGED: usize = 4;
/// A frame kept in the middle of a fade is followed by one that shows the end of it: so far apart at most …
const FOLLOW_INTERVALS: f32 = 2.5;
/// … and from this distance on, a quarter of the ordinary one: the same thing only clearer.
const FOLLOW_DISTANCE: f32 = SEMANTIC_DISTANCE / 4.0;
/// What stays so long unchanged is there to stay and is kept, however near to what was.
const SETTLED: Duration = Duration::from_secs(1);
/// The same place is kept as settled at most once in so long: a progress bar rests between its ticks.
const SETTLED_AGAIN: Duration = Duration::from_secs(10);

pub struct Local {
    whole: Spec,
    embeddings: Embeddings,
    restless: Restless,
    interval: Duration,
    /// The last kept frame.
    anchor: Option<Arc<Frame>>,
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
            interval,
            anchor: None,
            last: None,
            tiles: Vec::new(),
            follow: None,
            waiting: Vec::new(),
            pixel_time: Duration::ZERO,
        }
    }

    fn compare(&mut self, before: &Frame, after: &Frame) -> Change {
        let started = Instant::now();
        let change = Change::between(before, after);
        self.pixel_time += started.elapsed();
        change
    }

    fn judge(
        &mut self,
        before: &Frame,
        after: &Frame,
        region: Region,
        budget: &mut usize,
    ) -> Result<Verdict> {
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
        let area = padded(region.bounds, MARGIN, LEAST_SIDE, after.width, after.height);
        if !(self.embeddings.knows(before, area) && self.embeddings.knows(after, area)) {
            if *budget == 0 {
                return Ok(Verdict::Same(Waiting {
                    region,
                    distance: None,
                    patience: SETTLED,
                }));
            }
            *budget -= 1;
        }
        let distance = cosine_distance(
            &*self.embeddings.of(before, area)?,
            &*self.embeddings.of(after, area)?,
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
            Verdict::Same(Waiting {
                region,
                distance: Some(distance),
                patience: SETTLED,
            })
        })
    }

    /// Makes a frame the last kept one.
    fn keep(&mut self, frame: &Arc<Frame>, follow: Option<Vec<usize>>) {
        self.anchor = Some(frame.clone());
        self.waiting.clear();
        let until = frame.captured + self.interval.mul_f32(FOLLOW_INTERVALS);
        self.follow = follow.map(|tiles| Follow { tiles, until });
    }

    /// Takes down which tiles changed since the frame before.
    fn touch(&mut self, frame: &Arc<Frame>) {
        if let Some(last) = self.last.replace(frame.clone()) {
            let change = self.compare(&last, frame);
            self.tiles.resize(change.tile_count(), Tile::default());
            for tile in change.touched() {
                self.tiles[tile].changed = Some(frame.captured);
            }
        }
    }
}

impl Gate for Local {
    fn rebase(&mut self, frame: &Arc<Frame>) {
        self.whole.rebase(frame);
        self.touch(frame);
        self.keep(frame, None);
    }

    fn offer(&mut self, frame: &Arc<Frame>) -> Result<Option<Decision>> {
        let Some(anchor) = self.anchor.clone() else {
            self.rebase(frame);
            return Ok(None);
        };
        self.touch(frame);
        let whole = self.whole.offer(frame)?;
        let change = self.compare(&anchor, frame);
        let regions = change.regions();
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
            let distance = match self.judge(&anchor, frame, region, &mut budget)? {
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
        let Some((changed, distance)) = kept else {
            return self.rest(frame.captured);
        };
        self.keep(frame, follow);
        Ok(Some(Decision {
            frame: frame.clone(),
            changed,
            changed_fraction: change.fraction(),
            semantic_distance: Some(distance),
            settled: false,
        }))
    }

    fn rest(&mut self, now: Instant) -> Result<Option<Decision>> {
        let Some(frame) = self.last.clone() else {
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
        let (changed, distance, tiles) = (region.bounds, *distance, region.tiles.clone());
        let Some(anchor) = self.anchor.clone() else {
            return Ok(None);
        };
        let changed_fraction = self.compare(&anchor, &frame).fraction();
        for tile in tiles {
            if let Some(tile) = self.tiles.get_mut(tile) {
                tile.kept_as_settled = Some(now);
            }
        }
        self.keep(&frame, None);
        Ok(Some(Decision {
            frame,
            changed,
            changed_fraction,
            semantic_distance: distance,
            settled: true,
        }))
    }

    fn pixel_time(&self) -> Duration {
        self.pixel_time + self.whole.pixel_time()
    }
}

#[cfg(test)]
mod tests;
