//! Who speaks: a light measure of a voice, enough to tell whether the next sentence is somebody else's.
//!
//! Pitch and the mean shape of the spectrum over the voiced parts of a sentence. It is no identification: two voices of one
//! pitch and kind can be too near to each other, and a short sentence says little about a voice.

use crate::capture::ring::RATE;

/// Samples that are looked at at once (64 ms: four periods of a deep voice), and from one to the next.
const FRAME: usize = 1024;
const HOP: usize = 320;
/// Room for the autocorrelation.
const POINTS: usize = 2 * FRAME;
/// The pitch of voices (Hz).
const LOWEST: usize = 65;
const HIGHEST: usize = 400;
/// A frame is voiced where it repeats itself this well.
const VOICED: f32 = 0.55;
/// Frames this much weaker than the loudest (power) are pauses.
const FLOOR: f32 = 0.003;
/// Fewer voiced frames tell too little: 0.8 s (a voice's last words of 1.3 s were once taken for another's).
const FEWEST: usize = 40;
const BANDS: usize = 24;
/// The band edges (Hz).
const BAND_FROM: f32 = 120.0;
const BAND_TO: f32 = 7000.0;
const SHAPES: usize = 12;
/// What pitch and shape vary by from sentence to sentence of one voice (standard deviations; seven of the tasks' voices).
const PITCH_VARIES: f32 = 0.034;
const SHAPE_VARIES: [f32; SHAPES] = [
    0.062, 0.065, 0.061, 0.058, 0.031, 0.026, 0.022, 0.034, 0.017, 0.025, 0.023, 0.024,
];
/// Farther apart than this is another voice. A turn that is missed joins nothing, one that is false splits what one person says, so
/// the threshold lies above what divides the seven voices best (9.8 is the largest distance within one, 10.0 the smallest between
/// two). With what features vary by taken from one half of the voices and the other half judged (all 70 halvings), 0.6 % of the pairs
/// of one voice are taken for two and 2.7 % of the pairs of two voices for one; at 11 it is 4.9 % and 0.3 %. People vary more.
const ANOTHER: f32 = 13.0;

/// A voice as one sentence shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VoicePrint {
    /// Median pitch, octaves above 1 Hz.
    pub pitch: f32,
    /// Mean shape of the logarithmic spectrum: its cosine transform without the level.
    pub shape: [f32; SHAPES],
    /// Voiced frames behind these.
    pub frames: usize,
}

impl VoicePrint {
    /// The voice in 16 kHz samples; none if too little of them is voiced.
    #[must_use]
    pub(crate) fn of(samples: &[f32]) -> Option<Self> {
        let power = |frame: &[f32]| frame.iter().map(|s| s * s).sum::<f32>();
        let frames: Vec<&[f32]> = samples.windows(FRAME).step_by(HOP).collect();
        let floor = frames.iter().map(|frame| power(frame)).fold(0.0, f32::max) * FLOOR;
        let bands = bands();
        let (mut pitches, mut shape) = (Vec::new(), [0.0; SHAPES]);
        for frame in frames {
            if power(frame) <= floor {
                continue;
            }
            let spectrum = spectrum(frame);
            let Some(pitch) = pitch(&spectrum) else {
                continue;
            };
            pitches.push(pitch.log2());
            for (sum, value) in shape.iter_mut().zip(cosines(&spectrum, &bands)) {
                *sum += value;
            }
        }
        if pitches.len() < FEWEST {
            return None;
        }
        let count = pitches.len();
        pitches.sort_by(f32::total_cmp);
        Some(Self {
            pitch: pitches[count / 2],
            shape: shape.map(|sum| sum / count as f32),
            frames: count,
        })
    }
    /// How unlike two voices are. Each feature counts in units of what it varies by from sentence to sentence of one voice.
    #[must_use]
    pub(crate) fn distance(&self, other: &Self) -> f32 {
        let pitch = (self.pitch - other.pitch) / PITCH_VARIES;
        let shape = self.shape.iter().zip(&other.shape).zip(SHAPE_VARIES);
        let shape: f32 = shape
            .map(|((a, b), varies)| ((a - b) / varies).powi(2))
            .sum();
        (pitch * pitch + shape).sqrt()
    }

    /// Whether somebody else speaks.
    #[must_use]
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.distance(other) > ANOTHER
    }

    /// What both show of one voice.
    #[must_use]
    pub(crate) fn with(&self, other: &Self) -> Self {
        let frames = self.frames + other.frames;
        let share = other.frames as f32 / frames.max(1) as f32;
        let between = |a: f32, b: f32| a + (b - a) * share;
        Self {
            pitch: between(self.pitch, other.pitch),
            shape: std::array::from_fn(|i| between(self.shape[i], other.shape[i])),
            frames,
        }
    }
}

/// Power at each frequency up to half the rate.
fn spectrum(frame: &[f32]) -> Vec<f32> {
    let mut re: Vec<f32> = frame
        .iter()
        .enumerate()
        .map(|(i, sample)| {
            let phase = std::f32::consts::TAU * i as f32 / (FRAME - 1) as f32;
            sample * (0.5 - 0.5 * phase.cos())
        })
        .collect();
    re.resize(POINTS, 0.0);
    let mut im = vec![0.0; POINTS];
    transform(&mut re, &mut im);
    (0..=POINTS / 2)
        .map(|i| re[i] * re[i] + im[i] * im[i])
        .collect()
}

/// The pitch of a voiced frame (Hz).
fn pitch(spectrum: &[f32]) -> Option<f32> {
    // The transform of the power is the autocorrelation.
    let mut re: Vec<f32> = (0..POINTS).map(|i| spectrum[i.min(POINTS - i)]).collect();
    let mut im = vec![0.0; POINTS];
    transform(&mut re, &mut im);
    let lags = RATE as usize / HIGHEST..=RATE as usize / LOWEST;
    // The window's own fading must not favour short periods.
    let window = |lag: usize| {
        let x = lag as f32 / FRAME as f32;
        let tau = std::f32::consts::TAU;
        (1.0 - x) * (2.0 + (tau * x).cos()) / 3.0 + (tau * x).sin() / tau
    };
    let likeness = |lag: usize| re[lag] / (re[0] * window(lag)).max(f32::MIN_POSITIVE);
    let peak = lags.clone().map(likeness).fold(0.0, f32::max);
    // The first lag that is nearly as good as the best: multiples of a period are as good.
    let best = lags.into_iter().find(|lag| {
        likeness(*lag) >= 0.9 * peak
            && likeness(*lag) >= likeness(lag - 1)
            && likeness(*lag) >= likeness(lag + 1)
    })?;
    (peak >= VOICED).then(|| RATE as f32 / best as f32)
}

/// For each band its first, middle and last point of the spectrum, evenly spaced by ear.
fn bands() -> Vec<[usize; 3]> {
    let mel = |hz: f32| (1.0 + hz / 700.0).ln();
    let hz = |mel: f32| (mel.exp() - 1.0) * 700.0;
    let step = (mel(BAND_TO) - mel(BAND_FROM)) / (BANDS + 1) as f32;
    let point = |i: usize| {
        (hz(mel(BAND_FROM) + step * i as f32) * POINTS as f32 / RATE as f32).round() as usize
    };
    (0..BANDS)
        .map(|i| [point(i), point(i + 1), point(i + 2)])
        .collect()
}

fn cosines(spectrum: &[f32], bands: &[[usize; 3]]) -> [f32; SHAPES] {
    let levels: Vec<f32> = bands
        .iter()
        .map(|[from, middle, to]| {
            let weight = |i: usize| {
                if i <= *middle {
                    (i - from) as f32 / (middle - from).max(1) as f32
                } else {
                    (to - i) as f32 / (to - middle).max(1) as f32
                }
            };
            let energy: f32 = (*from..=*to).map(|i| weight(i) * spectrum[i]).sum();
            (energy + 1e-9).ln()
        })
        .collect();
    std::array::from_fn(|k| {
        levels
            .iter()
            .enumerate()
            .map(|(i, level)| {
                level
                    * (std::f32::consts::PI * (k + 1) as f32 * (i as f32 + 0.5) / BANDS as f32)
                        .cos()
            })
            .sum::<f32>()
            / BANDS as f32
    })
}

/// Fourier transform in place; the length is a power of two.
fn transform(re: &mut [f32], im: &mut [f32]) {
    let n = re.len();
    let shift = usize::BITS - n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> shift;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (sin, cos) = (-std::f32::consts::PI * k as f32 / half as f32).sin_cos();
            for i in (k..n).step_by(2 * half) {
                let j = i + half;
                let (x, y) = (re[j] * cos - im[j] * sin, re[j] * sin + im[j] * cos);
                (re[j], im[j]) = (re[i] - x, im[i] - y);
                (re[i], im[i]) = (re[i] + x, im[i] + y);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buzz of a pitch with the strength of its overtones falling by `tilt` from one to the next.
    fn buzz(hz: f32, tilt: f32, seconds: f32) -> Vec<f32> {
        (0..(seconds * RATE as f32) as usize)
            .map(|i| {
                let phase = std::f32::consts::TAU * hz * i as f32 / RATE as f32;
                let overtones = 1..=(3500.0 / hz) as i32;
                overtones
                    .map(|n| tilt.powi(n - 1) * (phase * n as f32).sin())
                    .sum::<f32>()
                    * 0.1
            })
            .collect()
    }

    #[test]
    fn pitch_is_measured_to_a_twentieth_of_an_octave() {
        for hz in [80.0, 110.0, 205.0, 330.0] {
            let print = VoicePrint::of(&buzz(hz, 0.7, 1.0)).unwrap();
            assert!(
                (print.pitch.exp2() / hz).log2().abs() < 0.05,
                "{hz}: {}",
                print.pitch.exp2()
            );
        }
    }

    #[test]
    fn noise_and_silence_have_no_voice() {
        let mut seed = 1_u32;
        let noise: Vec<f32> = (0..RATE)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 16) as f32 / 65_536.0 - 0.5
            })
            .collect();
        assert_eq!(VoicePrint::of(&noise), None);
        assert_eq!(VoicePrint::of(&vec![0.0; RATE as usize]), None);
        assert_eq!(VoicePrint::of(&buzz(110.0, 0.7, 0.2)), None);
    }
}
