//! Boxes of pixels.

use crate::capture::screen::Area;

/// The box around two boxes.
#[must_use]
pub(crate) fn union(a: Area, b: Area) -> Area {
    let (left, top) = (a.0.min(b.0), a.1.min(b.1));
    let (right, bottom) = ((a.0 + a.2).max(b.0 + b.2), (a.1 + a.3).max(b.1 + b.3));
    (left, top, right - left, bottom - top)
}

/// A box with a margin around it, at least `least` on each side where the frame allows, inside the frame.
#[must_use]
pub(crate) fn padded(bounds: Area, margin: u32, least: u32, width: u32, height: u32) -> Area {
    let stretch = |start: u32, length: u32, whole: u32| {
        let wanted = (length + 2 * margin).max(least).min(whole);
        let start = (start + length / 2)
            .saturating_sub(wanted / 2)
            .min(whole - wanted);
        (start, wanted)
    };
    let (x, width) = stretch(bounds.0, bounds.2, width);
    let (y, height) = stretch(bounds.1, bounds.3, height);
    (x, y, width, height)
}

/// Whether two boxes overlap or are less than so many pixels apart, both ways.
#[must_use]
pub(crate) fn near(a: Area, b: Area, apart: u32) -> bool {
    let meet = |a: (u32, u32), b: (u32, u32)| a.0 < b.0 + b.1 + apart && b.0 < a.0 + a.1 + apart;
    meet((a.0, a.2), (b.0, b.2)) && meet((a.1, a.3), (b.1, b.3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_stays_inside() {
        assert_eq!(padded((0, 0, 10, 10), 8, 64, 1280, 720), (0, 0, 64, 64));
        assert_eq!(
            padded((1270, 710, 10, 10), 8, 64, 1280, 720),
            (1216, 656, 64, 64)
        );
        assert_eq!(
            padded((100, 100, 100, 50), 8, 64, 1280, 720),
            (92, 92, 116, 66)
        );
        assert_eq!(padded((0, 0, 40, 20), 8, 64, 40, 20), (0, 0, 40, 20));
    }

    #[test]
    fn boxes_are_near_when_both_ways_are_short() {
        let a = (100, 100, 50, 20);
        assert!(near(a, (120, 110, 5, 5), 1));
        assert!(near(a, (160, 100, 50, 20), 11) && !near(a, (160, 100, 50, 20), 10));
        assert!(near((160, 100, 50, 20), a, 11) && !near((160, 140, 50, 20), a, 11));
    }
}
