//! From samples to the file that a page plays, and back.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::LIMIT;
use crate::speech::Pcm;
use crate::subprocess;

/// Mean level of the stretches with speech, in decibels below full scale.
const LEVEL_DB: f32 = -20.0;
/// No sample is louder.
const PEAK: f32 = 0.89;
/// Bits a second of the Opus files, in thousands.
const KILOBITS: &str = "32";
/// The recognisers' sample rate.
const HEARING_RATE: u32 = 16_000;

/// Brings the stretches with speech to one mean level, so that no speaker is louder than another.
pub(super) fn levelled(pcm: Pcm) -> Pcm {
    let power =
        |samples: &[f32]| samples.iter().map(|s| s * s).sum::<f32>() / samples.len().max(1) as f32;
    let frame = (pcm.rate / 50).max(1) as usize;
    let powers: Vec<f32> = pcm.samples.chunks(frame).map(power).collect();
    // Pauses, 30 dB below the loudest frame, say nothing about how loud the voice is.
    let floor = powers.iter().copied().fold(0.0, f32::max) / 1000.0;
    let voiced: Vec<f32> = powers.into_iter().filter(|power| *power > floor).collect();
    let level = (voiced.iter().sum::<f32>() / voiced.len().max(1) as f32).sqrt();
    let peak = pcm
        .samples
        .iter()
        .fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    if level == 0.0 || peak == 0.0 {
        return pcm;
    }
    let gain = (10.0_f32.powf(LEVEL_DB / 20.0) / level).min(PEAK / peak);
    Pcm {
        rate: pcm.rate,
        samples: pcm
            .samples
            .into_iter()
            .map(|sample| sample * gain)
            .collect(),
    }
}

pub(super) fn encode(pcm: &Pcm, serial: u32) -> Result<Vec<u8>> {
    let bytes: Vec<u8> = pcm
        .samples
        .iter()
        .flat_map(|sample| ((sample * 32767.0).round() as i16).to_le_bytes())
        .collect();
    let mut command = Command::new("opusenc");
    command
        .args([
            "--quiet",
            "--raw",
            "--raw-bits",
            "16",
            "--raw-chan",
            "1",
            "--raw-rate",
            &pcm.rate.to_string(),
        ])
        .args([
            "--bitrate",
            KILOBITS,
            "--speech",
            "--padding",
            "0",
            "--serial",
            &serial.to_string(),
            "-",
            "-",
        ]);
    let ended = subprocess::run(&mut command, &bytes, LIMIT)
        .context("rendering needs opusenc (Debian package opus-tools)")?;
    if !ended.success {
        bail!("opusenc failed: {}", ended.stderr);
    }
    Ok(ended.stdout)
}

/// The samples of an Ogg Opus file at the recognisers' rate.
///
/// # Errors
/// `opusdec` is missing or refuses the file.
pub fn decode(file: &Path) -> Result<Vec<f32>> {
    let mut command = Command::new("opusdec");
    command
        .args([
            "--quiet",
            "--no-dither",
            "--rate",
            &HEARING_RATE.to_string(),
        ])
        .arg(file)
        .arg("-");
    let ended = subprocess::run(&mut command, b"", LIMIT)
        .context("checking speech needs opusdec (Debian package opus-tools)")?;
    if !ended.success {
        bail!("opusdec failed on {}: {}", file.display(), ended.stderr);
    }
    Ok(ended
        .stdout
        .as_chunks::<2>()
        .0
        .iter()
        .map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32768.0)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loud_and_quiet_voices_come_out_alike() {
        let level = |gain: f32| {
            let samples = (0..24_000).map(|n| gain * (n as f32 * 0.1).sin()).collect();
            let pcm = levelled(Pcm {
                rate: 24_000,
                samples,
            });
            (pcm.samples.iter().map(|s| s * s).sum::<f32>() / 24_000.0).sqrt()
        };
        assert!((level(0.05) - 0.1).abs() < 0.002 && (level(0.9) - 0.1).abs() < 0.002);
    }
}
