//! What a line says: the recognition model gives, for each eighth pixel or so along the line, how likely each character is.

use dynacu_weights::{file, names};
use image::imageops::FilterType;
use image::{DynamicImage, RgbImage};
use ort::session::Session;
use ort::value::TensorRef;

use super::spaces;
use crate::error::ModelError;
use crate::onnx;

/// Lines are scaled to this height, …
const HEIGHT: u32 = 48;
/// … and made so much narrower than that alone would: the time goes with the width. On drawn lines of 12 to 20 px, 0.25 % of
/// the characters were wrong in place of 0.22 %; with 0.6 it was 4 %.
const NARROWED: f64 = 0.8;
/// The model reads poorly what is narrower than this, so short words stand on a wider ground.
const LEAST_WIDTH: u32 = 96;
/// Longest line in scaled pixels: about 80 characters more than a screen holds.
const MOST_WIDTH: u32 = 4096;

/// As it is called in errors.
const MODEL: &str = "text recognition";

pub(crate) struct Recognizer {
    session: Session,
    input: String,
    output: String,
    /// The character of each class after class 0, which stands for "none".
    characters: Vec<String>,
}

/// One character and where along the line it was seen, 0 to 1.
pub(crate) struct Letter<'a> {
    pub text: &'a str,
    pub at: f32,
    probability: f32,
}

impl Recognizer {
    pub(crate) fn load() -> Result<Self, ModelError> {
        let session = onnx::session(&file(names::OCR_RECOGNITION)?, 1)?;
        let input = onnx::first(session.inputs(), MODEL)?;
        let output = onnx::first(session.outputs(), MODEL)?;
        let list = session
            .metadata()?
            .custom("character")
            .ok_or_else(|| ModelError::failed(MODEL)("it lists no characters"))?;
        let mut characters: Vec<String> = list.lines().map(str::to_owned).collect();
        characters.push(" ".to_owned());
        Ok(Self {
            session,
            input,
            output,
            characters,
        })
    }

    /// The text of a picture of one line and the mean probability of its characters.
    pub(crate) fn recognise(&mut self, line: &RgbImage) -> Result<(String, f32), ModelError> {
        let (width, height) = line.dimensions();
        let scale = NARROWED * f64::from(HEIGHT) / f64::from(height.max(1));
        let wide = (f64::from(width) * scale).ceil() as u32;
        let wide = wide.clamp(8, MOST_WIDTH);
        let padded = wide.max(LEAST_WIDTH);
        let resized = DynamicImage::ImageRgb8(line.clone())
            .resize_exact(wide, HEIGHT, FilterType::Triangle)
            .into_rgb8();

        let (row, area) = (padded as usize, (padded * HEIGHT) as usize);
        let mut pixels = vec![0.0_f32; 3 * area];
        for (channel, plane) in pixels.chunks_exact_mut(area).enumerate() {
            for (out, from) in plane
                .chunks_exact_mut(row)
                .zip(resized.as_raw().chunks_exact(wide as usize * 3))
            {
                for (value, pixel) in out.iter_mut().zip(from.chunks_exact(3)) {
                    // The model was trained on blue, green, red.
                    *value = f32::from(pixel[2 - channel]) / 127.5 - 1.0;
                }
            }
        }
        let input = TensorRef::from_array_view(([1, 3, HEIGHT as usize, row], pixels.as_slice()))?;
        let outputs = self
            .session
            .run(ort::inputs![self.input.as_str() => input])?;
        let (shape, scores) = outputs
            .get(&self.output)
            .ok_or_else(|| ModelError::failed(MODEL)("it gave no scores"))?
            .try_extract_tensor::<f32>()?;
        let classes = self.characters.len() + 1;
        if shape.last().is_none_or(|&last| last != classes as i64) {
            return Err(ModelError::failed(MODEL)(format!(
                "it knows {shape:?} classes, its list of characters {classes}"
            )));
        }
        let letters = letters(
            scores,
            classes,
            &self.characters,
            padded as f32 / wide as f32,
        );
        if letters.is_empty() {
            return Ok((String::new(), 0.0));
        }
        let confidence =
            letters.iter().map(|letter| letter.probability).sum::<f32>() / letters.len() as f32;
        Ok((
            spaces::restored(&letters, line).trim().to_owned(),
            confidence,
        ))
    }
}

/// The best character at each step; a character that stays over several steps is one, class 0 separates equal ones.
fn letters<'a>(
    scores: &[f32],
    classes: usize,
    characters: &'a [String],
    stretch: f32,
) -> Vec<Letter<'a>> {
    let steps = scores.len() / classes;
    let mut letters: Vec<Letter<'a>> = Vec::new();
    let mut last = 0;
    for (step, scores) in scores.chunks_exact(classes).enumerate() {
        let (class, probability) =
            scores
                .iter()
                .copied()
                .enumerate()
                .fold(
                    (0, f32::MIN),
                    |best, next| if next.1 > best.1 { next } else { best },
                );
        if class != 0 && class != last {
            let at = (step as f32 + 0.5) / steps as f32 * stretch;
            letters.push(Letter {
                text: &characters[class - 1],
                at,
                probability,
            });
        } else if class != 0
            && let Some(letter) = letters.last_mut()
        {
            letter.probability = letter.probability.max(probability);
        }
        last = class;
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_one_letter_unless_parted() {
        let characters = ["A".to_owned(), "B".to_owned()];
        let steps = [0, 1, 1, 0, 1, 2, 2, 0];
        let scores: Vec<f32> = steps
            .iter()
            .flat_map(|&best| (0..3).map(move |class| if class == best { 0.9 } else { 0.05 }))
            .collect();
        let letters = letters(&scores, 3, &characters, 1.0);
        assert_eq!(
            letters.iter().map(|letter| letter.text).collect::<String>(),
            "AAB"
        );
        assert!((letters[2].at - 5.5 / 8.0).abs() < 1e-6);
    }
}
