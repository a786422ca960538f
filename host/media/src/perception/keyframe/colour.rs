//! What colours alone say about a changed place.
//!
//! Encoders look for shapes. A cell of a game that lights up, or a lamp that turns from grey to amber, has the same shape
//! before and after, and its crop hardly moves the embedding; to a person it is another thing.

use super::pixels::NOISE;
use crate::capture::screen::{Area, Frame};

/// Mean difference of all colour channels over a box, as a share of the whole range, from which it has another colour.
const ANOTHER_COLOUR: f32 = 0.12;
/// A box with a shorter side is no place of its own: the tick of a thin bar, an underline.
const LEAST_SIDE: u32 = 10;

/// By how much a place changed its colour, 0 to 1; None where that is too little.
pub(crate) fn recoloured(before: &Frame, after: &Frame, area: Area) -> Option<f32> {
    if area.2.min(area.3) < LEAST_SIDE {
        return None;
    }
    let (a, b) = (before.raw()?, after.raw()?);
    let mut sum = 0_u64;
    for range in rows(after, area) {
        let (a, b) = (a.get(range.clone())?, b.get(range)?);
        for (a, b) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0) {
            sum += (0..3)
                .map(|channel| u64::from(a[channel].abs_diff(b[channel])))
                .sum::<u64>();
        }
    }
    let share = sum as f32 / (area.2 * area.3 * 3) as f32 / 255.0;
    (share >= ANOTHER_COLOUR).then_some(share)
}

/// Whether a place of one colour became a part of a neighbour of one colour, as the next piece of a progress bar does.
pub(crate) fn grew(before: &Frame, after: &Frame, area: Area) -> bool {
    is_flat(before, area) && is_flat(after, area) && grew_into(after, area)
}

/// Whether nearly all pixels of a box are as the one in its middle.
fn is_flat(frame: &Frame, area: Area) -> bool {
    let (x, y, width, height) = area;
    let Some(raw) = frame.raw() else { return false };
    let middle = ((y + height / 2) * frame.width + x + width / 2) as usize * 4;
    let Some(middle) = raw.get(middle..middle + 4) else {
        return false;
    };
    let far =
        |pixel: &[u8; 4]| (0..3).any(|channel| pixel[channel].abs_diff(middle[channel]) > NOISE);
    let other: usize = rows(frame, area)
        .filter_map(|range| raw.get(range))
        .map(|row| {
            row.as_chunks::<4>()
                .0
                .iter()
                .filter(|pixel| far(pixel))
                .count()
        })
        .sum();
    other * 20 <= (width * height) as usize
}

/// Mean of each colour channel over a box, 0 to 1: what only turns, as a spinner does, keeps it.
pub(crate) fn ink(frame: &Frame, area: Area) -> [f32; 3] {
    let mut sums = [0_u64; 3];
    let Some(raw) = frame.raw() else {
        return [0.0; 3];
    };
    for row in rows(frame, area).filter_map(|range| raw.get(range)) {
        for pixel in row.as_chunks::<4>().0 {
            for (sum, value) in sums.iter_mut().zip(pixel) {
                *sum += u64::from(*value);
            }
        }
    }
    sums.map(|sum| sum as f32 / (area.2 * area.3).max(1) as f32 / 255.0)
}

/// Whether along one or two sides of a box the pixels inside are as those outside. On all sides: then something vanished.
fn grew_into(frame: &Frame, (x, y, width, height): Area) -> bool {
    let Some(raw) = frame.raw() else { return false };
    let pixel = |x: u32, y: u32| {
        let start = (y as usize * frame.width as usize + x as usize) * 4;
        raw.get(start..start + 3)
    };
    let same = |(inside, outside): ((u32, u32), (u32, u32))| {
        let pair = pixel(inside.0, inside.1).zip(pixel(outside.0, outside.1));
        pair.is_some_and(|(a, b)| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= NOISE))
    };
    let (right, bottom) = (x + width, y + height);
    // Rounded ends and blurred edges are not part of the side.
    let (columns, lines) = (
        x + width / 4..right - width / 4,
        y + height / 4..bottom - height / 4,
    );
    let left = x > 1 && lines.clone().all(|y| same(((x, y), (x - 2, y))));
    let beyond = right + 1 < frame.width
        && lines
            .clone()
            .all(|y| same(((right - 1, y), (right + 1, y))));
    let above = y > 1 && columns.clone().all(|x| same(((x, y), (x, y - 2))));
    let below = bottom + 1 < frame.height
        && columns
            .clone()
            .all(|x| same(((x, bottom - 1), (x, bottom + 1))));
    let sides = [left, beyond, above, below]
        .into_iter()
        .filter(|same| *same)
        .count();
    (1..=2).contains(&sides)
}

/// The bytes of each row of a box.
fn rows(
    frame: &Frame,
    (x, y, width, height): Area,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    let row_bytes = frame.width as usize * 4;
    (y..y + height).map(move |y| {
        let start = y as usize * row_bytes + x as usize * 4;
        start..start + width as usize * 4
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use image::{Rgb, RgbImage};

    use super::*;

    fn frame(boxes: &[(Area, [u8; 3])]) -> Frame {
        let mut picture = RgbImage::from_pixel(200, 100, Rgb([240; 3]));
        for &((left, top, width, height), colour) in boxes {
            for (y, x) in
                (top..top + height).flat_map(|y| (left..left + width).map(move |x| (y, x)))
            {
                picture.put_pixel(x, y, Rgb(colour));
            }
        }
        Frame::from_rgb(Instant::now(), &picture)
    }

    #[test]
    fn a_lamp_changes_colour_and_a_tint_is_too_little() {
        let lamp = (50, 40, 18, 18);
        let (grey, amber, tint) = ([120; 3], [250, 180, 40], [130; 3]);
        let share = recoloured(&frame(&[(lamp, grey)]), &frame(&[(lamp, amber)]), lamp);
        // (130 + 60 + 80) / 3 / 255.
        assert!(
            share.is_some_and(|share| (share - 0.3529).abs() < 1e-3),
            "{share:?}"
        );
        assert_eq!(
            recoloured(&frame(&[(lamp, grey)]), &frame(&[(lamp, tint)]), lamp),
            None
        );
        let line = (50, 40, 100, 4);
        assert_eq!(
            recoloured(&frame(&[]), &frame(&[(line, amber)]), line),
            None
        );
    }

    #[test]
    fn a_bar_that_grows_or_shrinks_is_a_part_of_its_neighbour() {
        let track = ((20, 40, 160, 12), [200; 3]);
        let bar = |width: u32| frame(&[track, ((20, 40, width, 12), [20, 60, 200])]);
        let piece = (60, 40, 20, 12);
        assert!(grew(&bar(40), &bar(60), piece));
        assert!(grew(&bar(60), &bar(40), piece));
        let lamp = (60, 20, 18, 18);
        assert!(!grew(
            &frame(&[(lamp, [120; 3])]),
            &frame(&[(lamp, [250, 180, 40])]),
            lamp
        ));
        assert!(
            !grew(&frame(&[(lamp, [0; 3])]), &frame(&[]), lamp),
            "it vanished"
        );
        let sign = |grey: u8| {
            frame(&[
                track,
                ((60, 40, 6, 12), [grey; 3]),
                ((72, 40, 6, 12), [grey; 3]),
            ])
        };
        assert!(
            !grew(&sign(0), &bar(60), piece),
            "something was written there"
        );
    }

    #[test]
    fn what_moves_inside_a_box_keeps_its_ink() {
        let at = |x: u32| ink(&frame(&[((x, 20, 10, 10), [0; 3])]), (40, 10, 64, 64));
        assert_eq!(at(45), at(80));
        let more = ink(&frame(&[((45, 20, 20, 10), [0; 3])]), (40, 10, 64, 64));
        assert!(at(45)[0] - more[0] > 0.01);
    }
}
