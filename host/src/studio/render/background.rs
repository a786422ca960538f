//! What is heard behind the voices of a clip. Made from numbers, the same for the same clip every time.

use std::f32::consts::TAU;

use super::noise::{Noise, at_level, room};
use crate::speech::Pcm;
use crate::task::{Background, BackgroundSound};

/// The voices' mean level in decibels below full scale, which `levelled` brings them to.
const VOICES_DB: f32 = -20.0;
/// Seconds in which the background comes in and goes out.
const FADE: f32 = 0.25;
/// What a telephone line passes, in hertz.
const LINE: (f32, f32) = (300.0, 3400.0);

/// Lays a background behind a clip.
pub(super) fn behind(voices: Pcm, background: Background) -> Pcm {
    let (count, rate) = (voices.samples.len(), voices.rate as f32);
    let sound = match background.sound {
        BackgroundSound::Room => room(count, 11),
        BackgroundSound::Crowd => crowd(count, rate),
        BackgroundSound::Music => music(count, rate),
    };
    let fade = (FADE * rate) as usize;
    let mixed = voices
        .samples
        .iter()
        .zip(at_level(sound, VOICES_DB + background.level))
        .enumerate()
        .map(|(at, (voice, behind))| {
            let edge = at.min(count - 1 - at).min(fade) as f32 / fade.max(1) as f32;
            (voice + behind * edge).clamp(-1.0, 1.0)
        })
        .collect();
    Pcm {
        rate: voices.rate,
        samples: mixed,
    }
}

/// Cuts what a telephone line does not pass, twelve decibels an octave at each end.
pub(super) fn over_a_telephone(mut sound: Pcm) -> Pcm {
    let rate = sound.rate as f32;
    for _ in 0..2 {
        let (mut low, mut high) = (0.0, 0.0);
        let smooth = |cut: f32| 1.0 - (-TAU * cut / rate).exp();
        let (below, above) = (smooth(LINE.0), smooth(LINE.1));
        for sample in &mut sound.samples {
            high += above * (*sample - high);
            low += below * (high - low);
            *sample = high - low;
        }
    }
    sound
}

/// Eight speakers of hums whose pitch and loudness wander like speech; no word can be made out because there is none.
fn crowd(count: usize, rate: f32) -> Vec<f32> {
    let mut all = vec![0.0; count];
    for speaker in 0..8_u8 {
        let mut noise = Noise::new(100 + u64::from(speaker));
        let pitch = 95.0 + 22.0 * f32::from(speaker);
        let (mut phase, mut loud, mut goal, mut left, mut bend) = (0.0_f32, 0.0_f32, 0.0, 0, 1.0);
        for sample in &mut all {
            if left == 0 {
                // A syllable of 0.1 to 0.3 s; now and then a pause.
                left = ((0.1 + 0.2 * noise.share()) * rate) as usize;
                goal = if noise.share() < 0.25 {
                    0.0
                } else {
                    0.4 + 0.6 * noise.share()
                };
                bend = 0.9 + 0.25 * noise.share();
            }
            left -= 1;
            loud += (goal - loud) * 30.0 / rate;
            phase = (phase + pitch * bend / rate).fract();
            // Harmonics under a vowel-like hill around the fifth, and some breath.
            let tone: f32 = (1_u8..=9)
                .map(|n| {
                    let n = f32::from(n);
                    (TAU * phase * n).sin() / (1.0 + (n - 5.0).abs())
                })
                .sum();
            *sample += loud * (tone + 0.25 * noise.sample());
        }
    }
    all
}

/// Chords of three notes, two seconds each, that swell and fade.
fn music(count: usize, rate: f32) -> Vec<f32> {
    const CHORDS: [[f32; 3]; 4] = [
        [220.0, 261.63, 329.63],
        [174.61, 220.0, 261.63],
        [196.0, 246.94, 293.66],
        [164.81, 196.0, 246.94],
    ];
    (0..count)
        .map(|at| {
            let seconds = at as f32 / rate;
            let chord = CHORDS[(seconds / 2.0) as usize % CHORDS.len()];
            let swell = (TAU * seconds / 4.0).sin().abs();
            let notes: f32 = chord
                .iter()
                .map(|note| (TAU * note * seconds).sin() + 0.3 * (2.0 * TAU * note * seconds).sin())
                .sum();
            notes * (0.2 + 0.8 * swell)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(samples: &[f32]) -> f32 {
        10.0 * (samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32).log10()
    }

    fn silence() -> Pcm {
        Pcm {
            rate: 24_000,
            samples: vec![0.0; 96_000],
        }
    }

    #[test]
    fn a_background_has_the_level_asked_for_and_is_the_same_each_time() {
        for sound in [
            BackgroundSound::Room,
            BackgroundSound::Crowd,
            BackgroundSound::Music,
        ] {
            let background = Background {
                sound,
                level: -15.0,
            };
            let once = behind(silence(), background);
            assert_eq!(once, behind(silence(), background));
            let level = power(&once.samples);
            assert!((-37.5..=-34.0).contains(&level), "{sound:?}: {level}");
            assert_eq!(once.samples[0], 0.0, "it comes in softly");
        }
    }

    #[test]
    fn a_telephone_passes_the_middle_only() {
        let tone = |hertz: f32| {
            let samples = (0..24_000).map(|at| (TAU * hertz * at as f32 / 24_000.0).sin());
            power(
                &over_a_telephone(Pcm {
                    rate: 24_000,
                    samples: samples.collect(),
                })
                .samples,
            )
        };
        assert!(tone(1000.0) > -7.0, "{}", tone(1000.0));
        assert!(tone(60.0) < tone(1000.0) - 20.0);
        assert!(tone(9000.0) < tone(1000.0) - 8.0);
    }
}
