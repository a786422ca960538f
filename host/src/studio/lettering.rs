//! Writes text into pictures, in the font that pages are shown in: for the check that a drawn text can be read, and for
//! the captions of contact sheets.

use std::path::Path;

use ab_glyph::{Font, FontVec, PxScale, ScaleFont, point};
use anyhow::{Context, Result};
use image::{Rgb, RgbImage};

/// Part of the Debian package fonts-dejavu-core.
const FONT: &str = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

/// A font, ready to write with.
pub struct Lettering {
    font: FontVec,
}

impl Lettering {
    /// # Errors
    /// The font is not installed.
    pub fn load() -> Result<Self> {
        let bytes = std::fs::read(Path::new(FONT)).with_context(|| {
            format!("cannot read {FONT}: run `make setup`, or `apt-get install fonts-dejavu-core`")
        })?;
        let font = FontVec::try_from_vec(bytes).with_context(|| format!("{FONT} is not a font"))?;
        Ok(Self { font })
    }

    /// How wide a text is, in pixels, at a size in pixels from the top of an accent to the bottom of a tail.
    #[must_use]
    pub fn width(&self, text: &str, size: f32) -> f32 {
        let font = self.font.as_scaled(PxScale::from(size));
        text.chars()
            .map(|letter| font.h_advance(font.glyph_id(letter)))
            .sum()
    }

    /// Writes a line with its upper left corner at a place; what leaves the picture is cut off.
    pub fn write(
        &self,
        picture: &mut RgbImage,
        (left, top): (u32, u32),
        size: f32,
        colour: Rgb<u8>,
        text: &str,
    ) {
        let font = self.font.as_scaled(PxScale::from(size));
        let mut x = left as f32;
        let baseline = top as f32 + font.ascent();
        for letter in text.chars() {
            let mut glyph = font.scaled_glyph(letter);
            glyph.position = point(x, baseline);
            x += font.h_advance(glyph.id);
            let Some(outline) = self.font.outline_glyph(glyph) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|right, down, cover| {
                let (x, y) = (
                    corner.x as i64 + i64::from(right),
                    corner.y as i64 + i64::from(down),
                );
                let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
                    return;
                };
                if let Some(pixel) = picture.get_pixel_mut_checked(x, y) {
                    for (under, over) in pixel.0.iter_mut().zip(colour.0) {
                        let mixed =
                            f32::from(*under) + (f32::from(over) - f32::from(*under)) * cover;
                        *under = mixed.round() as u8;
                    }
                }
            });
        }
    }
}
