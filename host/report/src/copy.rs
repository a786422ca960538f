//! A copy of a report to send or publish: small, and without paths of the machine.
//!
//! A run's folder holds a hundred megabytes of pictures. The copy has the report and the time lines of chosen episodes, with
//! pictures at half the size as JPEG.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use dynacu_record::RunInfo;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use parking_lot::Mutex;

use crate::model::{Report, TimeLine};
use crate::read::{Error, read_run};
use crate::{report, viewer, write_report};

/// JPEG quality, 1 to 100: letters stay legible at half the size.
const QUALITY: u8 = 70;

/// Reads a run and writes a copy of its report into another folder, with the time line of every episode whose path (relative
/// to the run's folder) contains one of `with`.
///
/// # Errors
/// As for [`crate::write`]; also if the folder is not empty, or one of `with` is in no episode's path.
pub fn copy(run: &Path, to: &Path, with: &[String]) -> Result<Report, Error> {
    if fs::read_dir(to).is_ok_and(|mut inside| inside.next().is_some()) {
        return Err(Error::NotEmpty(to.to_owned()));
    }
    let copied = Mutex::new(BTreeSet::new());
    let run = read_run(run, &|folder, episode, entries| {
        if with.iter().any(|part| episode.path.contains(part)) {
            let here = to.join(&episode.path);
            media(folder, &here)?;
            viewer::write(&here, episode, entries)?;
            let mut copied = copied.lock();
            copied.insert(episode.path.clone());
        }
        Ok(())
    })?;
    let copied = copied.into_inner();
    if let Some(part) = with
        .iter()
        .find(|part| !copied.iter().any(|path| path.contains(*part)))
    {
        return Err(Error::NoEpisode(part.clone()));
    }
    let mut report = report(&run);
    report.run = without_folders(report.run);
    let cells = report.tasks.iter_mut().flat_map(|row| &mut row.cells);
    for episode in cells.flat_map(|cell| &mut cell.episodes) {
        if !copied.contains(&episode.path) {
            episode.time_line = TimeLine::NotCopied;
        }
    }
    fs::create_dir_all(to).map_err(|source| Error::Write {
        path: to.to_owned(),
        source,
    })?;
    write_report(to, &report)?;
    Ok(report)
}

/// Keeps the command line, without the folders in it.
fn without_folders(mut info: RunInfo) -> RunInfo {
    for word in &mut info.command {
        let path = Path::new(word.as_str());
        if path.is_absolute()
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            *word = name.to_owned();
        }
    }
    // Only needed to resume the run.
    info.config = serde_json::Value::Null;
    info
}

/// Pictures, texts and sound of an episode.
fn media(from: &Path, to: &Path) -> Result<(), Error> {
    let read = |path: &Path| {
        fs::read(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })
    };
    let write = |path: &Path, bytes: &[u8]| {
        fs::write(path, bytes).map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })
    };
    let blobs = to.join("blobs");
    fs::create_dir_all(&blobs).map_err(|source| Error::Write {
        path: blobs.clone(),
        source,
    })?;
    for entry in fs::read_dir(from.join("blobs"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let path = entry.path();
        let bytes = read(&path)?;
        let small = path.extension().is_some_and(|kind| kind == "png");
        match small.then(|| smaller(&bytes)).flatten() {
            Some(picture) => {
                let name = blobs.join(entry.file_name()).with_extension("jpg");
                write(&name, &picture)?;
            }
            // Not a picture, or one that cannot be read: copied unchanged.
            None => write(&blobs.join(entry.file_name()), &bytes)?,
        }
    }
    for sound in ["heard.flac", "spoken.flac"] {
        if from.join(sound).is_file() {
            write(&to.join(sound), &read(&from.join(sound))?)?;
        }
    }
    Ok(())
}

fn smaller(png: &[u8]) -> Option<Vec<u8>> {
    let picture = image::load_from_memory(png).ok()?;
    let (width, height) = (picture.width().div_ceil(2), picture.height().div_ceil(2));
    let half = picture
        .resize_exact(width, height, FilterType::Triangle)
        .into_rgb8();
    let mut jpeg = Cursor::new(Vec::new());
    half.write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, QUALITY))
        .ok()?;
    Some(jpeg.into_inner())
}
