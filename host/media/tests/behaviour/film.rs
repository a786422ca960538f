//! A drawn film of a page: a message comes and goes, a small and a large number change and stay, a lamp turns red for a while, a banner
//! comes slowly, the page turns over, and a bar creeps on all the time. Nothing in it depends on a font, a desktop or a clock.

use image::{Rgb, RgbImage};

type Area = (u32, u32, u32, u32);
type Colour = [u8; 3];

const SIZE: (u32, u32) = (1280, 720);
const INK: Colour = [32, 38, 48];
const PAPER: Colour = [246, 247, 249];
const WHITE: Colour = [255; 3];

/// How long it is, in milliseconds.
pub(crate) const LENGTH: u64 = 24_000;

/// What it shows at a time in milliseconds.
pub(crate) fn picture(at: u64) -> RgbImage {
    let mut page = RgbImage::from_pixel(SIZE.0, SIZE.1, Rgb(PAPER));
    fill(&mut page, (0, 0, SIZE.0, 48), [24, 40, 72]);
    write(&mut page, (20, 17), 2, "STATUS CONSOLE", WHITE);
    let turned = at >= 18_000;
    for card in 0..3 {
        let left = 60 + card * 400;
        fill(&mut page, (left, 90, 360, 200), WHITE);
        let name = if turned { "OTHER CARD" } else { "FIRST CARD" };
        write(&mut page, (left + 16, 106), 3, name, INK);
        if turned {
            fill(&mut page, (left + 16, 160, 300, 100), [150, 166, 190]);
        }
    }
    let number = if at < 10_000 { "2040" } else { "3187" };
    write(&mut page, (80, 170), 5, number, INK);
    let alarm = (12_000..14_500).contains(&at);
    let lamp = if alarm { [206, 44, 44] } else { [46, 150, 84] };
    fill(&mut page, (1180, 340, 18, 18), lamp);
    let small = if at < 8_000 { "12.35" } else { "12.75" };
    write(&mut page, (80, 330), 2, small, INK);
    if (4_000..6_000).contains(&at) {
        fill(&mut page, (480, 400, 320, 40), [180, 32, 32]);
        write(&mut page, (490, 410), 3, "NOT SAVED E-4471", WHITE);
    }
    let come = u8::try_from(at.saturating_sub(15_000).min(2_000) * 100 / 2_000).unwrap();
    let banner = [PAPER[0], PAPER[1] - come / 3, PAPER[2] - come];
    fill(&mut page, (60, 520, 1160, 60), banner);
    fill(&mut page, (60, 640, 1160, 12), [216, 221, 228]);
    let done = u32::try_from(at * 1160 / LENGTH).unwrap();
    fill(&mut page, (60, 640, done, 12), [36, 98, 214]);
    page
}

fn fill(page: &mut RgbImage, (left, top, width, height): Area, colour: Colour) {
    for y in top..top + height {
        for x in left..left + width {
            page.put_pixel(x, y, Rgb(colour));
        }
    }
}

/// Signs of five by seven dots, each letter with a pattern of its own.
fn write(page: &mut RgbImage, (left, top): (u32, u32), dot: u32, text: &str, colour: Colour) {
    for (index, letter) in (0_u32..).zip(text.bytes()) {
        let pattern = u64::from(letter).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        for place in (0..35).filter(|place| letter != b' ' && pattern >> place & 1 == 1) {
            let x = left + (index * 6 + place % 5) * dot;
            fill(page, (x, top + place / 5 * dot, dot, dot), colour);
        }
    }
}
