//! Draws the films: boxes, rings and block letters on a page.

use dynacu_media::capture::screen::Area;
use image::{Rgb, RgbImage};

pub(crate) type Colour = [u8; 3];

pub(crate) const WIDTH: u32 = 1280;
pub(crate) const HEIGHT: u32 = 720;
pub(crate) const INK: Colour = [32, 38, 48];
const PAPER: Colour = [246, 247, 249];

/// A letter is five columns and seven rows of dots; so many dots lie between two letters' left edges.
const ADVANCE: u32 = 6;

#[derive(Clone)]
pub(crate) struct Canvas(pub(crate) RgbImage);

impl Canvas {
    /// A page of a console: a bar at the top, one at the side, cards with headings and lines.
    pub(crate) fn page() -> Self {
        let mut page = Self(RgbImage::from_pixel(WIDTH, HEIGHT, Rgb(PAPER)));
        page.fill((0, 0, WIDTH, 48), [24, 40, 72]);
        page.text(20, 17, 2, "STATUS CONSOLE", [240, 244, 250]);
        page.fill((0, 48, 180, HEIGHT - 48), [228, 232, 238]);
        for (row, name) in ["HOME", "ALERTS", "HOSTS", "REPORTS", "PEOPLE"]
            .iter()
            .enumerate()
        {
            page.text(24, 80 + row as u32 * 36, 2, name, INK);
        }
        for (card, name) in ["QUEUE", "LATENCY", "ERRORS"].iter().enumerate() {
            let left = 212 + card as u32 * 352;
            page.fill((left, 80, 320, 200), [255; 3]);
            page.text(left + 16, 96, 2, name, [90, 98, 112]);
        }
        for line in 0..6 {
            page.text(
                212,
                620 + line * 14,
                1,
                "LAST CHECK OF ALL SERVICES 14.02 NO ISSUES",
                [110; 3],
            );
        }
        page
    }

    /// Row by row, not pixel by pixel: this crate is compiled without optimisation.
    pub(crate) fn fill(&mut self, (left, top, width, height): Area, colour: Colour) {
        let (right, bottom) = ((left + width).min(WIDTH), (top + height).min(HEIGHT));
        let row = colour.repeat(right.saturating_sub(left) as usize);
        let bytes: &mut [u8] = &mut self.0;
        for y in top..bottom {
            let start = (y * WIDTH + left) as usize * colour.len();
            bytes[start..start + row.len()].copy_from_slice(&row);
        }
    }

    /// Over what is there, as opaque as told, 0 to 1.
    pub(crate) fn blend(&mut self, (left, top, width, height): Area, colour: Colour, opacity: f32) {
        for y in top..(top + height).min(HEIGHT) {
            for x in left..(left + width).min(WIDTH) {
                let pixel = self.0.get_pixel_mut(x, y);
                for (below, over) in pixel.0.iter_mut().zip(colour) {
                    let mixed = f32::from(*below) * (1.0 - opacity) + f32::from(over) * opacity;
                    *below = mixed.round() as u8;
                }
            }
        }
    }

    /// A part of a ring, from one angle on, both in turns, 0 to 1.
    pub(crate) fn arc(
        &mut self,
        (x, y): (u32, u32),
        radius: f32,
        from: f32,
        turns: f32,
        colour: Colour,
    ) {
        let reach = radius as u32 + 1;
        for (py, px) in
            (y - reach..=y + reach).flat_map(|py| (x - reach..=x + reach).map(move |px| (py, px)))
        {
            let (dx, dy) = (px as f32 - x as f32, py as f32 - y as f32);
            let angle = dy.atan2(dx) / std::f32::consts::TAU;
            let distance = dx.hypot(dy);
            if (radius - 4.0..=radius).contains(&distance) && (angle - from).rem_euclid(1.0) < turns
            {
                self.fill((px, py, 1, 1), colour);
            }
        }
    }

    /// Capitals, figures and a few signs, each dot so many pixels wide: letters are `7 * dot` pixels high.
    pub(crate) fn text(&mut self, left: u32, top: u32, dot: u32, text: &str, colour: Colour) {
        for (index, sign) in text.chars().enumerate() {
            let left = left + index as u32 * ADVANCE * dot;
            for (row, dots) in glyph(sign).into_iter().enumerate() {
                for column in (0..5).filter(|column| dots >> (4 - column) & 1 == 1) {
                    self.fill(
                        (left + column * dot, top + row as u32 * dot, dot, dot),
                        colour,
                    );
                }
            }
        }
    }
}

/// Seven rows of five dots, the leftmost dot in the highest of the five bits.
fn glyph(sign: char) -> [u8; 7] {
    match sign {
        '0' => [14, 17, 19, 21, 25, 17, 14],
        '1' => [4, 12, 4, 4, 4, 4, 14],
        '2' => [14, 17, 1, 6, 8, 16, 31],
        '3' => [30, 1, 1, 14, 1, 1, 30],
        '4' => [2, 6, 10, 18, 31, 2, 2],
        '5' => [31, 16, 30, 1, 1, 17, 14],
        '6' => [6, 8, 16, 30, 17, 17, 14],
        '7' => [31, 1, 2, 4, 8, 8, 8],
        '8' => [14, 17, 17, 14, 17, 17, 14],
        '9' => [14, 17, 17, 15, 1, 2, 12],
        'A' => [4, 10, 17, 17, 31, 17, 17],
        'B' => [30, 17, 17, 30, 17, 17, 30],
        'C' => [14, 17, 16, 16, 16, 17, 14],
        'D' => [28, 18, 17, 17, 17, 18, 28],
        'E' => [31, 16, 16, 30, 16, 16, 31],
        'F' => [31, 16, 16, 30, 16, 16, 16],
        'G' => [14, 17, 16, 23, 17, 17, 15],
        'H' => [17, 17, 17, 31, 17, 17, 17],
        'I' => [14, 4, 4, 4, 4, 4, 14],
        'J' => [7, 2, 2, 2, 2, 18, 12],
        'K' => [17, 18, 20, 24, 20, 18, 17],
        'L' => [16, 16, 16, 16, 16, 16, 31],
        'M' => [17, 27, 21, 21, 17, 17, 17],
        'N' => [17, 25, 21, 19, 17, 17, 17],
        'O' => [14, 17, 17, 17, 17, 17, 14],
        'P' => [30, 17, 17, 30, 16, 16, 16],
        'Q' => [14, 17, 17, 17, 21, 18, 13],
        'R' => [30, 17, 17, 30, 20, 18, 17],
        'S' => [15, 16, 16, 14, 1, 1, 30],
        'T' => [31, 4, 4, 4, 4, 4, 4],
        'U' => [17, 17, 17, 17, 17, 17, 14],
        'V' => [17, 17, 17, 17, 17, 10, 4],
        'W' => [17, 17, 17, 21, 21, 27, 17],
        'X' => [17, 10, 4, 4, 4, 10, 17],
        'Y' => [17, 17, 10, 4, 4, 4, 4],
        'Z' => [31, 1, 2, 4, 8, 16, 31],
        ':' => [0, 4, 4, 0, 4, 4, 0],
        '.' => [0, 0, 0, 0, 0, 12, 12],
        '-' => [0, 0, 0, 14, 0, 0, 0],
        _ => [0; 7],
    }
}
