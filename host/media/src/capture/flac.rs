//! Writing sound losslessly: `heard.flac` and `spoken.flac`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flacenc::bitsink::ByteSink;
use flacenc::component::BitRepr;
use flacenc::error::Verify;
use flacenc::source::MemSource;

/// Why sound was not written.
#[derive(Debug, thiserror::Error)]
pub enum FlacError {
    #[error("{0} Hz is no sample rate of FLAC")]
    Rate(u32),
    #[error("the FLAC encoder failed: {0}")]
    Encoder(String),
    #[error("cannot write {}: {reason}", path.display())]
    Unwritten { path: PathBuf, reason: io::Error },
}

/// Writes mono 16-bit sound as FLAC. The file appears whole or not at all.
///
/// # Errors
/// When the rate is none that FLAC knows, or the folder cannot be written to.
pub fn write(path: &Path, rate: u32, samples: &[i16]) -> Result<(), FlacError> {
    let bytes = encode(rate, samples)?;
    let written = || -> io::Result<()> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&bytes)?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|reason| FlacError::Unwritten {
        path: path.to_owned(),
        reason,
    })
}

fn encode(rate: u32, samples: &[i16]) -> Result<Vec<u8>, FlacError> {
    if !(1..=96_000).contains(&rate) {
        return Err(FlacError::Rate(rate));
    }
    let failed = |error: &dyn std::fmt::Display| FlacError::Encoder(error.to_string());
    let config = flacenc::config::Encoder::default()
        .into_verified()
        .map_err(|(_, error)| failed(&error))?;
    let samples: Vec<i32> = samples.iter().map(|sample| i32::from(*sample)).collect();
    let source = MemSource::from_samples(&samples, 1, 16, rate as usize);
    let stream = flacenc::encode_with_fixed_block_size(&config, source, config.block_size)
        .map_err(|error| failed(&error))?;
    let mut sink = ByteSink::new();
    stream.write(&mut sink).map_err(|error| failed(&error))?;
    Ok(sink.as_slice().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_reference_decoder_gives_the_samples_back() {
        let folder = tempfile::tempdir().unwrap();
        for (rate, length) in [
            (16_000_u32, 50_001_usize),
            (22_050, 1),
            (16_000, 4096),
            (16_000, 0),
        ] {
            let samples: Vec<i16> = (0..length)
                .map(|n| ((n as f32 * 0.05).sin() * 20_000.0) as i16 + ((n * 7919) % 301) as i16)
                .collect();
            let path = folder.path().join("sound.flac");
            write(&path, rate, &samples).unwrap();
            // An empty file has no frames; the decoder reads its header all the same.
            let decoded = Command::new("flac")
                .args([
                    "-d",
                    "-s",
                    "-c",
                    "--force-raw-format",
                    "--endian=little",
                    "--sign=signed",
                ])
                .arg(&path)
                .output()
                .unwrap();
            assert!(
                decoded.status.success(),
                "{length}: {}",
                String::from_utf8_lossy(&decoded.stderr)
            );
            let expected: Vec<u8> = samples
                .iter()
                .flat_map(|sample| sample.to_le_bytes())
                .collect();
            assert!(
                decoded.stdout == expected,
                "{length} samples at {rate} Hz came back changed"
            );
            let tested = Command::new("flac")
                .args(["-t", "-s"])
                .arg(&path)
                .status()
                .unwrap();
            assert!(tested.success());
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = write(Path::new("/nowhere/at/all.flac"), 16_000, &[0]).unwrap_err();
        assert!(format!("{error:#}").contains("/nowhere/at/all.flac"));
    }
}
