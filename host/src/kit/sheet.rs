//! A contact sheet: the page along its moments, from the record of an episode.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use dynacu_record::{Event, PageEvent, read_events};
use image::imageops::{FilterType, overlay, resize};
use image::{Rgb, RgbImage};

use crate::studio::lettering::Lettering;
use crate::task::manifest::{Manifest, MomentChannel};

/// One picture, in pixels.
const CELL: (u32, u32) = (400, 225);
const COLUMNS: u32 = 3;
/// More moments than these are thinned out.
const MOST: usize = 12;
const GAP: u32 = 14;
const CAPTION: u32 = 26;
const TITLE: u32 = 44;
const GROUND: Rgb<u8> = Rgb([246, 246, 244]);
const INK: Rgb<u8> = Rgb([32, 34, 38]);
const EDGE: Rgb<u8> = Rgb([190, 190, 186]);
/// After a moment was marked it takes a little until it is drawn and captured, in milliseconds.
const DRAWN: u64 = 150;
/// A spoken moment has no picture of its own: the screen a second and a half into it.
const SPOKEN: u64 = 1500;

/// By then a page has filled itself in, in milliseconds.
const FILLED: u64 = 1000;

/// A frame of the record and when it was captured, in milliseconds.
struct Shot {
    at: u64,
    blob: String,
}

/// A picture of the sheet.
struct Cell {
    caption: String,
    blob: String,
}

/// Makes the sheet of an episode's folder.
///
/// # Errors
/// The record cannot be read or has no frames; the font is missing.
pub fn sheet(manifest: &Manifest, episode: &Path) -> Result<RgbImage> {
    let cells = cells(manifest, episode)?;
    let lettering = Lettering::load()?;
    let rows = u32::try_from(cells.len())?.div_ceil(COLUMNS);
    let columns = COLUMNS.min(u32::try_from(cells.len())?);
    let (width, height) = (
        GAP + columns * (CELL.0 + GAP),
        TITLE + rows * (CELL.1 + CAPTION + GAP) + GAP / 2,
    );
    let mut sheet = RgbImage::from_pixel(width, height, GROUND);
    let title = format!("{}  {}", manifest.id, manifest.title);
    lettering.write(&mut sheet, (GAP, GAP), 22.0, INK, &title);
    for (index, cell) in cells.iter().enumerate() {
        let index = u32::try_from(index)?;
        let left = GAP + index % COLUMNS * (CELL.0 + GAP);
        let top = TITLE + index / COLUMNS * (CELL.1 + CAPTION + GAP);
        let file = blob(episode, &cell.blob);
        let shot = image::open(&file)
            .with_context(|| format!("cannot read the frame {}", file.display()))?
            .into_rgb8();
        let frame = RgbImage::from_pixel(CELL.0 + 2, CELL.1 + 2, EDGE);
        overlay(&mut sheet, &frame, (left - 1).into(), (top - 1).into());
        let small = resize(&shot, CELL.0, CELL.1, FilterType::CatmullRom);
        overlay(&mut sheet, &small, left.into(), top.into());
        let place = (left, top + CELL.1 + 5);
        lettering.write(&mut sheet, place, 15.0, INK, &cell.caption);
    }
    Ok(sheet)
}

fn blob(episode: &Path, id: &str) -> PathBuf {
    episode.join("blobs").join(format!("{id}.png"))
}

fn cells(manifest: &Manifest, episode: &Path) -> Result<Vec<Cell>> {
    let events = read_events(episode)?;
    let mut shots = Vec::new();
    let mut marked: Vec<(u64, String)> = Vec::new();
    for entry in events {
        match entry.event {
            Event::Observation { observation, .. } => shots.push(Shot {
                at: observation.taken_at,
                blob: observation.screenshot,
            }),
            Event::Keyframe {
                frame, captured_at, ..
            } => shots.push(Shot {
                at: captured_at,
                blob: frame,
            }),
            Event::Page(PageEvent { at, name, data }) if name == "moment" => {
                marked.push((at, data["name"].as_str().unwrap_or_default().to_owned()));
            }
            _ => {}
        }
    }
    shots.retain(|shot| blob(episode, &shot.blob).is_file());
    shots.sort_by_key(|shot| shot.at);
    ensure!(
        !shots.is_empty(),
        "the record in {} has no frames",
        episode.display()
    );
    let thin = marked.len().div_ceil(MOST - 2).max(1);
    let first = shots.iter().rev().find(|shot| shot.at <= FILLED);
    let first = first.unwrap_or(&shots[0]);
    let mut cells = vec![Cell {
        caption: format!("start, {}", seconds(first.at)),
        blob: first.blob.clone(),
    }];
    for (at, name) in marked.into_iter().step_by(thin) {
        if let Some(shot) = at_moment(manifest, &shots, at, &name) {
            cells.push(Cell {
                caption: format!("{name}, {}", seconds(at)),
                blob: shot.blob.clone(),
            });
        }
    }
    if let Some(last) = shots.last() {
        cells.push(Cell {
            caption: format!("end, {}", seconds(last.at)),
            blob: last.blob.clone(),
        });
    }
    Ok(cells)
}

/// The frame that shows a moment best.
fn at_moment<'s>(manifest: &Manifest, shots: &'s [Shot], at: u64, name: &str) -> Option<&'s Shot> {
    let moment = manifest.moments.iter().find(|moment| moment.name == name);
    let latest_until = |until: u64| shots.iter().rev().find(|shot| shot.at <= until);
    let up = moment
        .filter(|moment| moment.channel == MomentChannel::Screen)
        .and_then(|moment| moment.seconds);
    match up {
        Some(up) => {
            let until = at + (up * 1000.0) as u64;
            shots
                .iter()
                .find(|shot| shot.at >= at + DRAWN && shot.at <= until)
                .or_else(|| latest_until(until))
        }
        None => latest_until(at + SPOKEN),
    }
    .or(shots.first())
}

fn seconds(at: u64) -> String {
    format!("{:.1} s", at as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use dynacu_record::Writer;
    use serde_json::json;

    use super::*;
    use crate::task::manifest::tests::manifest;

    #[test]
    fn each_moment_gets_the_frame_that_shows_it() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, recorder) = Writer::start(folder.path()).unwrap();
        let shade = |shade: u8| {
            let mut png = std::io::Cursor::new(Vec::new());
            RgbImage::from_pixel(1280, 720, Rgb([shade; 3]))
                .write_to(&mut png, image::ImageFormat::Png)
                .unwrap();
            recorder.blob(png.into_inner(), "image/png")
        };
        let keyframe = |at: u64, value: u8| Event::Keyframe {
            frame: shade(value),
            captured_at: at,
            changed: (0, 0, 1280, 720).into(),
            changed_fraction: 1.0,
            semantic_distance: None,
            settled: true,
            decided_after_ms: 1,
        };
        recorder.event(100, keyframe(100, 10));
        recorder.event(
            3000,
            Event::Page(PageEvent {
                at: 3000,
                name: "moment".to_owned(),
                data: json!({ "name": "code-shown" }),
            }),
        );
        recorder.event(3400, keyframe(3400, 120));
        recorder.event(9000, keyframe(9000, 240));
        drop(recorder);
        writer.finish().unwrap();

        let sheet = sheet(&manifest(), folder.path()).unwrap();
        let middle = |column: u32| {
            let x = GAP + column * (CELL.0 + GAP) + CELL.0 / 2;
            sheet.get_pixel(x, TITLE + CELL.1 / 2).0[0]
        };
        assert_eq!([middle(0), middle(1), middle(2)], [10, 120, 240]);
        let ink = sheet.pixels().filter(|pixel| pixel.0 == INK.0).count();
        assert!(ink > 50, "title and captions are written");
    }
}
