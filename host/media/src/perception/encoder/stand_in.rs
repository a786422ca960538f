//! The stand-in encoder: PP-LCNet trained on photographs, cut open before its last layer.

use dynacu_weights::{file, names};
use image::RgbImage;
use image::imageops::FilterType;
use ort::session::Session;
use ort::value::TensorRef;
use parking_lot::Mutex;

use super::{Encoder, SIDE, planes, squeezed};
use crate::error::ModelError;
use crate::onnx;
use crate::protobuf::bytes;

/// The tensor that holds the 512 features.
const FEATURES: &str = "p2o.pd_op.pool2d.2.0";
/// Mean and deviation of ImageNet's photographs.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];

pub struct StandIn {
    session: Mutex<Session>,
}

impl StandIn {
    /// Opens the model of the cache, on one thread.
    ///
    /// # Errors
    /// When the file is missing or is not that model.
    pub fn load() -> Result<Self, ModelError> {
        let path = file(names::LCNET)?;
        let mut model = onnx::read(&path)?;
        model.extend(one_more_output(FEATURES));
        let session = onnx::session_of(&model, &path, 1)?;
        Ok(Self {
            session: Mutex::new(session),
        })
    }
}

impl Encoder for StandIn {
    fn name(&self) -> &str {
        "pp-lcnet"
    }

    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError> {
        let pixels = planes(&squeezed(image, FilterType::Triangle), MEAN, DEVIATION);
        let side = SIDE as usize;
        let input = TensorRef::from_array_view(([1, 3, side, side], pixels.as_slice()))?;
        let mut session = self.session.lock();
        let outputs = session.run(ort::inputs!["x" => input])?;
        let (_, features) = outputs
            .get(FEATURES)
            .ok_or_else(|| ModelError::failed("PP-LCNet")("it gave no features"))?
            .try_extract_tensor::<f32>()?;
        Ok(features.to_vec())
    }
}

/// Bytes that, appended to an ONNX file, make one of its inner tensors an output.
///
/// Protocol buffers merge what is written twice, so a second ModelProto that holds nothing but
/// `graph { output { name } }` adds to the first one's list of outputs.
fn one_more_output(tensor: &str) -> Vec<u8> {
    let (name, output, graph) = (1, 12, 7);
    bytes(graph, &bytes(output, &bytes(name, tensor.as_bytes())))
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::super::cosine_distance;
    use super::*;

    /// A page with some boxes on it, like text seen from afar.
    fn page(seed: u32, ink: u8) -> RgbImage {
        let mut picture = RgbImage::from_pixel(320, 80, Rgb([245, 245, 240]));
        for word in 0..8 {
            let (left, width) = (10 + word * 38, 12 + (seed * 7 + word * 13) % 22);
            for y in 30..50 {
                for x in left..left + width {
                    if (x * (seed + 3) + y * 5) % 7 < 4 {
                        picture.put_pixel(x, y, Rgb([ink; 3]));
                    }
                }
            }
        }
        picture
    }

    #[test]
    fn like_is_near_and_unlike_is_far() {
        let encoder = StandIn::load().unwrap();
        let embed = |picture: &RgbImage| encoder.embed(picture).unwrap();
        let (empty, text, other) = (
            RgbImage::from_pixel(320, 80, Rgb([245, 245, 240])),
            page(1, 30),
            page(2, 30),
        );
        let mut grain = text.clone();
        for (index, pixel) in grain.pixels_mut().enumerate() {
            pixel[0] = pixel[0].saturating_add((index % 5) as u8);
        }
        assert_eq!(embed(&text).len(), 512);
        assert!(cosine_distance(&embed(&text), &embed(&text)) < 1e-5);
        assert!(cosine_distance(&embed(&text), &embed(&grain)) < 0.02);
        assert!(cosine_distance(&embed(&text), &embed(&other)) > 0.04);
        assert!(cosine_distance(&embed(&text), &embed(&empty)) > 0.2);
    }
}
