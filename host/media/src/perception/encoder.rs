//! Image embeddings for the keyframe gate's second stage.

use std::sync::Arc;

use dynacu_weights::{file, names};
use image::{DynamicImage, RgbImage};

use crate::error::ModelError;

mod clip;
mod stand_in;

pub use clip::Clip;
pub use stand_in::StandIn;

/// Turns images into vectors whose cosine distance says how different two images look.
pub trait Encoder: Send + Sync {
    /// The encoder's name as it stands in the record.
    fn name(&self) -> &str;

    /// Embeds one image of any size; the encoder scales it as its model wants.
    ///
    /// # Errors
    /// When the model fails.
    fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError>;
}

/// Cosine distance of two embeddings, 0 (same direction) to 2.
#[must_use]
pub fn cosine_distance(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let scale = norm(a) * norm(b);
    if scale == 0.0 { 0.0 } else { 1.0 - dot / scale }
}

/// The specification's encoder where its file is in the cache, the stand-in elsewhere.
///
/// # Errors
/// When the file of neither is there or the one that is cannot be opened.
pub fn load_encoder() -> Result<Arc<dyn Encoder>, ModelError> {
    Ok(if file(names::CLIP).is_ok() {
        Arc::new(Clip::load()?)
    } else {
        Arc::new(StandIn::load()?)
    })
}

/// Side of the square that both models take, in pixels.
const SIDE: u32 = 224;

/// A 224x224 picture as the models want it: channel by channel, each value (v / 255 - mean) / deviation.
fn planes(square: &RgbImage, mean: [f32; 3], deviation: [f32; 3]) -> Vec<f32> {
    let area = (square.width() * square.height()) as usize;
    let mut planes = vec![0.0; 3 * area];
    for (channel, plane) in planes.chunks_exact_mut(area).enumerate() {
        let (scale, shift) = (
            1.0 / (255.0 * deviation[channel]),
            mean[channel] / deviation[channel],
        );
        for (value, pixel) in plane.iter_mut().zip(square.as_raw().chunks_exact(3)) {
            *value = f32::from(pixel[channel]) * scale - shift;
        }
    }
    planes
}

/// Squeezed into a square: nothing is cut off, so a change at the edge of a crop counts too.
fn squeezed(image: &RgbImage, filter: image::imageops::FilterType) -> RgbImage {
    // Through `DynamicImage`, whose code is compiled optimised with the image crate.
    DynamicImage::ImageRgb8(image.clone())
        .resize_exact(SIDE, SIDE, filter)
        .into_rgb8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_that_of_directions() {
        assert!(cosine_distance(&[1.0, 2.0], &[2.0, 4.0]).abs() < 1e-6);
        assert!((cosine_distance(&[1.0, 0.0], &[0.0, 3.0]) - 1.0).abs() < 1e-6);
        assert!((cosine_distance(&[1.0, 0.0], &[-1.0, 0.0]) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn planes_are_normalised_channel_by_channel() {
        let picture = RgbImage::from_pixel(2, 1, image::Rgb([0, 255, 51]));
        let planes = planes(&picture, [0.5, 0.5, 0.2], [0.5, 0.25, 1.0]);
        let expected = [-1.0, -1.0, 2.0, 2.0, 0.0, 0.0];
        assert!(
            planes
                .iter()
                .zip(expected)
                .all(|(value, expected)| (value - expected).abs() < 1e-5),
            "{planes:?}"
        );
    }
}
