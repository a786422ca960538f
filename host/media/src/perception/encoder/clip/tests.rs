//! CLIP's weights cannot be had everywhere, so its path is walked with a small model of the same inputs and outputs, which is
//! written here: eight filters over patches of 28 pixels make 512 features.

use anyhow::Result;
use image::Rgb;
use tempfile::TempDir;

use super::super::cosine_distance;
use super::*;
use crate::protobuf::{bytes, varint};

const PATCH: u64 = 28;
const FILTERS: u64 = 8;

fn text(number: u64, text: &str) -> Vec<u8> {
    bytes(number, text.as_bytes())
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// ValueInfoProto: a tensor of 32-bit floats.
fn value(name: &str, shape: &[u64]) -> Vec<u8> {
    let dimensions: Vec<u8> = shape
        .iter()
        .flat_map(|side| bytes(1, &number(1, *side)))
        .collect();
    let tensor = [number(1, 1), bytes(2, &dimensions)].concat();
    [text(1, name), bytes(2, &bytes(1, &tensor))].concat()
}

/// AttributeProto: whole numbers.
fn numbers(name: &str, values: &[u64]) -> Vec<u8> {
    const INTS: u64 = 7;
    let values: Vec<u8> = values.iter().flat_map(|value| number(8, *value)).collect();
    bytes(5, &[text(1, name), values, number(20, INTS)].concat())
}

/// NodeProto.
fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[u8]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| text(1, name)).collect();
    bytes(
        1,
        &[
            inputs,
            text(2, output),
            text(4, operator),
            attributes.to_vec(),
        ]
        .concat(),
    )
}

/// The first three filters give the mean of red, green and blue over each patch; the others compare its two halves.
fn weights() -> Vec<u8> {
    let area = (PATCH * PATCH) as f32;
    let mut weights = Vec::new();
    for filter in 0..FILTERS {
        for channel in 0..3 {
            for pixel in 0..PATCH * PATCH {
                let left = pixel % PATCH < PATCH / 2;
                let weight = match filter {
                    0..3 if filter == channel => 1.0,
                    0..3 => 0.0,
                    _ if left == (filter % 2 == 0) => (filter + channel) as f32 / 3.0,
                    _ => -1.0,
                };
                weights.extend_from_slice(&(weight / area).to_le_bytes());
            }
        }
    }
    weights
}

/// ModelProto.
fn model(side: u64) -> Vec<u8> {
    let shape: Vec<u8> = [FILTERS, 3, PATCH, PATCH]
        .iter()
        .flat_map(|side| number(1, *side))
        .collect();
    let initializer = [
        shape,
        number(2, 1),
        text(8, "patches"),
        bytes(9, &weights()),
    ]
    .concat();
    let strides = [
        numbers("kernel_shape", &[PATCH, PATCH]),
        numbers("strides", &[PATCH, PATCH]),
    ]
    .concat();
    let graph = [
        node("Conv", &["pixel_values", "patches"], "grid", &strides),
        node("Flatten", &["grid"], "image_embeds", &[]),
        text(2, "patches"),
        bytes(5, &initializer),
        bytes(11, &value("pixel_values", &[1, 3, side, side])),
        bytes(
            12,
            &value("image_embeds", &[1, FILTERS * (side / PATCH).pow(2)]),
        ),
    ]
    .concat();
    let (ir_version, opset) = (8, 13);
    [
        number(1, ir_version),
        bytes(8, &number(2, opset)),
        bytes(7, &graph),
    ]
    .concat()
}

fn clip(side: u64) -> Result<(TempDir, Clip)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("clip.onnx");
    std::fs::write(&file, model(side))?;
    let clip = Clip::open(&file)?;
    Ok((folder, clip))
}

#[test]
fn a_colour_comes_out_as_the_mean_and_deviation_say() {
    let (_folder, clip) = clip(224).unwrap();
    let features = clip
        .embed(&RgbImage::from_pixel(400, 300, Rgb([255, 128, 0])))
        .unwrap();
    assert_eq!((features.len(), clip.name()), (512, "clip-vit-b32"));
    // By hand: (255/255 - 0.48145466) / 0.26862954, (128/255 - 0.4578275) / 0.26130258, (0 - 0.40821073) / 0.27577711.
    for (filter, expected) in [1.930_336, 0.168_897, -1.480_22].into_iter().enumerate() {
        for feature in &features[filter * 64..][..64] {
            assert!(
                (feature - expected).abs() < 1e-3,
                "filter {filter}: {feature}"
            );
        }
    }
}

#[test]
fn a_changed_picture_is_far_and_the_same_is_near() {
    let (_folder, clip) = clip(224).unwrap();
    let page = |ink: u8| {
        RgbImage::from_fn(320, 200, |x, y| {
            Rgb([if (60..200).contains(&x) && (80..120).contains(&y) {
                ink
            } else {
                240
            }; 3])
        })
    };
    let embed = |picture: &RgbImage| clip.embed(picture).unwrap();
    assert!(cosine_distance(&embed(&page(20)), &embed(&page(20))) < 1e-6);
    assert!(cosine_distance(&embed(&page(20)), &embed(&page(240))) > 0.04);
}

#[test]
fn a_model_of_another_size_is_refused() {
    let error = clip(112).err().unwrap();
    assert!(format!("{error:#}").contains("224"), "{error:#}");
}

#[test]
fn resizing_is_bicubic_and_takes_in_what_it_leaves_out() {
    // A ramp of half a value a pixel, twice as large as wanted: pixel i of the result is the ramp at 2i + 0.5.
    let ramp = RgbImage::from_fn(448, 448, |x, _| Rgb([(x / 2) as u8; 3]));
    let small = prepared(&ramp);
    for x in 8..216 {
        let value = f64::from(small.get_pixel(x, 100)[0]);
        assert!((value - f64::from(x)).abs() <= 1.0, "pixel {x}: {value}");
    }
    // Lines of one pixel, black and white: their mean, not one of the two.
    let lines = RgbImage::from_fn(448, 448, |x, _| Rgb([if x % 2 == 0 { 0 } else { 255 }; 3]));
    let grey = prepared(&lines).get_pixel(100, 100)[0];
    assert!((115..=140).contains(&grey), "{grey}");
}

#[test]
fn the_square_of_a_whole_screen_is_where_the_original_cuts_it() {
    // 1280x720 becomes 398x224 (398.2 cut down), and the square begins at (398 - 224) / 2 = 87 of those pixels: 280 of the screen.
    let screen = RgbImage::from_fn(1280, 720, |x, _| Rgb([if x < 280 { 0 } else { 200 }; 3]));
    let square = prepared(&screen);
    assert_eq!(square.dimensions(), (224, 224));
    assert!(
        square.get_pixel(3, 100)[0] > 190 && square.get_pixel(0, 100)[0] >= 80,
        "{:?}",
        square.get_pixel(0, 100)
    );
    let shifted = RgbImage::from_fn(1280, 720, |x, _| Rgb([if x < 290 { 0 } else { 200 }; 3]));
    assert!(prepared(&shifted).get_pixel(0, 100)[0] < 40);
}

#[test]
fn the_ends_of_a_page_are_cut_off_and_those_of_a_strip_are_not() {
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
    assert_eq!(page.get_pixel(5, 100), &Rgb([0, 0, 255]));
    assert_eq!(strip.get_pixel(5, 100), &Rgb([255, 0, 0]));
}
