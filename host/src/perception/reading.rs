//! Reads text out of pictures: PP-OCRv4, detection and recognition, on the CPU.

use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use image::{DynamicImage, RgbImage};

use crate::capture::screen::{Area, Frame};

mod detection;
mod recognition;
mod spaces;

use detection::Detector;
use recognition::Recognizer;

/// How many pictures are remembered with what they say.
const REMEMBERED: usize = 64;
/// A line that the recognizer is less sure of is left out: patterns and icons give such lines.
const LEAST_CONFIDENCE: f32 = 0.5;

/// One line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextLine {
    pub text: String,
    /// Where it stands: x, y, width, height in pixels of the picture or frame that was read.
    pub area: Area,
    /// Mean probability of its characters, 0 to 1.
    pub confidence: f32,
}

/// The two models, each on one thread.
pub struct Reader {
    detector: Detector,
    recognizer: Recognizer,
    known: Mutex<VecDeque<(u64, Vec<TextLine>)>>,
}

impl Reader {
    /// Opens the models of the cache.
    ///
    /// # Errors
    /// When a file is missing or is not that model.
    pub fn load() -> Result<Self> {
        Ok(Self {
            detector: Detector::load()?,
            recognizer: Recognizer::load()?,
            known: Mutex::new(VecDeque::new()),
        })
    }

    /// The lines of a picture, from top to bottom and left to right. Blocks for about 0.1 s for a toast and a second for
    /// a whole screen; the same picture a second time costs nothing.
    ///
    /// # Errors
    /// When a model fails.
    pub fn read(&self, image: &RgbImage) -> Result<Vec<TextLine>> {
        if image.width() == 0 || image.height() == 0 {
            return Ok(Vec::new());
        }
        let key = fingerprint(image);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, lines)) = known().iter().find(|(other, _)| *other == key) {
            return Ok(lines.clone());
        }
        let lines = self.read_anew(image)?;
        let mut known = known();
        if known.len() == REMEMBERED {
            known.pop_front();
        }
        known.push_back((key, lines.clone()));
        Ok(lines)
    }

    /// The lines of a part of a frame; their areas are in the frame's own pixels.
    ///
    /// # Errors
    /// When the area is empty or leaves the frame, or a model fails.
    pub fn read_area(&self, frame: &Frame, area: Area) -> Result<Vec<TextLine>> {
        let mut lines = self.read(&frame.crop(area)?)?;
        for line in &mut lines {
            line.area.0 += area.0;
            line.area.1 += area.1;
        }
        Ok(lines)
    }

    fn read_anew(&self, image: &RgbImage) -> Result<Vec<TextLine>> {
        let picture = DynamicImage::ImageRgb8(image.clone());
        let mut lines = Vec::new();
        for area in self.detector.find(&picture)? {
            let line = picture.crop_imm(area.0, area.1, area.2, area.3).into_rgb8();
            let (text, confidence) = self.recognizer.recognise(&line)?;
            if !text.is_empty() && confidence >= LEAST_CONFIDENCE {
                lines.push(TextLine {
                    text,
                    area,
                    confidence,
                });
            }
        }
        Ok(lines)
    }
}

fn fingerprint(image: &RgbImage) -> u64 {
    let mut hasher = DefaultHasher::new();
    (image.dimensions(), image.as_raw()).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
