//! Sounds that nobody speaks, made here: the same ones each time.

use std::f32::consts::TAU;

use crate::capture::ring::RATE;

const HZ: f32 = RATE as f32;

pub(crate) fn quiet(seconds: f32) -> Vec<f32> {
    vec![0.0; (seconds * HZ) as usize]
}

/// A source of numbers from -1 to 1.
pub(crate) struct Dice(u32);

impl Dice {
    pub(crate) fn new(seed: u32) -> Self {
        Self(seed)
    }

    pub(crate) fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) as f32 / 32_768.0 - 1.0
    }

    /// One of a few.
    fn pick(&mut self, count: usize) -> usize {
        ((self.roll() + 1.0) * 0.5 * count as f32) as usize % count
    }
}

/// White noise of a level in decibels below full scale (negative).
pub(crate) fn noise(seconds: f32, decibels: f32, seed: u32) -> Vec<f32> {
    // Even numbers from -1 to 1 have a mean square of a third.
    let gain = 10.0_f32.powf(decibels / 20.0) * 3.0_f32.sqrt();
    let mut dice = Dice::new(seed);
    (0..(seconds * HZ) as usize)
        .map(|_| dice.roll() * gain)
        .collect()
}

/// A fan: rushing air whose strength follows the blades, and the motor's hum.
pub(crate) fn fan(seconds: f32) -> Vec<f32> {
    let mut dice = Dice::new(3);
    let (mut low, mut lower) = (0.0, 0.0);
    (0..(seconds * HZ) as usize)
        .map(|i| {
            let t = i as f32 / HZ;
            low += 0.12 * (dice.roll() - low);
            lower += 0.3 * (low - lower);
            let blades = 1.0 + 0.25 * (TAU * 23.0 * t).sin();
            0.25 * lower * blades + 0.02 * (TAU * 120.0 * t).sin() + 0.01 * (TAU * 240.0 * t).sin()
        })
        .collect()
}

/// Somebody types: a knock and a click for each key, in bursts with pauses.
pub(crate) fn keyboard(seconds: f32) -> Vec<f32> {
    let mut dice = Dice::new(5);
    let mut sound = noise(seconds, -62.0, 6);
    let mut at = HZ * 0.3;
    while (at as usize) < sound.len() {
        let (strength, pitch) = (0.25 + 0.1 * dice.roll(), 1800.0 + 600.0 * dice.roll());
        for i in 0..(HZ * 0.05) as usize {
            let t = i as f32 / HZ;
            let knock = (TAU * 190.0 * t).sin() * (-t * 90.0).exp();
            let click = (0.6 * dice.roll() + 0.4 * (TAU * pitch * t).sin()) * (-t * 350.0).exp();
            if let Some(sample) = sound.get_mut(at as usize + i) {
                *sample += strength * (0.5 * knock + click);
            }
        }
        let pause = if dice.pick(7) == 0 { 0.9 } else { 0.0 };
        at += HZ * (0.16 + 0.06 * dice.roll() + pause);
    }
    sound
}

/// A note with overtones: how they fall, how fast it begins and how long it rings (s).
fn note(hz: f32, seconds: f32, tilt: f32, attack: f32, rings: f32, vibrato: f32) -> Vec<f32> {
    (0..(seconds * HZ) as usize)
        .map(|i| {
            let t = i as f32 / HZ;
            let phase = TAU * hz * t + vibrato * (TAU * 5.5 * t).sin();
            let tone: f32 = (1..=8)
                .filter(|n| hz * (*n as f32) < 7000.0)
                .map(|n| tilt.powi(n - 1) * (phase * n as f32).sin())
                .sum();
            let end = ((seconds - t) / 0.02).min(1.0);
            tone * (t / attack).min(1.0) * (-t / rings).exp() * end
        })
        .collect()
}

fn add(sound: &mut [f32], at: f32, part: &[f32], gain: f32) {
    for (sample, part) in sound.iter_mut().skip((at * HZ) as usize).zip(part) {
        *sample += gain * part;
    }
}

/// What plays, and how fast: chords under a melody, with or without drums.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub beats_a_minute: f32,
    pub drums: bool,
    /// The melody's instrument: how its overtones fall, how fast it begins and how long it rings (s), its vibrato.
    pub melody: (f32, f32, f32, f32),
    /// The melody's range, octaves above the chords.
    pub octave: i32,
    pub seed: u32,
}

/// A band, a piano, a bowed string in the range of a voice, a flute.
pub(crate) const STYLES: [Style; 4] = [
    Style {
        beats_a_minute: 118.0,
        drums: true,
        melody: (0.6, 0.005, 0.5, 0.0),
        octave: 1,
        seed: 11,
    },
    Style {
        beats_a_minute: 76.0,
        drums: false,
        melody: (0.45, 0.004, 0.9, 0.0),
        octave: 1,
        seed: 12,
    },
    Style {
        beats_a_minute: 64.0,
        drums: false,
        melody: (0.8, 0.09, 6.0, 0.12),
        octave: 0,
        seed: 13,
    },
    Style {
        beats_a_minute: 96.0,
        drums: true,
        melody: (0.25, 0.06, 4.0, 0.1),
        octave: 2,
        seed: 14,
    },
];

/// Instrumental music.
pub(crate) fn music(seconds: f32, style: Style) -> Vec<f32> {
    let mut sound = quiet(seconds);
    let mut dice = Dice::new(style.seed);
    let beat = 60.0 / style.beats_a_minute;
    let pitch = |half_tones: i32| 220.0 * (half_tones as f32 / 12.0).exp2();
    // A minor, F, C, G; the melody walks on A minor's five tones.
    let chords = [[0, 3, 7], [-4, 0, 3], [3, 7, 10], [-2, 2, 5]];
    let tones = [0, 3, 5, 7, 10, 12];
    let (tilt, attack, rings, vibrato) = style.melody;
    let (mut at, mut step, mut tone) = (0.0, 0, 2_i32);
    while at < seconds {
        let chord = chords[step / 4 % 4];
        if step % 4 == 0 {
            for half_tones in chord {
                let part = note(pitch(half_tones), 4.0 * beat, 0.4, 0.03, 2.5, 0.0);
                add(&mut sound, at, &part, 0.05);
            }
        }
        add(
            &mut sound,
            at,
            &note(pitch(chord[0] - 24), beat, 0.5, 0.01, 0.6, 0.0),
            0.12,
        );
        for half in 0..1 + dice.pick(2) {
            tone = (tone + dice.pick(3) as i32 - 1).clamp(0, 5);
            let hz = pitch(tones[tone as usize] + 12 * style.octave);
            let part = note(hz, beat * 0.95, tilt, attack, rings, vibrato);
            add(&mut sound, at + half as f32 * beat / 2.0, &part, 0.11);
        }
        if style.drums {
            add(
                &mut sound,
                at + beat / 2.0,
                &drum(0.05, 0.0, 90.0, &mut dice),
                0.06,
            );
            if step % 2 == 0 {
                add(&mut sound, at, &drum(0.2, 60.0, 18.0, &mut dice), 0.3);
            } else {
                add(&mut sound, at, &drum(0.15, 180.0, 25.0, &mut dice), 0.15);
            }
        }
        at += beat;
        step += 1;
    }
    let peak = sound
        .iter()
        .fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    sound.iter().map(|sample| sample * 0.5 / peak).collect()
}

/// A stroke: a falling tone under noise; without a tone, noise alone.
fn drum(seconds: f32, hz: f32, decay: f32, dice: &mut Dice) -> Vec<f32> {
    let share = if hz == 0.0 {
        1.0
    } else {
        60.0 / hz.max(120.0) * 0.4
    };
    (0..(seconds * HZ) as usize)
        .map(|i| {
            let t = i as f32 / HZ;
            let tone = (TAU * hz * (t + 0.02 * (1.0 - (-t * 40.0).exp()))).sin();
            ((1.0 - share) * tone + share * dice.roll()) * (-t * decay).exp()
        })
        .collect()
}
