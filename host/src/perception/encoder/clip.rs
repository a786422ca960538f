//! CLIP ViT-B/32's image tower: the encoder that the specification names. Used whenever its file is in the cache.

use std::sync::Mutex;

use anyhow::{Context, Result};
use image::imageops::FilterType;
use image::{DynamicImage, RgbImage};
use ort::session::Session;
use ort::value::TensorRef;

use super::{Encoder, SIDE, planes, squeezed};
use crate::models::{file, names, onnx};

const MEAN: [f32; 3] = [0.481_454_7, 0.457_827_5, 0.408_210_7];
const DEVIATION: [f32; 3] = [0.268_629_5, 0.261_302_6, 0.275_777_1];
/// The output's name in the usual exports; elsewhere the first output is taken.
const OUTPUT: &str = "image_embeds";

pub struct Clip {
    session: Mutex<Session>,
    input: String,
    output: String,
}

impl Clip {
    /// Opens the model of the cache, on one thread.
    ///
    /// # Errors
    /// When the file is missing or is no model of pictures.
    pub fn load() -> Result<Self> {
        Self::from_session(onnx::session(&file(names::CLIP)?, 1)?)
    }

    fn from_session(session: Session) -> Result<Self> {
        let input = session
            .inputs()
            .first()
            .context("the CLIP model has no input")?
            .name()
            .to_owned();
        let outputs = session.outputs();
        let output = outputs
            .iter()
            .find(|output| output.name() == OUTPUT)
            .or(outputs.first())
            .context("the CLIP model has no output")?
            .name()
            .to_owned();
        Ok(Self {
            session: Mutex::new(session),
            input,
            output,
        })
    }
}

impl Encoder for Clip {
    fn name(&self) -> &str {
        "clip-vit-b32"
    }

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>> {
        let pixels = planes(&prepared(image), MEAN, DEVIATION);
        let side = SIDE as usize;
        let input = TensorRef::from_array_view(([1, 3, side, side], pixels.as_slice()))?;
        let mut session = self
            .session
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let outputs = session.run(ort::inputs![self.input.as_str() => input])?;
        let (_, features) = outputs
            .get(&self.output)
            .context("the CLIP model gave no embedding")?
            .try_extract_tensor::<f32>()?;
        Ok(features.to_vec())
    }
}

/// CLIP's own preparation: the shorter side to 224, bicubic, and the square in the middle.
///
/// That would cut the ends off a long strip such as a toast; what is more than twice as long as wide is squeezed instead.
fn prepared(image: &RgbImage) -> RgbImage {
    let (width, height) = image.dimensions();
    let (short, long) = (width.min(height).max(1), width.max(height));
    if long > 2 * short {
        return squeezed(image, FilterType::CatmullRom);
    }
    let scaled = |side: u32| {
        (f64::from(side) * f64::from(SIDE) / f64::from(short))
            .round()
            .max(f64::from(SIDE)) as u32
    };
    let (width, height) = (scaled(width), scaled(height));
    let resized =
        DynamicImage::ImageRgb8(image.clone()).resize_exact(width, height, FilterType::CatmullRom);
    resized
        .crop_imm((width - SIDE) / 2, (height - SIDE) / 2, SIDE, SIDE)
        .into_rgb8()
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn the_middle_square_is_taken_and_strips_are_squeezed() {
        let left_red = |width: u32| {
            RgbImage::from_fn(width, 100, |x, _| {
                if x < 30 {
                    Rgb([255, 0, 0])
                } else {
                    Rgb([0, 0, 255])
                }
            })
        };
        let (page, strip) = (prepared(&left_red(180)), prepared(&left_red(300)));
        assert_eq!(
            (page.dimensions(), strip.dimensions()),
            ((224, 224), (224, 224))
        );
        assert_eq!(
            page.get_pixel(5, 100),
            &Rgb([0, 0, 255]),
            "the left end of the page is cut off"
        );
        assert_eq!(
            strip.get_pixel(5, 100),
            &Rgb([255, 0, 0]),
            "that of the strip is not"
        );
    }
}
