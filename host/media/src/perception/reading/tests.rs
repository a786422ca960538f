//! Reads a picture of a page drawn by Chromium (480x150): a toast, a large number, two lines of small text.

use super::*;

fn console() -> RgbImage {
    image::load_from_memory(include_bytes!("tests/console.png"))
        .unwrap()
        .into_rgb8()
}

#[test]
fn codes_numbers_and_spaces_are_read() {
    let lines = Reader::load().unwrap().read(&console()).unwrap();
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Could not save: error E-4471",
            "73.5",
            "Quote the support reference RX-28913-K",
            "Total due: $1,249.00 by 14 March 2026",
        ]
    );
    let (x, y, width, height) = lines[1].area.into();
    assert!(
        (330..365).contains(&x)
            && (15..40).contains(&y)
            && (70..110).contains(&width)
            && height < 70,
        "{lines:?}"
    );
}

#[test]
fn an_area_of_a_frame_is_read_in_the_frames_own_pixels() {
    let frame = Frame::from_rgb(std::time::Instant::now(), &console());
    let reader = Reader::load().unwrap();
    let Reading { lines, took } = reader.read_area(&frame, (340, 0, 140, 80)).unwrap();
    assert!(took > Duration::ZERO);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].text, "73.5");
    assert!((345..365).contains(&lines[0].area.origin.x), "{lines:?}");
    assert_eq!(
        reader.read_area(&frame, (340, 0, 140, 80)).unwrap(),
        Reading {
            lines,
            took: Duration::ZERO
        },
        "from memory"
    );
    assert!(reader.read_area(&frame, (340, 0, 141, 80)).is_err());
}

#[test]
fn an_empty_picture_has_no_lines() {
    let reader = Reader::load().unwrap();
    assert_eq!(
        reader
            .read(&RgbImage::from_pixel(200, 100, image::Rgb([250; 3])))
            .unwrap(),
        []
    );
    assert_eq!(reader.read(&RgbImage::new(0, 0)).unwrap(), []);
}

/// Prints how long crops of 400x100 take, each with two or three lines of text.
#[test]
#[ignore = "prints figures"]
fn print_the_cost() {
    let reader = Reader::load().unwrap();
    let console = console();
    let mut millis: Vec<u128> = (0..20)
        .map(|step| {
            let crop = image::imageops::crop_imm(&console, step * 4, step * 2, 400, 100).to_image();
            let began = std::time::Instant::now();
            let lines = reader.read(&crop).unwrap();
            assert!(!lines.is_empty());
            began.elapsed().as_millis()
        })
        .collect();
    millis.sort_unstable();
    eprintln!("400x100: median {} ms, p95 {} ms", millis[10], millis[19]);
    let mut models = Models {
        detector: Detector::load().unwrap(),
        recognizer: Recognizer::load().unwrap(),
    };
    let crop = DynamicImage::ImageRgb8(console.clone()).crop_imm(30, 15, 400, 100);
    for _ in 0..6 {
        let began = processor::thread_time();
        let areas = models.detector.find(&crop).unwrap();
        let found = processor::thread_time() - began;
        let began = processor::thread_time();
        for &(x, y, width, height) in &areas {
            let line = crop.crop_imm(x, y, width, height).into_rgb8();
            models.recognizer.recognise(&line).unwrap();
        }
        eprintln!(
            "CPU time: finding {found:?}, reading {} lines {:?}",
            areas.len(),
            processor::thread_time() - began
        );
    }
    let whole = image::imageops::crop_imm(&console, 0, 0, 400, 100).to_image();
    let began = std::time::Instant::now();
    reader.read(&whole).unwrap();
    eprintln!("the same again: {} us", began.elapsed().as_micros());
}
