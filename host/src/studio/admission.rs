//! Whether a drawn text can be read off a screen: it is written as pages write it, and the host's own reader reads it.

use anyhow::Result;
use image::{Rgb, RgbImage};

use super::lettering::Lettering;
use crate::perception::reading::Reader;

/// The size of text that a task wants read at a glance, in pixels of a line.
const SIZE: f32 = 28.0;
/// Around the text, in pixels.
const MARGIN: u32 = 24;
/// Dark on light and light on dark, as messages and dashboards are.
const LOOKS: [(Rgb<u8>, Rgb<u8>); 2] = [
    (Rgb([34, 36, 40]), Rgb([250, 250, 248])),
    (Rgb([240, 242, 245]), Rgb([31, 36, 48])),
];

/// The texts that the reader does not read as they are, each with what it read.
///
/// # Errors
/// The font is missing, or the reader fails.
pub fn unreadable(reader: &Reader, texts: &[String]) -> Result<Vec<String>> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let lettering = Lettering::load()?;
    let mut misses = Vec::new();
    for text in texts {
        for (ink, ground) in LOOKS {
            let width = lettering.width(text, SIZE).ceil() as u32 + 2 * MARGIN;
            let mut picture = RgbImage::from_pixel(width, SIZE as u32 + 2 * MARGIN, ground);
            lettering.write(&mut picture, (MARGIN, MARGIN), SIZE, ink, text);
            let lines = reader.read(&picture)?;
            let read: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
            let read = read.join(" ");
            if bare(&read) != bare(text) {
                misses.push(format!("{text:?} was read as {read:?}"));
                break;
            }
        }
    }
    Ok(misses)
}

/// Without spaces and case: where a reader sees a gap says nothing about the text.
fn bare(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_prices_and_days_are_read_and_look_alikes_are_told() {
        let reader = Reader::load().unwrap();
        let texts: Vec<String> = ["E-4729", "64.50", "March 14", "2:25 pm", "415 555 0142"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(unreadable(&reader, &texts).unwrap(), Vec::<String>::new());
        let odd = vec!["\u{1F600}\u{4E2D}".to_owned()];
        assert_eq!(unreadable(&reader, &odd).unwrap().len(), 1);
    }
}
