//! Sounds that are no speech, and speech with noise laid over it: made from numbers, the same every time. All at 16 kHz.

use std::f32::consts::TAU;

use dynacu_host::studio::render::noise::{Noise, at_level, power, room};

/// Samples a second.
pub const RATE: usize = 16_000;

/// Lays noise over speech; `ratio` is how many decibels the speech's loud stretches are above the noise.
#[must_use]
pub fn with_noise(speech: &[f32], ratio: f32, seed: u64) -> Vec<f32> {
    let frames: Vec<f32> = speech.chunks(RATE / 50).map(power).collect();
    let floor = frames.iter().copied().fold(0.0, f32::max) / 1000.0;
    let voiced: Vec<f32> = frames.into_iter().filter(|power| *power > floor).collect();
    let level = voiced.iter().sum::<f32>() / voiced.len().max(1) as f32;
    let noise = at_level(
        room(speech.len(), seed),
        10.0 * level.max(1e-12).log10() - ratio,
    );
    speech
        .iter()
        .zip(noise)
        .map(|(speech, noise)| (speech + noise).clamp(-1.0, 1.0))
        .collect()
}

/// Sounds in which nobody speaks, by name.
#[must_use]
pub fn no_speech(seconds: usize) -> Vec<(&'static str, Vec<f32>)> {
    let count = seconds * RATE;
    let white = |level| {
        let mut noise = Noise::new(5);
        at_level((0..count).map(|_| noise.sample()).collect(), level)
    };
    vec![
        ("silence", vec![0.0; count]),
        ("white noise at -60 dB", white(-60.0)),
        ("white noise at -50 dB", white(-50.0)),
        ("white noise at -30 dB", white(-30.0)),
        ("a room at -35 dB", at_level(room(count, 6), -35.0)),
        ("slow music", at_level(music(count, 72.0, false, 7), -20.0)),
        (
            "music with drums",
            at_level(music(count, 118.0, true, 8), -18.0),
        ),
        ("a fan", at_level(fan(count), -30.0)),
        ("a keyboard", at_level(keyboard(count), -38.0)),
        ("a ringing telephone", at_level(telephone(count), -24.0)),
    ]
}

/// Chords, a melody over them, a bass, and drums if wanted.
fn music(count: usize, beats_a_minute: f32, drums: bool, seed: u64) -> Vec<f32> {
    /// Steps of a scale above its root, in semitones.
    const SCALE: [i32; 7] = [0, 2, 4, 5, 7, 9, 11];
    const CHORDS: [usize; 4] = [0, 5, 3, 4];
    let mut noise = Noise::new(seed);
    let beat = (RATE as f32 * 60.0 / beats_a_minute) as usize;
    let pitch = |step: i32| {
        let semitone = SCALE[step.rem_euclid(7) as usize] + 12 * step.div_euclid(7);
        220.0 * 2_f32.powf(semitone as f32 / 12.0)
    };
    let mut sound = vec![0.0; count];
    // Partials that fade at different speeds, as a struck string's do.
    let strike = |sound: &mut [f32], start: usize, pitch: f32, length: f32, loud: f32| {
        let end = sound.len().min(start + (length * RATE as f32) as usize);
        for (at, sample) in sound[start.min(end)..end].iter_mut().enumerate() {
            let time = at as f32 / RATE as f32;
            let attack = (time * 200.0).min(1.0);
            for partial in 1..=5_u8 {
                let number = f32::from(partial);
                let fade = (-time * (1.2 + number * 0.9)).exp();
                *sample +=
                    loud * attack * fade * (TAU * pitch * number * time).sin() / (number * number);
            }
        }
    };
    let mut melody = 7_i32;
    for number in 0..count / beat.max(1) {
        let start = number * beat;
        let root = CHORDS[(number / 4) % CHORDS.len()] as i32;
        if number % 4 == 0 {
            for step in [0, 2, 4] {
                strike(&mut sound, start, pitch(root + step), 4.0, 0.3);
            }
        }
        strike(&mut sound, start, pitch(root - 7), 1.2, 0.5);
        for half in 0..2 {
            if noise.share() < 0.7 {
                melody = (melody + (noise.sample() * 3.0) as i32).clamp(3, 13);
                strike(&mut sound, start + half * beat / 2, pitch(melody), 1.0, 0.5);
            }
        }
        if drums {
            for (part, low) in [(0, true), (1, false)] {
                let from = start + part * beat / 2;
                for at in 0..(RATE / 8).min(count.saturating_sub(from)) {
                    let time = at as f32 / RATE as f32;
                    sound[from + at] += if low {
                        1.2 * (-time * 28.0).exp()
                            * (TAU * (48.0 + 60.0 * (-time * 40.0).exp()) * time).sin()
                    } else {
                        0.5 * (-time * 45.0).exp() * noise.sample()
                    };
                }
            }
        }
    }
    sound
}

/// Rushing air with the hum of a motor that is not quite even.
fn fan(count: usize) -> Vec<f32> {
    let air = room(count, 11);
    (0..count)
        .map(|at| {
            let time = at as f32 / RATE as f32;
            let sway = 1.0 + 0.1 * (TAU * 0.7 * time).sin();
            let hum = (TAU * 100.0 * time).sin() + 0.4 * (TAU * 200.3 * time).sin();
            air[at] * sway + 0.5 * hum
        })
        .collect()
}

/// Key clicks, four to nine a second, with pauses to think.
fn keyboard(count: usize) -> Vec<f32> {
    let mut noise = Noise::new(13);
    let mut sound = vec![0.0; count];
    let mut at = 0;
    while at < count {
        let loud = 0.4 + 0.6 * noise.share();
        for click in 0..(RATE / 40).min(count - at) {
            let time = click as f32 / RATE as f32;
            let ring = (TAU * 2300.0 * time).sin() * 0.5 + noise.sample();
            sound[at + click] += loud * (-time * 260.0).exp() * ring;
        }
        let pause = if noise.share() < 0.06 {
            1.5
        } else {
            0.11 + 0.14 * noise.share()
        };
        at += (pause * RATE as f32) as usize;
    }
    sound
}

/// Two tones for a second, then a pause of three.
fn telephone(count: usize) -> Vec<f32> {
    (0..count)
        .map(|at| {
            let time = at as f32 / RATE as f32;
            let rings = time % 4.0 < 1.0;
            let tone = (TAU * 440.0 * time).sin() + (TAU * 480.0 * time).sin();
            if rings { tone } else { 0.0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(samples: &[f32]) -> f32 {
        10.0 * power(samples).max(1e-12).log10()
    }

    #[test]
    fn sounds_have_the_level_that_they_are_named_after() {
        for (name, sound) in no_speech(4) {
            assert_eq!(sound.len(), 4 * RATE, "{name}");
            let named: Option<f32> = name
                .split_once(" at ")
                .and_then(|(_, level)| level.trim_end_matches(" dB").parse().ok());
            if let Some(named) = named {
                assert!(
                    (level(&sound) - named).abs() < 0.5,
                    "{name}: {}",
                    level(&sound)
                );
            }
            assert_eq!(level(&sound) > -80.0, name != "silence", "{name}");
        }
        assert_eq!(no_speech(1)[6], no_speech(1)[6], "the same every time");
    }

    #[test]
    fn noise_lies_ten_decibels_below_the_voice() {
        let mut speech = vec![0.0; 2 * RATE];
        for (at, sample) in speech[RATE / 2..RATE].iter_mut().enumerate() {
            *sample = 0.2 * (at as f32 * 0.5).sin();
        }
        let noisy = with_noise(&speech, 10.0, 1);
        let voice = level(&speech[RATE / 2..RATE]);
        assert!((level(&noisy[RATE..]) - (voice - 10.0)).abs() < 1.0);
    }
}
