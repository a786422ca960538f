//! The mean colour of parts of a picture.

use dynacu_sdk::{EncodeError, Encoding, Frame, ImageFormat, Point, Rect, Size, blobs};

/// Pixels of the longer side of the picture that is decoded: a guest has better things to do.
const SIDE: u32 = 320;

/// A part of a frame, scaled down, three bytes a pixel.
pub(crate) struct Picture {
    /// What part of the screen it shows.
    area: Rect,
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Picture {
    /// The part of a frame that holds all of some areas. None where the host has given the frame up.
    ///
    /// # Errors
    ///
    /// Says what is wrong with an area or the picture.
    pub(crate) fn of(frame: &Frame, areas: &[Rect]) -> Result<Option<Self>, String> {
        let area = around(areas).ok_or("there is no area to look at")?;
        let encoding = Encoding {
            format: ImageFormat::Png,
            max_side: Some(SIDE),
            crop: Some(area),
        };
        let blob = match frame.encode(encoding) {
            Ok(blob) => blob,
            Err(EncodeError::Gone) => return Ok(None),
            Err(EncodeError::BadCrop) => return Err("an area leaves the screen".to_owned()),
            Err(EncodeError::Other(reason)) => return Err(format!("a picture: {reason}")),
        };
        let bytes = blobs::read(&blob).map_err(|error| format!("a picture: {error:?}"))?;
        Self::decode(area, &bytes).map(Some)
    }

    fn decode(area: Rect, png: &[u8]) -> Result<Self, String> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
        let fault = |error: png::DecodingError| format!("a picture: {error}");
        let mut reader = decoder.read_info().map_err(fault)?;
        let size = reader
            .output_buffer_size()
            .ok_or("a picture is too large")?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(fault)?;
        let pixel = info.color_type.samples();
        let pixels = bytes
            .chunks_exact(pixel)
            .flat_map(|pixel| match pixel {
                [red, green, blue, ..] => [*red, *green, *blue],
                [grey, ..] => [*grey; 3],
                [] => [0; 3],
            })
            .collect();
        Ok(Self {
            area,
            width: info.width,
            height: info.height,
            pixels,
        })
    }

    /// The mean of red, green and blue over a part of the screen.
    pub(crate) fn mean(&self, part: Rect) -> [u8; 3] {
        let columns = span(
            part.origin.x - self.area.origin.x,
            part.size.width,
            self.area.size.width,
            self.width,
        );
        let rows = span(
            part.origin.y - self.area.origin.y,
            part.size.height,
            self.area.size.height,
            self.height,
        );
        let mut sums = [0u64; 3];
        let mut count = 0u64;
        for row in rows {
            for column in columns.clone() {
                let at = (row * self.width as usize + column) * 3;
                if let Some(pixel) = self.pixels.get(at..at + 3) {
                    count += 1;
                    for (sum, value) in sums.iter_mut().zip(pixel) {
                        *sum += u64::from(*value);
                    }
                }
            }
        }
        sums.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX))
    }
}

/// The greatest difference in one of red, green and blue.
pub(crate) fn distance(a: [u8; 3], b: [u8; 3]) -> u8 {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.abs_diff(b))
        .max()
        .unwrap_or(0)
}

/// The pixels of the picture that lie wholly in a stretch of the screen, at least one.
fn span(start: i32, length: u32, whole: u32, scaled: u32) -> std::ops::Range<usize> {
    let scale = f64::from(scaled) / f64::from(whole.max(1));
    let from = (f64::from(start) * scale).ceil().max(0.0) as usize;
    let to = ((f64::from(start) + f64::from(length)) * scale).floor() as usize;
    let from = from.min(scaled.saturating_sub(1) as usize);
    from..to.clamp(from + 1, scaled.max(1) as usize)
}

/// The smallest area that holds all of some.
fn around(areas: &[Rect]) -> Option<Rect> {
    let far = |origin: i32, length: u32| origin + i32::try_from(length).unwrap_or(i32::MAX / 2);
    let left = areas.iter().map(|area| area.origin.x).min()?;
    let top = areas.iter().map(|area| area.origin.y).min()?;
    let right = areas
        .iter()
        .map(|area| far(area.origin.x, area.size.width))
        .max()?;
    let bottom = areas
        .iter()
        .map(|area| far(area.origin.y, area.size.height))
        .max()?;
    Some(Rect {
        origin: Point { x: left, y: top },
        size: Size {
            width: right.abs_diff(left),
            height: bottom.abs_diff(top),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left half red, right half blue, 8 by 4.
    fn flag() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 8, 4);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let row = [[200, 10, 10].repeat(4), [10, 10, 200].repeat(4)].concat();
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&row.repeat(4))
            .unwrap();
        bytes
    }

    #[test]
    fn means_of_parts() {
        // A picture of 80 by 40 pixels of the screen, a tenth as large.
        let picture = Picture::decode(Rect::new(100, 50, 80, 40), &flag()).unwrap();
        assert_eq!(picture.mean(Rect::new(102, 52, 30, 30)), [200, 10, 10]);
        assert_eq!(picture.mean(Rect::new(145, 52, 30, 30)), [10, 10, 200]);
        assert_eq!(picture.mean(Rect::new(100, 50, 80, 40)), [105, 10, 105]);
        assert_eq!(distance([105, 10, 105], [100, 30, 100]), 20);
    }

    #[test]
    fn one_crop_holds_all_areas() {
        let areas = [Rect::new(40, 300, 90, 90), Rect::new(180, 280, 10, 10)];
        assert_eq!(around(&areas), Some(Rect::new(40, 280, 150, 110)));
        assert_eq!(around(&[]), None);
    }
}
