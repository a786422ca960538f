//! Pictures that a script shows: generated, or read from files.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dynacu_runtime::types::{EncodeError, Encoding, ImageFormat, Point, Rect, Size, TextLine};
use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat as Format, Rgb, RgbImage};

/// As the host encodes frames for policies.
const JPEG_QUALITY: u8 = 85;

/// A screen by name. The name is how tests find it again in what a model was shown.
#[derive(Clone)]
pub struct Picture {
    name: String,
    pixels: Arc<RgbImage>,
    /// What the `reading` assist finds on it.
    words: Vec<TextLine>,
}

/// A file that is no picture.
#[derive(Debug, thiserror::Error)]
#[error("{}: not a PNG or JPEG that can be read: {source}", path.display())]
pub struct PictureError {
    path: PathBuf,
    source: image::ImageError,
}

impl Picture {
    /// A screen of 1280x720 in a colour of its own, made from the name.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        let pixels = Arc::new(RgbImage::from_pixel(1280, 720, Rgb(colour_of(&name))));
        Self {
            name,
            pixels,
            words: Vec::new(),
        }
    }

    /// A PNG or a JPEG; its name is the file's.
    ///
    /// # Errors
    /// The file cannot be read as a picture.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, PictureError> {
        let path = path.as_ref();
        let pixels = image::open(path).map_err(|source| PictureError {
            path: path.to_owned(),
            source,
        })?;
        let name = path
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Ok(Self {
            name,
            pixels: Arc::new(pixels.to_rgb8()),
            words: Vec::new(),
        })
    }

    /// The same with a filled box, under another name: a toast, a lamp. What lies outside of the picture is left out.
    #[must_use]
    pub fn with_box(&self, name: impl Into<String>, area: Rect, colour: [u8; 3]) -> Self {
        let mut pixels = (*self.pixels).clone();
        let (width, height) = pixels.dimensions();
        let clip = |start: i32, length: u32, whole: u32| {
            let end = i64::from(start) + i64::from(length);
            start.max(0) as u32..end.clamp(0, i64::from(whole)) as u32
        };
        for y in clip(area.origin.y, area.size.height, height) {
            for x in clip(area.origin.x, area.size.width, width) {
                pixels.put_pixel(x, y, Rgb(colour));
            }
        }
        Self {
            name: name.into(),
            pixels: Arc::new(pixels),
            words: self.words.clone(),
        }
    }

    /// The same with a line of words, for the `reading` assist: a box of ten pixels a letter and twenty high, in a colour
    /// of its own, that is read as those words with this confidence, from 0 to 1.
    #[must_use]
    pub fn with_words(&self, words: &str, at: Point, confidence: f32) -> Self {
        let area = Rect {
            origin: at,
            size: Size {
                width: 10 * words.chars().count() as u32,
                height: 20,
            },
        };
        let mut picture = self.with_box(self.name.clone(), area, colour_of(words));
        picture.words.push(TextLine {
            text: words.to_owned(),
            area,
            confidence,
        });
        picture
    }

    /// The lines whose left upper corner lies in an area.
    pub(crate) fn words_in(&self, area: &Rect) -> Vec<TextLine> {
        let along = |at: i32, start: i32, length: u32| {
            at >= start && i64::from(at) < i64::from(start) + i64::from(length)
        };
        let inside = |line: &&TextLine| {
            let at = &line.area.origin;
            along(at.x, area.origin.x, area.size.width)
                && along(at.y, area.origin.y, area.size.height)
        };
        self.words.iter().filter(inside).cloned().collect()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// In pixels.
    #[must_use]
    pub fn size(&self) -> Size {
        let (width, height) = self.pixels.dimensions();
        Size { width, height }
    }

    /// The whole picture as PNG.
    #[must_use]
    pub fn png(&self) -> Vec<u8> {
        let whole = Encoding {
            format: ImageFormat::Png,
            max_side: None,
            crop: None,
        };
        self.encode(&whole)
            .map(|(bytes, _)| bytes)
            .unwrap_or_default()
    }

    /// The box around the pixels that differ, and their share; the whole picture where sizes differ, none where nothing
    /// does.
    pub(crate) fn changed_since(&self, before: &Self) -> Option<(Rect, f32)> {
        let Size { width, height } = self.size();
        if before.pixels.dimensions() != self.pixels.dimensions() {
            return Some((rect(0, 0, width, height), 1.0));
        }
        let (mut left, mut top, mut right, mut bottom) = (width, height, 0, 0);
        let mut count = 0_u32;
        for (x, y, pixel) in self.pixels.enumerate_pixels() {
            if before.pixels.get_pixel(x, y) != pixel {
                count += 1;
                (left, top) = (left.min(x), top.min(y));
                (right, bottom) = (right.max(x + 1), bottom.max(y + 1));
            }
        }
        let share = count as f32 / (width * height).max(1) as f32;
        (count > 0).then(|| (rect(left, top, right - left, bottom - top), share))
    }

    /// The encoded picture and its media type.
    pub(crate) fn encode(
        &self,
        encoding: &Encoding,
    ) -> Result<(Vec<u8>, &'static str), EncodeError> {
        let mut pixels = (*self.pixels).clone();
        if let Some(Rect { origin, size }) = encoding.crop {
            let fits = |start: i32, length: u32, whole: u32| {
                start >= 0 && length > 0 && i64::from(start) + i64::from(length) <= i64::from(whole)
            };
            if !fits(origin.x, size.width, pixels.width())
                || !fits(origin.y, size.height, pixels.height())
            {
                return Err(EncodeError::BadCrop);
            }
            let (x, y) = (origin.x as u32, origin.y as u32);
            pixels = image::imageops::crop_imm(&pixels, x, y, size.width, size.height).to_image();
        }
        let longer = pixels.width().max(pixels.height());
        if let Some(max) = encoding.max_side.filter(|max| *max > 0 && *max < longer) {
            let side =
                |side: u32| (u64::from(side) * u64::from(max) / u64::from(longer)).max(1) as u32;
            let (width, height) = (side(pixels.width()), side(pixels.height()));
            pixels = image::imageops::thumbnail(&pixels, width, height);
        }
        let mut bytes = Vec::new();
        let (written, media_type) = match encoding.format {
            ImageFormat::Png => (
                pixels.write_to(&mut Cursor::new(&mut bytes), Format::Png),
                "image/png",
            ),
            ImageFormat::Jpeg => (
                pixels.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)),
                "image/jpeg",
            ),
        };
        written.map_err(|error| EncodeError::Other(error.to_string()))?;
        Ok((bytes, media_type))
    }
}

/// Words that differ give colours that differ, in every build (FNV-1a).
fn colour_of(words: &str) -> [u8; 3] {
    let hash = words.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let [_, red, green, blue] = hash.to_be_bytes();
    [red, green, blue]
}

fn rect(x: u32, y: u32, width: u32, height: u32) -> Rect {
    Rect {
        origin: Point {
            x: x as i32,
            y: y as i32,
        },
        size: Size { width, height },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_what_changed() {
        let screen = Picture::named("screen");
        let area = rect(900, 20, 320, 64);
        let toast = screen.with_box("toast", area, [255, 255, 255]);
        let (changed, share) = toast.changed_since(&screen).unwrap();
        assert_eq!(format!("{changed:?}"), format!("{area:?}"));
        assert!((share - 320.0 * 64.0 / 921_600.0).abs() < 1e-6);
        assert!(toast.changed_since(&toast).is_none());
    }

    #[test]
    fn encodings_are_cut_and_scaled_as_asked() {
        let screen = Picture::named("screen");
        let small = Encoding {
            format: ImageFormat::Jpeg,
            max_side: Some(640),
            crop: None,
        };
        let (bytes, kind) = screen.encode(&small).unwrap();
        let read = image::load_from_memory(&bytes).unwrap();
        assert_eq!(
            (read.width(), read.height(), kind),
            (640, 360, "image/jpeg")
        );
        let outside = Encoding {
            crop: Some(rect(1200, 0, 100, 10)),
            ..small
        };
        let refused = screen.encode(&outside);
        assert!(matches!(refused, Err(EncodeError::BadCrop)));
    }
}
