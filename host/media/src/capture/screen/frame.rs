//! One captured screen: as raw pixels while it is compared, as PNG while it is kept.

use std::io::Cursor;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dynacu_vocabulary::Rect;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageEncoder, ImageFormat, RgbImage};

use super::tiles::{band_bytes, fingerprints};

/// A rectangle in pixels: x, y, width, height.
pub type Area = (u32, u32, u32, u32);

/// The same as policies and records have it.
#[must_use]
pub fn rect((x, y, width, height): Area) -> Rect {
    (x as i32, y as i32, width, height).into()
}

/// JPEG quality of 1 to 100: high enough for small text, a third of the size of PNG on photographs.
const JPEG_QUALITY: u8 = 88;

#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the crop is empty or leaves the frame")]
    BadCrop,
    #[error("cannot encode or decode a frame")]
    Image(#[from] image::ImageError),
}

/// A screen as it was at one instant.
#[derive(Debug)]
pub struct Frame {
    pub captured: Instant,
    pub width: u32,
    pub height: u32,
    /// Four bytes a pixel: blue, green, red, unused. None in a frame that was made compact.
    raw: Option<Vec<u8>>,
    /// Made with the frame where it is captured, elsewhere when first wanted.
    tiles: OnceLock<Vec<u64>>,
    fingerprinting: Duration,
    /// The whole frame as PNG, made when first wanted.
    png: OnceLock<Arc<[u8]>>,
}

impl Frame {
    /// Copies what a display shows: four bytes a pixel, row by row.
    pub(super) fn copied(captured: Instant, width: u32, height: u32, shown: &[u8]) -> Self {
        let mut raw = Vec::with_capacity(shown.len());
        let (mut tiles, mut fingerprinting) = (Vec::new(), Duration::ZERO);
        for band in shown.chunks(band_bytes(width)) {
            raw.extend_from_slice(band);
            let copied = Instant::now();
            tiles.extend(fingerprints(band, width));
            fingerprinting += copied.elapsed();
        }
        Self {
            tiles: tiles.into(),
            fingerprinting,
            ..Self::new(captured, width, height, raw)
        }
    }

    fn new(captured: Instant, width: u32, height: u32, raw: Vec<u8>) -> Self {
        Self {
            captured,
            width,
            height,
            raw: Some(raw),
            tiles: OnceLock::new(),
            fingerprinting: Duration::ZERO,
            png: OnceLock::new(),
        }
    }

    /// A frame from an ordinary picture: for replays and tests.
    #[must_use]
    pub fn from_rgb(captured: Instant, picture: &RgbImage) -> Self {
        let raw = picture
            .pixels()
            .flat_map(|pixel| [pixel[2], pixel[1], pixel[0], 0])
            .collect();
        Self::new(captured, picture.width(), picture.height(), raw)
    }

    /// The raw pixels (blue, green, red, unused), row by row, unless the frame is compact.
    #[must_use]
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// A number for each of its tiles, row by row, that is the same where the pixels are; None in a compact frame.
    #[must_use]
    pub fn tiles(&self) -> Option<&[u64]> {
        let raw = self.raw.as_deref()?;
        Some(self.tiles.get_or_init(|| {
            raw.chunks(band_bytes(self.width))
                .flat_map(|band| fingerprints(band, self.width))
                .collect()
        }))
    }

    /// How much of the capture went into [`Self::tiles`].
    #[must_use]
    pub fn fingerprinting(&self) -> Duration {
        self.fingerprinting
    }

    /// Whether two frames have the same pixels, down to the last bit; compact ones never have.
    #[must_use]
    pub fn looks_like(&self, other: &Self) -> bool {
        self.comparable(other).is_some_and(|(a, b)| a == b)
    }

    /// The tiles of two frames of one size, unless one of them is compact.
    #[must_use]
    pub fn comparable<'a>(&'a self, other: &'a Self) -> Option<(&'a [u64], &'a [u64])> {
        let same_size = (self.width, self.height) == (other.width, other.height);
        self.tiles().zip(other.tiles()).filter(|_| same_size)
    }

    /// The same frame without its raw pixels, for keeping: about 50–300 kB of PNG in place of 3.7 MB.
    ///
    /// # Errors
    /// When the frame cannot be encoded.
    pub fn compact(&self) -> Result<Self, FrameError> {
        let png = OnceLock::from(self.whole_png()?);
        Ok(Self {
            captured: self.captured,
            width: self.width,
            height: self.height,
            raw: None,
            tiles: OnceLock::new(),
            fingerprinting: Duration::ZERO,
            png,
        })
    }

    /// The whole frame as an ordinary picture.
    ///
    /// # Errors
    /// When a compact frame cannot be decoded.
    pub fn rgb(&self) -> Result<RgbImage, FrameError> {
        self.crop((0, 0, self.width, self.height))
    }

    /// A part of the frame as an ordinary picture.
    ///
    /// # Errors
    /// When the area is empty or leaves the frame, or a compact frame cannot be decoded.
    pub fn crop(&self, area: Area) -> Result<RgbImage, FrameError> {
        let (x, y, width, height) = self.inside(area)?;
        match (&self.raw, self.png.get()) {
            (Some(raw), _) => {
                let row = |line: u32| {
                    let start = (line as usize * self.width as usize + x as usize) * 4;
                    &raw[start..start + width as usize * 4]
                };
                let mut rgb = vec![0; width as usize * height as usize * 3];
                for (line, out) in (y..y + height).zip(rgb.chunks_exact_mut(width as usize * 3)) {
                    for (from, to) in row(line).chunks_exact(4).zip(out.chunks_exact_mut(3)) {
                        to.copy_from_slice(&[from[2], from[1], from[0]]);
                    }
                }
                RgbImage::from_raw(width, height, rgb).ok_or(FrameError::BadCrop)
            }
            (None, Some(png)) => {
                let whole = image::load_from_memory_with_format(png, ImageFormat::Png)?;
                if (width, height) == (self.width, self.height) {
                    return Ok(whole.into_rgb8());
                }
                Ok(whole.crop_imm(x, y, width, height).into_rgb8())
            }
            (None, None) => Err(FrameError::BadCrop),
        }
    }

    /// PNG of the frame or of a part of it, scaled down so that its longer side is at most `max_side` pixels.
    ///
    /// # Errors
    /// When the crop is empty or leaves the frame, or `max_side` is 0.
    pub fn png(&self, crop: Option<Area>, max_side: Option<u32>) -> Result<Arc<[u8]>, FrameError> {
        let whole = (0, 0, self.width, self.height);
        let untouched = crop.unwrap_or(whole) == whole
            && max_side.is_none_or(|max| max >= self.width.max(self.height));
        if untouched {
            return self.whole_png();
        }
        encode_png(&self.scaled(crop, max_side)?)
    }

    /// The same as JPEG.
    ///
    /// # Errors
    /// As for [`Self::png`].
    pub fn jpeg(&self, crop: Option<Area>, max_side: Option<u32>) -> Result<Arc<[u8]>, FrameError> {
        let picture = self.scaled(crop, max_side)?;
        let mut bytes = Cursor::new(Vec::new());
        JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY).encode_image(&picture)?;
        Ok(bytes.into_inner().into())
    }

    fn whole_png(&self) -> Result<Arc<[u8]>, FrameError> {
        if let Some(png) = self.png.get() {
            return Ok(png.clone());
        }
        let png = encode_png(&self.rgb()?)?;
        Ok(self.png.get_or_init(|| png).clone())
    }

    fn scaled(&self, crop: Option<Area>, max_side: Option<u32>) -> Result<RgbImage, FrameError> {
        let picture = self.crop(crop.unwrap_or((0, 0, self.width, self.height)))?;
        let (width, height) = picture.dimensions();
        let longer = width.max(height);
        match max_side {
            Some(0) => Err(FrameError::BadCrop),
            Some(max) if longer > max => {
                let side = |side: u32| {
                    (u64::from(side) * u64::from(max) / u64::from(longer)).max(1) as u32
                };
                // Through `DynamicImage`, whose code is compiled optimised with the image crate.
                let smaller =
                    DynamicImage::ImageRgb8(picture).thumbnail_exact(side(width), side(height));
                Ok(smaller.into_rgb8())
            }
            _ => Ok(picture),
        }
    }

    fn inside(&self, area: Area) -> Result<Area, FrameError> {
        let (x, y, width, height) = area;
        let fits = |start: u32, length: u32, whole: u32| {
            length > 0 && start < whole && length <= whole - start
        };
        if fits(x, width, self.width) && fits(y, height, self.height) {
            Ok(area)
        } else {
            Err(FrameError::BadCrop)
        }
    }
}

/// Fast compression: a kept frame is encoded in the pause before the next one.
fn encode_png(picture: &RgbImage) -> Result<Arc<[u8]>, FrameError> {
    let mut bytes = Vec::new();
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive)
        .write_image(
            picture.as_raw(),
            picture.width(),
            picture.height(),
            image::ExtendedColorType::Rgb8,
        )?;
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    fn picture() -> RgbImage {
        RgbImage::from_fn(40, 20, |x, y| {
            Rgb([x as u8 * 3, y as u8 * 7, (x + y) as u8])
        })
    }

    #[test]
    fn a_compact_frame_has_the_same_pixels() {
        let frame = Frame::from_rgb(Instant::now(), &picture());
        let compact = frame.compact().unwrap();
        assert!(compact.raw().is_none());
        assert_eq!(compact.rgb().unwrap(), picture());
        assert_eq!(
            compact.crop((30, 3, 10, 17)).unwrap(),
            frame.crop((30, 3, 10, 17)).unwrap()
        );
        assert_eq!(
            frame.crop((30, 3, 10, 17)).unwrap().get_pixel(0, 0),
            picture().get_pixel(30, 3)
        );
    }

    #[test]
    fn crops_outside_the_frame_are_refused() {
        let frame = Frame::from_rgb(Instant::now(), &picture());
        for area in [
            (0, 0, 0, 5),
            (40, 0, 1, 1),
            (35, 0, 6, 5),
            (0, 19, 40, 2),
            (u32::MAX, 0, 2, 2),
        ] {
            assert!(
                matches!(frame.png(Some(area), None), Err(FrameError::BadCrop)),
                "{area:?}"
            );
        }
    }

    #[test]
    fn the_longer_side_is_limited() {
        let frame = Frame::from_rgb(Instant::now(), &picture());
        let size = |bytes: &[u8]| {
            let picture = image::load_from_memory(bytes).unwrap();
            (picture.width(), picture.height())
        };
        assert_eq!(size(&frame.png(None, Some(10)).unwrap()), (10, 5));
        assert_eq!(
            size(&frame.png(Some((0, 0, 8, 16)), Some(12)).unwrap()),
            (6, 12)
        );
        assert_eq!(size(&frame.jpeg(None, Some(100)).unwrap()), (40, 20));
    }
}
