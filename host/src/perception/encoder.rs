//! Image embeddings for the keyframe gate's second stage.

use image::RgbImage;

/// Turns images into vectors whose cosine distance says how different two images look.
pub trait Encoder: Send + Sync {
    /// The encoder's name as it stands in the record.
    fn name(&self) -> &str;

    /// Embeds one image of any size; the encoder scales it as its model wants.
    fn embed(&self, image: &RgbImage) -> anyhow::Result<Vec<f32>>;
}

/// Cosine distance of two embeddings, 0 (same direction) to 2.
#[must_use]
pub fn cosine_distance(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let scale = norm(a) * norm(b);
    if scale == 0.0 { 0.0 } else { 1.0 - dot / scale }
}
