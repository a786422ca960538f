//! Noise and its loudness: made from numbers, the same every time.

/// A small generator of noise; quality does not matter, repeatability does.
#[derive(Debug, Clone)]
pub struct Noise(u64);

impl Noise {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// From -1 to 1, evenly.
    pub fn sample(&mut self) -> f32 {
        // Multiplier of a well-known linear congruential generator; the upper bits are the good ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) as f32 / (1_u64 << 23) as f32) - 1.0
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f32 {
        (self.sample() + 1.0) / 2.0
    }
}

/// Mean of the squares.
#[must_use]
pub fn power(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len().max(1) as f32
}

/// Brings a sound to a level in decibels below full scale (of its mean power).
#[must_use]
pub fn at_level(mut samples: Vec<f32>, level: f32) -> Vec<f32> {
    let gain = 10_f32.powf(level / 20.0) / power(&samples).sqrt().max(1e-9);
    for sample in &mut samples {
        *sample = (*sample * gain).clamp(-1.0, 1.0);
    }
    samples
}

/// A room full of people and machines, without words: noise with more of the low than of the high.
#[must_use]
pub fn room(samples: usize, seed: u64) -> Vec<f32> {
    let mut noise = Noise::new(seed);
    let (mut slow, mut slower) = (0.0, 0.0);
    (0..samples)
        .map(|_| {
            let white = noise.sample();
            slow += 0.3 * (white - slow);
            slower += 0.04 * (white - slower);
            0.25 * white + slow + 2.0 * slower
        })
        .collect()
}
