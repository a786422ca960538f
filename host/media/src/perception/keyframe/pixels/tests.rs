//! Counts on drawn frames, and what they cost.

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
    assert_eq!(change.regions(CHANGED_PIXELS).len(), 1);
    assert_eq!(change.regions(CHANGED_PIXELS)[0].bounds, toast);
}

#[test]
fn noise_is_no_change() {
    let change = Change::between(&frame(&[]), &frame(&[((0, 0, 1280, 720), 200 - NOISE)]));
    assert_eq!((change.pixels(), change.bounds()), (0, None));
    assert!(
        Change::between(&frame(&[]), &frame(&[]))
            .regions(CHANGED_PIXELS)
            .is_empty()
    );
}

#[test]
fn a_caret_is_too_small_for_a_region_and_a_lamp_is_not() {
    let (caret, lamp) = ((300, 300, 2, 18), (1200, 700, 16, 16));
    let change = Change::between(&frame(&[]), &frame(&[(caret, 0), (lamp, 0)]));
    assert_eq!(change.pixels(), 36 + 256);
    let regions = change.regions(CHANGED_PIXELS);
    assert_eq!(
        regions
            .iter()
            .map(|region| region.bounds)
            .collect::<Vec<_>>(),
        [lamp]
    );
}

#[test]
fn frames_that_no_tile_divides_are_counted_to_the_edge() {
    let picture = |corner: u8| {
        let mut picture = RgbImage::from_pixel(150, 70, Rgb([90; 3]));
        for (x, y) in [(149, 69), (140, 69), (148, 64), (0, 0)] {
            picture.put_pixel(x, y, Rgb([90, 90, corner]));
        }
        Frame::from_rgb(Instant::now(), &picture)
    };
    let (before, after) = (picture(90), picture(99));
    let change = Change::between(&before, &after);
    assert_eq!(
        (change.pixels(), change.bounds()),
        (4, Some((0, 0, 150, 70)))
    );
    let different = different_tiles(&before, &after);
    let touched: Vec<usize> = touched_tiles(&before, &after, &different).collect();
    assert_eq!(touched, [0, 5]);
    let faint = picture(98);
    let different = different_tiles(&before, &faint);
    assert_eq!(different, [0, 5]);
    assert_eq!(touched_tiles(&before, &faint, &different).count(), 0);
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
    let regions =
        Change::between(&frame(&[(digit, 1)]), &frame(&[(panel, 1)])).regions(CHANGED_PIXELS);
    assert_eq!(
        regions
            .iter()
            .map(|region| region.bounds)
            .collect::<Vec<_>>(),
        [panel, digit]
    );
}

/// Prints what the comparisons of one frame cost, from a still page to one that changes everywhere. Between two frames the
/// caches are emptied of all but the new frame, as a page does that is drawn.
#[test]
#[ignore = "prints figures"]
fn print_the_cost() {
    let still = Arc::new(frame(&[]));
    let pages = [
        ("nothing", Vec::new()),
        ("caret", vec![((300, 300, 2, 18), 0)]),
        ("toast 320x64", vec![((900, 40, 320, 64), 20)]),
        ("video 640x360", vec![((300, 200, 640, 360), 20)]),
        ("everything", vec![((0, 0, 1280, 720), 20)]),
    ];
    for (name, boxes) in pages {
        let pixels = frame(&boxes).rgb().unwrap();
        let mut since = Since::new(&still);
        let mut others = vec![0_u8; 256 << 20];
        let mut times: Vec<u128> = (0..100)
            .map(|_| {
                others
                    .iter_mut()
                    .for_each(|byte| *byte = byte.wrapping_add(1));
                std::hint::black_box(&others);
                let page = Frame::from_rgb(Instant::now(), &pixels);
                let started = std::time::Instant::now();
                let equal = still.looks_like(&page);
                let different = different_tiles(&still, &page);
                let touched = touched_tiles(&still, &page, &different).count();
                since.update(&page, &different);
                let regions = since.change.regions(CHANGED_PIXELS).len();
                std::hint::black_box((equal, touched, regions));
                started.elapsed().as_micros()
            })
            .collect();
        times.sort_unstable();
        let mean = times.iter().sum::<u128>() / times.len() as u128;
        eprintln!(
            "{name}: mean {mean} us, median {} us, p95 {} us",
            times[50], times[95]
        );
    }
}
