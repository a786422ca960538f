//! Stage 1: which pixels changed, counted over tiles.
//!
//! Runs on every captured frame, so most of the work is a byte comparison of rows. Only the tiles that differ from the frame
//! before are looked at pixel by pixel, in plain arithmetic over short blocks that the compiler can turn into vector code.

use std::sync::Arc;

use crate::capture::screen::{Area, Frame};

/// Two values of a colour channel that differ by no more than this are the same to a viewer: video grain, rounding.
pub const NOISE: u8 = 8;
/// Side of a tile in pixels.
pub const TILE: u32 = 64;
/// Share of pixels that must have changed: of the whole frame for `spec`, of one tile for `local`.
pub const CHANGED_SHARE: f32 = 0.01;

const BLOCK: usize = TILE as usize * 4;

/// What differs between two frames.
#[derive(Debug, Clone)]
pub struct Change {
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
pub struct Region {
    /// The box around its changed pixels.
    pub bounds: Area,
    /// How many pixels changed.
    pub pixels: u32,
    /// Indices of its tiles, row by row over the frame.
    pub tiles: Vec<usize>,
}

impl Change {
    /// No change at all, for frames of the size of this one.
    #[must_use]
    pub fn none(frame: &Frame) -> Self {
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
    pub fn between(before: &Frame, after: &Frame) -> Self {
        let mut change = Self::none(after);
        change.recount(before, after, &different_tiles(before, after));
        change
    }

    /// Compares two frames again in these tiles only: all others are as they were at the last count.
    ///
    /// Frames of different size, and compact ones, count as changed everywhere.
    pub fn recount(&mut self, before: &Frame, after: &Frame, tiles: &[usize]) {
        let pixels = before
            .raw()
            .zip(after.raw())
            .filter(|(a, b)| a.len() == b.len());
        let row_bytes = self.width as usize * 4;
        for &index in tiles {
            let (left, top, width, height) = self.tile_area(index);
            let Some(tile) = self.tiles.get_mut(index) else {
                continue;
            };
            let Some((a, b)) = pixels else {
                *tile = Tile {
                    pixels: width * height,
                    bounds: [left, top, left + width, top + height],
                };
                continue;
            };
            *tile = Tile::UNCHANGED;
            for y in top..top + height {
                let start = y as usize * row_bytes + left as usize * 4;
                let end = start + width as usize * 4;
                if let Some((a, b)) = a.get(start..end).zip(b.get(start..end))
                    && a != b
                {
                    tile.add(left, y, changed_pixels(a, b));
                }
            }
        }
    }

    /// How many pixels changed.
    #[must_use]
    pub fn pixels(&self) -> u32 {
        self.tiles.iter().map(|tile| tile.pixels).sum()
    }

    /// Share of all pixels that changed, 0 to 1.
    #[must_use]
    pub fn fraction(&self) -> f32 {
        self.pixels() as f32 / (self.width * self.height).max(1) as f32
    }

    /// The box around all changed pixels; None if there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Area> {
        area(self.tiles.iter().filter(|tile| tile.pixels > 0))
    }

    /// How many pixels changed in one tile.
    #[must_use]
    pub fn pixels_in(&self, tile: usize) -> u32 {
        self.tiles.get(tile).map_or(0, |tile| tile.pixels)
    }

    /// How many tiles a frame of this size has.
    #[must_use]
    pub fn tile_count(&self) -> usize {
        self.tiles.len()
    }

    /// The pixels of one tile; narrower at the right and lower edge of the frame.
    #[must_use]
    pub fn tile_area(&self, index: usize) -> Area {
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

    /// Groups of neighbouring changed tiles, at least one tile of each changed by [`CHANGED_SHARE`]; the largest first.
    #[must_use]
    pub fn regions(&self) -> Vec<Region> {
        let enough = (CHANGED_SHARE * (TILE * TILE) as f32).ceil() as u32;
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

    /// Adds the changed pixels of one row of the tile: bit n is the pixel at `left + n`.
    fn add(&mut self, left: u32, y: u32, changed: u64) {
        if changed == 0 {
            return;
        }
        self.pixels += changed.count_ones();
        let [first_x, first_y, end_x, end_y] = &mut self.bounds;
        *first_x = (*first_x).min(left + changed.trailing_zeros());
        *end_x = (*end_x).max(left + 64 - changed.leading_zeros());
        *first_y = (*first_y).min(y);
        *end_y = y + 1;
    }
}

/// One bit for each of up to 64 pixels: set where a colour channel differs by more than [`NOISE`].
fn changed_pixels(a: &[u8], b: &[u8]) -> u64 {
    let (a, b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
    let mut changed = 0;
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        // The fourth byte is unused and may hold anything.
        let far = (a[0].abs_diff(b[0]) > NOISE)
            | (a[1].abs_diff(b[1]) > NOISE)
            | (a[2].abs_diff(b[2]) > NOISE);
        changed |= u64::from(far) << index;
    }
    changed
}

/// Tiles in which any byte differs: all of them where the frames cannot be compared.
#[must_use]
pub fn different_tiles(before: &Frame, after: &Frame) -> Vec<usize> {
    let (columns, rows) = (
        after.width.div_ceil(TILE) as usize,
        after.height.div_ceil(TILE) as usize,
    );
    let same_size = (before.width, before.height) == (after.width, after.height);
    let (Some(a), Some(b), true) = (before.raw(), after.raw(), same_size) else {
        return (0..columns * rows).collect();
    };
    let row_bytes = after.width as usize * 4;
    let mut different = vec![false; columns * rows];
    for (y, (a, b)) in a
        .chunks_exact(row_bytes)
        .zip(b.chunks_exact(row_bytes))
        .enumerate()
    {
        if a == b {
            continue;
        }
        let tiles = &mut different[y / TILE as usize * columns..][..columns];
        for (tile, (a, b)) in tiles.iter_mut().zip(a.chunks(BLOCK).zip(b.chunks(BLOCK))) {
            *tile = *tile || a != b;
        }
    }
    different
        .iter()
        .enumerate()
        .filter(|(_, different)| **different)
        .map(|(index, _)| index)
        .collect()
}

/// What has changed since one frame, kept up to date at the cost of what changes.
pub struct Since {
    pub frame: Arc<Frame>,
    pub change: Change,
}

impl Since {
    #[must_use]
    pub fn new(frame: &Arc<Frame>) -> Self {
        Self {
            frame: frame.clone(),
            change: Change::none(frame),
        }
    }

    /// Takes in the next frame, which differs from the one before in these tiles.
    pub fn update(&mut self, frame: &Frame, different: &[usize]) {
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
mod tests {
    use std::time::Instant;

    use image::{Rgb, RgbImage};

    use super::*;

    fn frame(boxes: &[(Area, u8)]) -> Frame {
        let mut picture = RgbImage::from_pixel(1280, 720, Rgb([200; 3]));
        for &((left, top, width, height), grey) in boxes {
            for y in top..top + height {
                for x in left..left + width {
                    picture.put_pixel(x, y, Rgb([200, grey, 200]));
                }
            }
        }
        Frame::from_rgb(Instant::now(), &picture)
    }

    #[test]
    fn counts_the_share_and_the_box() {
        let toast = (900, 40, 320, 64);
        let change = Change::between(&frame(&[]), &frame(&[(toast, 20)]));
        assert_eq!(change.pixels(), 320 * 64);
        assert_eq!(change.bounds(), Some(toast));
        assert!((change.fraction() - 0.0222).abs() < 0.0001);
        assert_eq!(change.regions().len(), 1);
        assert_eq!(change.regions()[0].bounds, toast);
    }

    #[test]
    fn noise_is_no_change() {
        let change = Change::between(&frame(&[]), &frame(&[((0, 0, 1280, 720), 200 - NOISE)]));
        assert_eq!((change.pixels(), change.bounds()), (0, None));
        assert!(
            Change::between(&frame(&[]), &frame(&[]))
                .regions()
                .is_empty()
        );
    }

    #[test]
    fn a_caret_is_too_small_for_a_region_and_a_lamp_is_not() {
        let (caret, lamp) = ((300, 300, 2, 18), (1200, 700, 16, 16));
        let change = Change::between(&frame(&[]), &frame(&[(caret, 0), (lamp, 0)]));
        assert_eq!(change.pixels(), 36 + 256);
        let regions = change.regions();
        assert_eq!(
            regions
                .iter()
                .map(|region| region.bounds)
                .collect::<Vec<_>>(),
            [lamp]
        );
    }

    #[test]
    fn what_changed_since_a_frame_is_kept_up_to_date() {
        let (digit, panel) = ((10, 10, 20, 30), (500, 400, 200, 200));
        let film = [
            frame(&[]),
            frame(&[(digit, 1)]),
            frame(&[(digit, 1), (panel, 1)]),
            frame(&[(panel, 1)]),
            frame(&[]),
        ];
        let film = film.map(Arc::new);
        let mut since = Since::new(&film[0]);
        for pair in film.windows(2) {
            since.update(&pair[1], &different_tiles(&pair[0], &pair[1]));
            assert_eq!(
                since.change.bounds(),
                Change::between(&film[0], &pair[1]).bounds()
            );
            assert_eq!(
                since.change.pixels(),
                Change::between(&film[0], &pair[1]).pixels()
            );
        }
        assert_eq!(since.change.bounds(), None);
    }

    #[test]
    fn far_changes_are_separate_regions_and_the_larger_is_first() {
        let (digit, panel) = ((10, 10, 20, 30), (500, 400, 200, 200));
        let regions = Change::between(&frame(&[(digit, 1)]), &frame(&[(panel, 1)])).regions();
        assert_eq!(
            regions
                .iter()
                .map(|region| region.bounds)
                .collect::<Vec<_>>(),
            [panel, digit]
        );
    }
}
