//! Stage 1: which pixels changed, counted over tiles.
//!
//! Runs on every captured frame, so most of the work is one number for each tile, made once for each frame. Only tiles whose
//! numbers differ are looked at pixel by pixel, in plain arithmetic over blocks of fixed size, without branches, which the
//! compiler turns into vector code.

use std::sync::Arc;

pub(crate) use crate::capture::screen::TILE;
use crate::capture::screen::{Area, BLOCK, Frame};

/// Two values of a colour channel that differ by no more than this are the same to a viewer: video grain, rounding.
pub(crate) const NOISE: u8 = 8;
/// Share of pixels that must have changed: of the whole frame for `spec`, of one tile for `local`.
pub(crate) const CHANGED_SHARE: f32 = 0.01;

/// So many pixels of a tile are [`CHANGED_SHARE`] of it.
pub(crate) const CHANGED_PIXELS: u32 = (CHANGED_SHARE * (TILE * TILE) as f32) as u32 + 1;

/// What differs between two frames.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    width: u32,
    height: u32,
    columns: u32,
    tiles: Vec<Tile>,
}

#[derive(Debug, Clone, Copy)]
struct Tile {
    pixels: u32,
    /// Bounds of the changed pixels: left, top, right, bottom, the latter two exclusive.
    bounds: [u32; 4],
}

/// A group of neighbouring tiles that changed.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    /// The box around its changed pixels.
    pub bounds: Area,
    /// How many pixels changed.
    pub pixels: u32,
    /// The most that changed in one of its tiles.
    pub densest: u32,
    /// Indices of its tiles, row by row over the frame.
    pub tiles: Vec<usize>,
}

impl Change {
    /// No change at all, for frames of the size of this one.
    #[must_use]
    pub(crate) fn none(frame: &Frame) -> Self {
        let columns = frame.width.div_ceil(TILE);
        let tiles = vec![Tile::UNCHANGED; (columns * frame.height.div_ceil(TILE)) as usize];
        Self {
            width: frame.width,
            height: frame.height,
            columns,
            tiles,
        }
    }

    /// Compares two frames of the same size.
    #[must_use]
    pub(crate) fn between(before: &Frame, after: &Frame) -> Self {
        let mut change = Self::none(after);
        change.recount(before, after, &different_tiles(before, after));
        change
    }

    /// Compares two frames again in these tiles only: all others are as they were at the last count.
    ///
    /// Frames of different size, and compact ones, count as changed everywhere.
    pub(crate) fn recount(&mut self, before: &Frame, after: &Frame, tiles: &[usize]) {
        let prints = before.comparable(after);
        let pixels = prints.and_then(|_| before.raw().zip(after.raw()));
        let row_bytes = self.width as usize * 4;
        for &index in tiles {
            let (left, top, width, height) = self.tile_area(index);
            let Some(tile) = self.tiles.get_mut(index) else {
                continue;
            };
            if prints.is_some_and(|(a, b)| a.get(index) == b.get(index)) {
                *tile = Tile::UNCHANGED;
                continue;
            }
            let Some((a, b)) = pixels else {
                *tile = Tile {
                    pixels: width * height,
                    bounds: [left, top, left + width, top + height],
                };
                continue;
            };
            let mut columns = [0; TILE as usize];
            let (mut count, mut rows) = (0, None);
            for y in top..top + height {
                let start = y as usize * row_bytes + left as usize * 4;
                let end = start + width as usize * 4;
                if let Some((a, b)) = a.get(start..end).zip(b.get(start..end))
                    && a != b
                {
                    let changed = with_block(a, b, |a, b| mark(a, b, &mut columns));
                    if changed > 0 {
                        count += changed;
                        rows = Some((rows.map_or(y, |(first, _)| first), y + 1));
                    }
                }
            }
            *tile = Tile::new(left, &columns, rows, count);
        }
    }

    /// How many pixels changed.
    #[must_use]
    pub(crate) fn pixels(&self) -> u32 {
        self.tiles.iter().map(|tile| tile.pixels).sum()
    }

    /// Share of all pixels that changed, 0 to 1.
    #[must_use]
    pub(crate) fn fraction(&self) -> f32 {
        self.pixels() as f32 / (self.width * self.height).max(1) as f32
    }

    /// The box around all changed pixels; None if there are none.
    #[must_use]
    pub(crate) fn bounds(&self) -> Option<Area> {
        area(self.tiles.iter().filter(|tile| tile.pixels > 0))
    }

    /// The box around the changed pixels of one tile; None if there are none.
    #[must_use]
    pub(crate) fn bounds_in(&self, tile: usize) -> Option<Area> {
        self.tiles
            .get(tile)
            .filter(|tile| tile.pixels > 0)
            .map(Tile::area)
    }

    /// How many pixels changed in one tile.
    #[must_use]
    pub(crate) fn pixels_in(&self, tile: usize) -> u32 {
        self.tiles.get(tile).map_or(0, |tile| tile.pixels)
    }

    /// The pixels of one tile; narrower at the right and lower edge of the frame.
    #[must_use]
    pub(crate) fn tile_area(&self, index: usize) -> Area {
        let columns = (self.columns as usize).max(1);
        let (left, top) = (
            (index % columns) as u32 * TILE,
            (index / columns) as u32 * TILE,
        );
        (
            left,
            top,
            TILE.min(self.width.saturating_sub(left)),
            TILE.min(self.height.saturating_sub(top)),
        )
    }

    /// Groups of neighbouring changed tiles, in at least one tile of each as many pixels as told; the largest first.
    #[must_use]
    pub(crate) fn regions(&self, enough: u32) -> Vec<Region> {
        let mut seen = vec![false; self.tiles.len()];
        let mut regions = Vec::new();
        for seed in 0..self.tiles.len() {
            if seen[seed] || self.tiles[seed].pixels < enough {
                continue;
            }
            seen[seed] = true;
            let mut tiles = vec![seed];
            let mut next = 0;
            while let Some(&index) = tiles.get(next) {
                next += 1;
                for neighbour in self.neighbours(index) {
                    if !seen[neighbour] && self.tiles[neighbour].pixels > 0 {
                        seen[neighbour] = true;
                        tiles.push(neighbour);
                    }
                }
            }
            let pixels = tiles.iter().map(|&index| self.tiles[index].pixels).sum();
            if let Some(bounds) = area(tiles.iter().map(|&index| &self.tiles[index])) {
                regions.push(Region {
                    bounds,
                    pixels,
                    densest: tiles
                        .iter()
                        .map(|&index| self.tiles[index].pixels)
                        .max()
                        .unwrap_or(0),
                    tiles,
                });
            }
        }
        regions.sort_by_key(|region| std::cmp::Reverse(region.pixels));
        regions
    }

    fn neighbours(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        let (columns, rows) = (
            self.columns as usize,
            self.tiles.len() / (self.columns as usize).max(1),
        );
        let (x, y) = (index % columns, index / columns);
        let span = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
        span(y, rows).flat_map(move |y| span(x, columns).map(move |x| y * columns + x))
    }
}

impl Tile {
    const UNCHANGED: Self = Self {
        pixels: 0,
        bounds: [u32::MAX, u32::MAX, 0, 0],
    };

    /// The box around its changed pixels, of which there must be some.
    fn area(&self) -> Area {
        let [left, top, right, bottom] = self.bounds;
        (left, top, right - left, bottom - top)
    }

    /// From which of its columns changed in any row, and the first and the end of its changed rows.
    fn new(
        left: u32,
        columns: &[u32; TILE as usize],
        rows: Option<(u32, u32)>,
        pixels: u32,
    ) -> Self {
        let changed = |column: &u32| *column != 0;
        let (Some((top, bottom)), Some(first), Some(last)) = (
            rows,
            columns.iter().position(changed),
            columns.iter().rposition(changed),
        ) else {
            return Self::UNCHANGED;
        };
        Self {
            pixels,
            bounds: [left + first as u32, top, left + last as u32 + 1, bottom],
        }
    }
}

/// Marks the columns that changed in one row of a tile; gives how many pixels did. A pixel changed when a colour channel
/// differs by more than [`NOISE`]; the fourth byte is unused and may hold anything.
fn mark(a: &[u8; BLOCK], b: &[u8; BLOCK], columns: &mut [u32; TILE as usize]) -> u32 {
    let far = far(a, b);
    let mut count = 0;
    for (column, far) in columns.iter_mut().zip(far.as_chunks::<4>().0) {
        let changed = u32::from(u32::from_le_bytes(*far) & COLOURS != 0);
        *column |= changed;
        count += changed;
    }
    count
}

/// Whether any pixel of one row of a tile changed.
fn any(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> bool {
    let far = far(a, b);
    let all = far
        .as_chunks::<4>()
        .0
        .iter()
        .fold(0, |all, far| all | u32::from_le_bytes(*far));
    all & COLOURS != 0
}

/// Blue, green and red of a pixel.
const COLOURS: u32 = 0x00ff_ffff;

/// For each byte 0 where the two differ by no more than [`NOISE`], else something. Subtraction that stops at 0 is one vector
/// instruction where a comparison of unsigned bytes is several: over twice as fast.
fn far(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> [u8; BLOCK] {
    let mut far = [0; BLOCK];
    for ((far, a), b) in far.iter_mut().zip(a).zip(b) {
        *far = (a.saturating_sub(*b) | b.saturating_sub(*a)).saturating_sub(NOISE);
    }
    far
}

/// Gives two rows of a tile as blocks of full width; those at the right edge of a frame may be narrower.
fn with_block<T>(a: &[u8], b: &[u8], body: impl FnOnce(&[u8; BLOCK], &[u8; BLOCK]) -> T) -> T {
    if let (Ok(a), Ok(b)) = (a.try_into(), b.try_into()) {
        return body(a, b);
    }
    let filled = |row: &[u8]| {
        let mut block = [0; BLOCK];
        let length = row.len().min(BLOCK);
        block[..length].copy_from_slice(&row[..length]);
        block
    };
    body(&filled(a), &filled(b))
}

/// Those of these tiles in which any pixel changed; all of them where the frames cannot be compared. Much cheaper than a
/// count: it ends at the first such row.
pub(crate) fn touched_tiles<'a>(
    before: &'a Frame,
    after: &'a Frame,
    tiles: &'a [usize],
) -> impl Iterator<Item = usize> + 'a {
    let pixels = before
        .comparable(after)
        .and_then(|_| before.raw().zip(after.raw()));
    let grid = Change::none(after);
    let row_bytes = after.width as usize * 4;
    tiles.iter().copied().filter(move |&tile| {
        let Some((a, b)) = pixels else { return true };
        let (left, top, width, height) = grid.tile_area(tile);
        (top..top + height).any(|y| {
            let start = y as usize * row_bytes + left as usize * 4;
            let rows = a
                .get(start..start + width as usize * 4)
                .zip(b.get(start..start + width as usize * 4));
            rows.is_some_and(|(a, b)| a != b && with_block(a, b, any))
        })
    })
}

/// Tiles in which any byte differs: all of them where the frames cannot be compared.
#[must_use]
pub(crate) fn different_tiles(before: &Frame, after: &Frame) -> Vec<usize> {
    let Some((a, b)) = before.comparable(after) else {
        return (0..(after.width.div_ceil(TILE) * after.height.div_ceil(TILE)) as usize).collect();
    };
    let tiles = a.iter().zip(b).enumerate();
    tiles
        .filter(|(_, (a, b))| a != b)
        .map(|(index, _)| index)
        .collect()
}

/// What has changed since one frame, kept up to date at the cost of what changes.
pub(crate) struct Since {
    pub frame: Arc<Frame>,
    pub change: Change,
}

impl Since {
    #[must_use]
    pub(crate) fn new(frame: &Arc<Frame>) -> Self {
        Self {
            frame: frame.clone(),
            change: Change::none(frame),
        }
    }

    /// Takes in the next frame, which differs from the one before in these tiles.
    pub(crate) fn update(&mut self, frame: &Frame, different: &[usize]) {
        self.change.recount(&self.frame, frame, different);
    }
}

fn area<'a>(tiles: impl Iterator<Item = &'a Tile>) -> Option<Area> {
    let [left, top, right, bottom] = tiles.map(|tile| tile.bounds).reduce(|a, b| {
        [
            a[0].min(b[0]),
            a[1].min(b[1]),
            a[2].max(b[2]),
            a[3].max(b[3]),
        ]
    })?;
    Some((
        left,
        top,
        right.saturating_sub(left),
        bottom.saturating_sub(top),
    ))
}

#[cfg(test)]
mod tests;
