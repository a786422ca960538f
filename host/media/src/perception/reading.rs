//! Reads text out of pictures: PP-OCRv4, detection and recognition, on the CPU.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use dynacu_vocabulary::TextLine;
use image::{DynamicImage, RgbImage};
use parking_lot::Mutex;

use crate::capture::screen::{Area, Frame, rect};
use crate::error::{ModelError, ThreadError};
use crate::{priority, processor};

mod detection;
mod known;
mod lookalikes;
mod recognition;
mod spaces;

use detection::Detector;
use known::Known;
use recognition::Recognizer;

/// How many pictures are remembered with what they say.
const REMEMBERED: usize = 64;
/// Pictures that may wait for the thread that reads; who comes then waits before its picture does.
const WAITING: usize = 4;
/// A line that the recognizer is less sure of is left out: patterns and icons give such lines.
const LEAST_CONFIDENCE: f32 = 0.5;

/// Reads one picture after the other on a niced thread of its own: reading must not hold the page or the capture back.
pub struct Reader {
    pictures: SyncSender<Picture>,
    known: Mutex<Known>,
}

/// What the `reading` thread is asked.
struct Picture {
    image: RgbImage,
    answer: SyncSender<Result<Reading, ModelError>>,
}

/// What a picture says.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// From top to bottom and left to right.
    pub lines: Vec<TextLine>,
    /// Processor time that it took; none where the picture was remembered.
    pub took: Duration,
}

impl Reader {
    /// Opens the models of the cache. The thread ends with the last reader.
    ///
    /// # Errors
    /// When a file is missing or is not that model, or the thread cannot be made.
    pub fn load() -> Result<Self, ModelError> {
        let mut models = Models {
            detector: Detector::load()?,
            recognizer: Recognizer::load()?,
        };
        let (pictures, asked) = sync_channel::<Picture>(WAITING);
        std::thread::Builder::new()
            .name("reading".to_owned())
            .spawn(move || {
                priority::add(priority::READING);
                for picture in asked {
                    let began = processor::thread_time();
                    let read = models.read(&picture.image).map(|lines| Reading {
                        lines,
                        took: processor::thread_time().saturating_sub(began),
                    });
                    // Nobody waits for it where the asker has given up.
                    let _ = picture.answer.send(read);
                }
            })
            .map_err(ThreadError::of("reading"))?;
        Ok(Self {
            pictures,
            known: Mutex::new(Known::new(REMEMBERED)),
        })
    }

    /// The lines of a picture, from top to bottom and left to right. Blocks for about 0.1 s for a toast and a second for
    /// a whole screen, longer while others are read; the same picture a second time costs nothing.
    ///
    /// # Errors
    /// When a model fails.
    pub fn read(&self, image: &RgbImage) -> Result<Vec<TextLine>, ModelError> {
        Ok(self.reading(image)?.lines)
    }

    fn reading(&self, image: &RgbImage) -> Result<Reading, ModelError> {
        let known = |lines| Reading {
            lines,
            took: Duration::ZERO,
        };
        if image.width() == 0 || image.height() == 0 {
            return Ok(known(Vec::new()));
        }
        let key = fingerprint(image);
        if let Some(lines) = self.known.lock().recall(key) {
            return Ok(known(lines));
        }
        let (answer, reading) = sync_channel(1);
        let picture = Picture {
            image: image.clone(),
            answer,
        };
        let ended = || ModelError::failed("the reader")("its thread has ended");
        self.pictures.send(picture).map_err(|_| ended())?;
        let reading = reading.recv().map_err(|_| ended())??;
        self.known.lock().remember(key, &reading.lines);
        Ok(reading)
    }

    /// Reads a part of a frame; the areas of the lines are in the frame's own pixels.
    ///
    /// # Errors
    /// When the area is empty or leaves the frame, or a model fails.
    pub fn read_area(&self, frame: &Frame, area: Area) -> Result<Reading, ModelError> {
        let mut reading = self.reading(&frame.crop(area)?)?;
        for line in &mut reading.lines {
            let origin = rect(area).origin;
            line.area.origin.x += origin.x;
            line.area.origin.y += origin.y;
        }
        Ok(reading)
    }
}

/// The two models, each on the thread that runs them.
struct Models {
    detector: Detector,
    recognizer: Recognizer,
}

impl Models {
    fn read(&mut self, image: &RgbImage) -> Result<Vec<TextLine>, ModelError> {
        let picture = DynamicImage::ImageRgb8(image.clone());
        let mut lines = Vec::new();
        for area in self.detector.find(&picture)? {
            let line = picture.crop_imm(area.0, area.1, area.2, area.3).into_rgb8();
            let (text, confidence) = self.recognizer.recognise(&line)?;
            if !text.is_empty() && confidence >= LEAST_CONFIDENCE {
                lines.push(TextLine {
                    text: lookalikes::repaired(&text),
                    area: rect(area),
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
