//! CLIP ViT-B/32's image tower: the encoder that the specification names. Used whenever its file is in the cache.

use std::path::Path;

use dynacu_weights::{file, names};
use image::imageops::FilterType;
use image::{DynamicImage, RgbImage};
use ort::session::Session;
use ort::value::TensorRef;
use parking_lot::Mutex;

use super::{Encoder, SIDE, planes, squeezed};
use crate::error::ModelError;
use crate::onnx;

const MEAN: [f32; 3] = [0.481_454_7, 0.457_827_5, 0.408_210_7];
const DEVIATION: [f32; 3] = [0.268_629_5, 0.261_302_6, 0.275_777_1];
/// The output's name in the usual exports; elsewhere the first output is taken.
const OUTPUT: &str = "image_embeds";
/// As it is called in errors.
const MODEL: &str = "CLIP";

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
    pub fn load() -> Result<Self, ModelError> {
        Self::open(&file(names::CLIP)?)
    }

    /// Opens any export of the image tower: one input of 1x3x224x224, and the embedding as the output `image_embeds` or as
    /// the first one.
    ///
    /// # Errors
    /// When the file is missing or is no model of pictures.
    pub fn open(model: &Path) -> Result<Self, ModelError> {
        let session = onnx::session(model, 1)?;
        let input = onnx::first(session.inputs(), MODEL)?;
        if let Some(shape) = input_shape(&session) {
            let side = i64::from(SIDE);
            // Exports leave sizes open as -1.
            let fits = shape.len() == 4
                && shape
                    .iter()
                    .zip([1, 3, side, side])
                    .all(|(have, want)| *have == want || *have < 0);
            if !fits {
                return Err(ModelError::Broken {
                    path: model.to_owned(),
                    what: format!(
                        "it takes pictures of {shape:?}, and CLIP ViT-B/32 takes [1, 3, 224, 224]"
                    ),
                });
            }
        }
        let outputs = session.outputs();
        let output = match outputs.iter().find(|output| output.name() == OUTPUT) {
            Some(output) => output.name().to_owned(),
            None => onnx::first(outputs, MODEL)?,
        };
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

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError> {
        let pixels = planes(&prepared(image), MEAN, DEVIATION);
        let side = SIDE as usize;
        let input = TensorRef::from_array_view(([1, 3, side, side], pixels.as_slice()))?;
        let mut session = self.session.lock();
        let outputs = session.run(ort::inputs![self.input.as_str() => input])?;
        let (_, features) = outputs
            .get(&self.output)
            .ok_or_else(|| ModelError::failed(MODEL)("it gave no embedding"))?
            .try_extract_tensor::<f32>()?;
        Ok(features.to_vec())
    }
}

fn input_shape(session: &Session) -> Option<Vec<i64>> {
    let shape = session.inputs().first()?.dtype().tensor_shape()?;
    Some(shape.iter().copied().collect())
}

/// CLIP's own preparation: the shorter side to 224, bicubic, and the square in the middle.
///
/// That would cut the ends off a long strip such as a toast; what is more than twice as long as wide is squeezed instead.
/// Rounding is that of the original, which cuts the longer side down and rounds the place of the square to the even pixel.
fn prepared(image: &RgbImage) -> RgbImage {
    let (width, height) = image.dimensions();
    let (short, long) = (width.min(height).max(1), width.max(height));
    if long > 2 * short {
        return squeezed(image, FilterType::CatmullRom);
    }
    let scaled =
        |side: u32| (u64::from(side) * u64::from(SIDE) / u64::from(short)).max(SIDE.into());
    let (width, height) = (scaled(width) as u32, scaled(height) as u32);
    let start = |side: u32| (f64::from(side - SIDE) / 2.0).round_ties_even() as u32;
    DynamicImage::ImageRgb8(image.clone())
        .resize_exact(width, height, FilterType::CatmullRom)
        .crop_imm(start(width), start(height), SIDE, SIDE)
        .into_rgb8()
}

#[cfg(test)]
mod tests;
