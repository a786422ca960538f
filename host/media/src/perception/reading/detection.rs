//! Where text stands: the detection model gives a map of how likely each pixel is text, boxes are cut out of that.

use dynacu_weights::{file, names};
use image::DynamicImage;
use image::imageops::FilterType;
use ort::session::Session;
use ort::value::TensorRef;

use crate::capture::screen::Area;
use crate::error::ModelError;
use crate::onnx;

/// From this probability on a pixel belongs to text.
const TEXT: f32 = 0.3;
/// A group of such pixels is a line when their mean probability is at least this.
const LINE: f32 = 0.5;
/// The map shows the core of a line; it grows by area / perimeter times this.
const UNCLIP: f32 = 1.6;
/// The model takes sides that are multiples of this.
const STEP: u32 = 32;
/// Small pictures are enlarged up to this factor, as long as neither side passes [`ENLARGED_SIDE`].
const ENLARGE: f32 = 1.5;
const ENLARGED_SIDE: f32 = 960.0;
/// Larger pictures are reduced to it.
const LONGEST_SIDE: f32 = 1280.0;
/// Lines beyond this count are not read.
const MOST_LINES: usize = 200;

/// As it is called in errors.
const MODEL: &str = "text detection";

pub(crate) struct Detector {
    session: Session,
    input: String,
    output: String,
}

impl Detector {
    pub(crate) fn load() -> Result<Self, ModelError> {
        let session = onnx::session(&file(names::OCR_DETECTION)?, 1)?;
        let input = onnx::first(session.inputs(), MODEL)?;
        let output = onnx::first(session.outputs(), MODEL)?;
        Ok(Self {
            session,
            input,
            output,
        })
    }

    /// Boxes around lines of text, from top to bottom and left to right.
    pub(crate) fn find(&mut self, picture: &DynamicImage) -> Result<Vec<Area>, ModelError> {
        let (width, height) = (picture.width(), picture.height());
        let longer = width.max(height) as f32;
        let scale = (ENLARGED_SIDE / longer)
            .clamp(1.0, ENLARGE)
            .min(LONGEST_SIDE / longer);
        let side = |side: u32| ((side as f32 * scale / STEP as f32).round() as u32).max(1) * STEP;
        let (wide, high) = (side(width), side(height));
        let resized = picture
            .resize_exact(wide, high, FilterType::Triangle)
            .into_rgb8();

        let area = (wide * high) as usize;
        let mut pixels = vec![0.0_f32; 3 * area];
        for (channel, plane) in pixels.chunks_exact_mut(area).enumerate() {
            for (value, pixel) in plane.iter_mut().zip(resized.as_raw().chunks_exact(3)) {
                // The model was trained on blue, green, red.
                *value = f32::from(pixel[2 - channel]) / 127.5 - 1.0;
            }
        }
        let input =
            TensorRef::from_array_view(([1, 3, high as usize, wide as usize], pixels.as_slice()))?;
        let outputs = self
            .session
            .run(ort::inputs![self.input.as_str() => input])?;
        let (_, map) = outputs
            .get(&self.output)
            .ok_or_else(|| ModelError::failed(MODEL)("it gave no map"))?
            .try_extract_tensor::<f32>()?;

        let back = (width as f32 / wide as f32, height as f32 / high as f32);
        let mut lines: Vec<Area> = components(map, wide as usize, high as usize)
            .into_iter()
            .filter_map(|found| found.line(back, (width, height)))
            .collect();
        drop(outputs);
        in_reading_order(&mut lines);
        lines.truncate(MOST_LINES);
        Ok(lines)
    }
}

/// Pixels of the map that hang together; the bounds are inclusive.
#[derive(Debug, PartialEq)]
struct Component {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
    pixels: usize,
    sum: f32,
}

impl Component {
    /// The line's box in the picture's own pixels; `back` leads from the map to the picture.
    fn line(&self, back: (f32, f32), (width, height): (u32, u32)) -> Option<Area> {
        let (wide, high) = (
            (self.right - self.left + 1) as f32,
            (self.bottom - self.top + 1) as f32,
        );
        if wide.min(high) < 3.0 || self.sum / (self.pixels as f32) < LINE {
            return None;
        }
        let margin = wide * high * UNCLIP / (2.0 * (wide + high));
        let span = |first: usize, last: usize, back: f32, whole: u32| {
            let start = ((first as f32 - margin) * back).max(0.0).floor() as u32;
            let end = (((last + 1) as f32 + margin) * back)
                .ceil()
                .min(whole as f32) as u32;
            (start, end.saturating_sub(start))
        };
        let (x, width) = span(self.left, self.right, back.0, width);
        let (y, height) = span(self.top, self.bottom, back.1, height);
        (width >= 3 && height >= 5).then_some((x, y, width, height))
    }
}

/// Groups of neighbouring pixels (also by their corners) above the threshold.
fn components(map: &[f32], width: usize, height: usize) -> Vec<Component> {
    let mut seen = vec![false; map.len()];
    let mut found = Vec::new();
    let mut open = Vec::new();
    for seed in 0..map.len() {
        if seen[seed] || map[seed] < TEXT {
            continue;
        }
        seen[seed] = true;
        open.push(seed);
        let (x, y) = (seed % width, seed / width);
        let mut component = Component {
            left: x,
            top: y,
            right: x,
            bottom: y,
            pixels: 0,
            sum: 0.0,
        };
        while let Some(index) = open.pop() {
            let (x, y) = (index % width, index / width);
            component.left = component.left.min(x);
            component.right = component.right.max(x);
            component.top = component.top.min(y);
            component.bottom = component.bottom.max(y);
            component.pixels += 1;
            component.sum += map[index];
            for near_y in y.saturating_sub(1)..(y + 2).min(height) {
                for near_x in x.saturating_sub(1)..(x + 2).min(width) {
                    let near = near_y * width + near_x;
                    if !seen[near] && map[near] >= TEXT {
                        seen[near] = true;
                        open.push(near);
                    }
                }
            }
        }
        found.push(component);
    }
    found
}

/// Lines whose middles are within half a line of each other stand side by side.
fn in_reading_order(lines: &mut [Area]) {
    lines.sort_by_key(|&(x, y, _, height)| (y + height / 2, x));
    let mut start = 0;
    while start < lines.len() {
        let (_, y, _, height) = lines[start];
        let middle = y + height / 2;
        let end = start
            + lines[start..]
                .iter()
                .take_while(|line| line.1 + line.3 / 2 <= middle + height / 2)
                .count();
        lines[start..end].sort_by_key(|line| line.0);
        start = end.max(start + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_that_touch_are_one_component() {
        let rows = ["##...", "..#..", "....#"];
        let map: Vec<f32> = rows
            .concat()
            .chars()
            .map(|c| if c == '#' { 0.8 } else { 0.1 })
            .collect();
        let found = components(&map, 5, 3);
        assert_eq!(found.len(), 2);
        let first = &found[0];
        assert_eq!(
            (
                first.left,
                first.top,
                first.right,
                first.bottom,
                first.pixels
            ),
            (0, 0, 2, 1, 3)
        );
    }

    #[test]
    fn faint_and_tiny_components_are_no_lines() {
        let component = |sum| Component {
            left: 10,
            top: 10,
            right: 109,
            bottom: 19,
            pixels: 1000,
            sum,
        };
        assert_eq!(component(400.0).line((1.0, 1.0), (400, 300)), None);
        // 100 x 10 grows by 100 * 10 * 1.6 / 220 = 7.3 on each side.
        assert_eq!(
            component(900.0).line((1.0, 1.0), (400, 300)),
            Some((2, 2, 116, 26))
        );
        let dot = Component {
            left: 5,
            top: 5,
            right: 6,
            bottom: 6,
            pixels: 4,
            sum: 4.0,
        };
        assert_eq!(dot.line((1.0, 1.0), (400, 300)), None);
    }

    #[test]
    fn lines_are_read_as_a_person_would() {
        let mut lines = [
            (200, 52, 80, 20),
            (10, 90, 50, 20),
            (10, 50, 80, 20),
            (10, 10, 300, 20),
        ];
        in_reading_order(&mut lines);
        assert_eq!(
            lines,
            [
                (10, 10, 300, 20),
                (10, 50, 80, 20),
                (200, 52, 80, 20),
                (10, 90, 50, 20)
            ]
        );
    }
}
