//! Changing the sample rate of a whole clip.

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Resampler};

use crate::error::SoundError;

/// Resamples a mono clip; the result lines up with the input, with no delay at its start.
///
/// # Errors
/// When a rate is 0 or the resampler refuses the pair of rates.
pub fn resample(samples: &[f32], from: u32, to: u32) -> Result<Vec<f32>, SoundError> {
    if from == to || samples.is_empty() {
        return Ok(samples.to_vec());
    }
    let refused = |error: &dyn std::fmt::Display| SoundError::Rate {
        from,
        to,
        reason: error.to_string(),
    };
    let mut resampler = Fft::<f32>::new(from as usize, to as usize, 1024, 1, FixedSync::Both)
        .map_err(|error| refused(&error))?;
    let input =
        InterleavedSlice::new(samples, 1, samples.len()).map_err(|error| refused(&error))?;
    let output = resampler
        .process_all(&input, samples.len(), None)
        .map_err(|error| refused(&error))?;
    Ok(output.take_data())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_keeps_its_pitch_length_and_strength() {
        for from in [22_050_u32, 24_000, 48_000] {
            let tone: Vec<f32> = (0..from)
                .map(|n| 0.5 * (std::f32::consts::TAU * 440.0 * n as f32 / from as f32).sin())
                .collect();
            let result = resample(&tone, from, 16_000).unwrap();
            assert_eq!(result.len(), 16_000);
            let crossings = result
                .windows(2)
                .filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0)
                .count();
            assert!((438..=442).contains(&crossings), "{crossings}");
            let rms = (result.iter().map(|s| s * s).sum::<f32>() / 16_000.0).sqrt();
            assert!((rms - 0.3535).abs() < 0.01, "{rms}");
        }
    }
}
