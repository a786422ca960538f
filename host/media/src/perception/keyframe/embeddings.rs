//! Embeddings of crops, remembered by what the crop shows.
//!
//! The same crop is asked for again and again: the state before a change with every new frame, the few pictures of a
//! spinner for as long as it turns.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::encoder::Encoder;
use crate::capture::screen::{Area, Frame};
use crate::error::ModelError;

/// How many are remembered; an embedding is 2 kB.
const REMEMBERED: usize = 96;

pub(crate) struct Embeddings {
    encoder: Arc<dyn Encoder>,
    known: VecDeque<(u64, Arc<[f32]>)>,
}

impl Embeddings {
    pub(crate) fn new(encoder: Arc<dyn Encoder>) -> Self {
        Self {
            encoder,
            known: VecDeque::new(),
        }
    }

    /// Whether [`Self::of`] would answer at once.
    pub(crate) fn knows(&self, frame: &Frame, area: Area) -> bool {
        let key = fingerprint(frame, area);
        self.known.iter().any(|(known, _)| *known == key)
    }

    pub(crate) fn of(&mut self, frame: &Frame, area: Area) -> Result<Arc<[f32]>, ModelError> {
        let key = fingerprint(frame, area);
        if let Some((_, embedding)) = self.known.iter().find(|(known, _)| *known == key) {
            return Ok(embedding.clone());
        }
        let embedding: Arc<[f32]> = self.encoder.embed(&frame.crop(area)?)?.into();
        if self.known.len() == REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((key, embedding.clone()));
        Ok(embedding)
    }
}

/// A number that stands for the pixels of an area. Not for adversaries: a page gains nothing from a collision.
pub(crate) fn fingerprint(frame: &Frame, (x, y, width, height): Area) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    let mut state = mix(u64::from(width), u64::from(height));
    let Some(raw) = frame.raw() else { return state };
    let row_bytes = frame.width as usize * 4;
    for row in raw
        .chunks_exact(row_bytes)
        .skip(y as usize)
        .take(height as usize)
    {
        let row = &row[x as usize * 4..(x + width) as usize * 4];
        let (words, rest) = row.as_chunks::<8>();
        for word in words {
            state = mix(state, u64::from_le_bytes(*word));
        }
        for byte in rest {
            state = mix(state, u64::from(*byte));
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use image::{Rgb, RgbImage};

    use super::*;

    /// Counts what it is asked.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Encoder for Counting {
        fn name(&self) -> &str {
            "counting"
        }

        fn embed(&self, image: &RgbImage) -> Result<Vec<f32>, ModelError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(vec![image.width() as f32])
        }
    }

    #[test]
    fn the_same_pixels_are_embedded_once_and_the_memory_is_bounded() {
        let picture = RgbImage::from_fn(300, 40, |x, y| Rgb([x as u8, y as u8, (x / 7) as u8]));
        let frame = |picture: &RgbImage| Frame::from_rgb(Instant::now(), picture);
        let (first, second) = (frame(&picture), frame(&picture));
        let encoder = Arc::new(Counting::default());
        let asked = || encoder.0.load(Ordering::Relaxed);
        let mut embeddings = Embeddings::new(encoder.clone());
        embeddings.of(&first, (5, 5, 20, 20)).unwrap();
        assert!(embeddings.knows(&second, (5, 5, 20, 20)));
        assert!(!embeddings.knows(&second, (6, 5, 20, 20)));
        embeddings.of(&second, (5, 5, 20, 20)).unwrap();
        assert_eq!(asked(), 1);
        for x in 0..2 * REMEMBERED as u32 {
            embeddings.of(&first, (x, 0, 30, 30)).unwrap();
        }
        assert_eq!(embeddings.known.len(), REMEMBERED);
        assert!(!embeddings.knows(&first, (5, 5, 20, 20)));
    }
}
