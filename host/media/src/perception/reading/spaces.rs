//! Puts spaces back that the recognition model dropped.
//!
//! The model was made for a script without spaces and joins English words. Where two neighbouring letters stand far apart
//! on the picture, with nothing but background between them, there was a space.

use image::RgbImage;

use super::recognition::Letter;

/// An empty strip as wide as this share of the height of the letters is a space …
const SHARE_OF_HEIGHT: f32 = 0.27;
/// … if it is also so many times as wide as the usual strip between two letters of the line, …
const TIMES_USUAL: f32 = 2.0;
/// … at least this share of the usual way from letter to letter (narrow letters of a fixed-width font stand far apart), …
const SHARE_OF_ADVANCE: f32 = 0.55;
/// … and no less than this share of the narrowest space that the model did see.
const SHARE_OF_SPACE: f32 = 0.6;
/// A value of a colour channel that differs by more from the background is ink.
const INK: u8 = 48;
/// No space stands before these, however far they are from the letter before.
const CLINGING: &str = ".,:;!?)]}%°'’”";

/// The text of the letters, with a space wherever the picture shows one.
pub(crate) fn restored(letters: &[Letter<'_>], line: &RgbImage) -> String {
    let ink = Ink::of(line);
    let gaps: Vec<f32> = letters
        .windows(2)
        .map(|pair| ink.widest_gap(pair[0].at, pair[1].at))
        .collect();
    let advances = letters
        .windows(2)
        .map(|pair| (pair[1].at - pair[0].at) * line.width() as f32);
    let seen = letters
        .windows(3)
        .zip(gaps.windows(2))
        .filter(|(letters, _)| letters[1].text == " ");
    let narrowest_seen = seen
        .map(|(_, gaps)| gaps[0].max(gaps[1]))
        .reduce(f32::min)
        .unwrap_or(0.0);
    let least = (ink.height * SHARE_OF_HEIGHT)
        .max(median(gaps.iter().copied()) * TIMES_USUAL)
        .max(median(advances) * SHARE_OF_ADVANCE)
        .max(narrowest_seen * SHARE_OF_SPACE);

    let mut text = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index
            .checked_sub(1)
            .map(|before| (letters[before].text, gaps[before]));
        if let Some((before, gap)) = before
            && gap >= least
            && before != " "
            && letter.text != " "
            && !CLINGING.contains(letter.text)
        {
            text.push(' ');
        }
        text.push_str(letter.text);
    }
    text
}

fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut sorted: Vec<f32> = values.collect();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Which columns of a line have ink.
struct Ink {
    columns: Vec<bool>,
    /// Rows from the topmost ink to the lowest.
    height: f32,
}

impl Ink {
    fn of(line: &RgbImage) -> Self {
        let ground = background(line);
        let mut columns = vec![false; line.width() as usize];
        let (mut top, mut bottom) = (u32::MAX, 0);
        for (x, y, pixel) in line.enumerate_pixels() {
            if pixel
                .0
                .iter()
                .zip(ground)
                .any(|(value, ground)| value.abs_diff(ground) > INK)
            {
                columns[x as usize] = true;
                top = top.min(y);
                bottom = bottom.max(y + 1);
            }
        }
        Self {
            columns,
            height: bottom.saturating_sub(top) as f32,
        }
    }

    /// The widest run of empty columns whose middle lies between two places, 0 to 1, of the line.
    fn widest_gap(&self, from: f32, to: f32) -> f32 {
        let width = self.columns.len() as f32;
        let (from, to) = (from * width, to * width);
        let mut widest = 0.0_f32;
        let mut start = 0;
        for run in self.columns.chunk_by(|a, b| a == b) {
            let middle = start as f32 + run.len() as f32 / 2.0;
            if !run[0] && (from..to).contains(&middle) {
                widest = widest.max(run.len() as f32);
            }
            start += run.len();
        }
        widest
    }
}

/// The most frequent colour, coarsely: text covers less than half of its line.
fn background(line: &RgbImage) -> [u8; 3] {
    let mut counts = vec![(0_u32, [0; 3]); 512];
    for pixel in line.pixels() {
        let coarse = pixel
            .0
            .iter()
            .fold(0, |index, value| index << 3 | usize::from(value >> 5));
        counts[coarse].0 += 1;
        counts[coarse].1 = pixel.0;
    }
    counts
        .into_iter()
        .max_by_key(|(count, _)| *count)
        .map_or([255; 3], |(_, colour)| colour)
}
