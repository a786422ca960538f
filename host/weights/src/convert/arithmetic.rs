//! The arithmetic of the conversion: half floats, 8-bit blocks, Whisper's filter bank.
//!
//! Additions, multiplications and roundings only, which every machine does alike.

use super::{FFT_BINS, MELS};

pub(super) fn quantise(block: &[f32], out: &mut Vec<u8>) {
    let scale = block.iter().fold(0f32, |most, value| most.max(value.abs())) / 127.0;
    let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
    out.extend(f16_from_f32(scale).to_le_bytes());
    out.extend(
        block
            .iter()
            .map(|value| ((value * inverse).round() as i8).to_le_bytes()[0]),
    );
}

pub(super) fn f32_from_f16(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10) & 31;
    let mantissa = u32::from(half & 0x3ff);
    match exponent {
        // Subnormal: 2^-24 units, exact in f32.
        0 => f32::from_bits(sign | (mantissa as f32 / 16_777_216.0).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | mantissa << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | mantissa << 13),
    }
}

/// For scales: not negative, far below the largest half. Rounds to nearest, ties to even.
fn f16_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 112;
    if exponent <= 0 {
        return (value * 16_777_216.0).round_ties_even() as u16;
    }
    // The carry of the rounding runs into the exponent, as it must.
    let rounded = bits + 0xfff + (bits >> 13 & 1);
    ((rounded >> 13) - (112 << 10)).min(0x7c00) as u16
}

/// 80 triangles over the bins of a 400-point FFT at 16 kHz: Slaney's scale (linear to 1 kHz, then
/// logarithmic) and his norm (equal area).
pub(super) fn mel_filters() -> Vec<f32> {
    const LN_6_4: f64 = 1.856_297_990_365_626_3;
    const HZ_PER_MEL: f64 = 200.0 / 3.0;
    let hertz = |mel: f64| {
        if mel < 15.0 {
            mel * HZ_PER_MEL
        } else {
            1000.0 * exponential((mel - 15.0) * LN_6_4 / 27.0)
        }
    };
    // 8 kHz: three doublings above 1 kHz.
    let top = 15.0 + 27.0 * 3.0 * std::f64::consts::LN_2 / LN_6_4;
    let edges: Vec<f64> = (0..MELS + 2)
        .map(|i| hertz(top * i as f64 / (MELS + 1) as f64))
        .collect();
    let mut filters = Vec::with_capacity(MELS * FFT_BINS);
    for edge in edges.windows(3) {
        let (low, middle, high) = (edge[0], edge[1], edge[2]);
        for bin in 0..FFT_BINS {
            let frequency = bin as f64 * 40.0;
            let up = (frequency - low) / (middle - low);
            let down = (high - frequency) / (high - middle);
            filters.push((up.min(down).max(0.0) * 2.0 / (high - low)) as f32);
        }
    }
    filters
}

/// e^x for 0 ≤ x < 3 from additions and multiplications only: the last bit of a system's own `exp` can differ.
fn exponential(x: f64) -> f64 {
    (1..40)
        .rev()
        .fold(1.0, |sum, n| 1.0 + sum * x / f64::from(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_survive_both_ways() {
        for bits in (0..0x7c00u16).step_by(7) {
            assert_eq!(f16_from_f32(f32_from_f16(bits)), bits);
        }
        assert_eq!(f32_from_f16(0xc000), -2.0);
        assert_eq!(f16_from_f32(0.1), 0x2e66);
    }

    #[test]
    fn a_block_keeps_its_values_within_half_a_step() {
        let block: Vec<f32> = (0..32).map(|i| (i as f32 - 16.0) * 0.01).collect();
        let mut out = Vec::new();
        quantise(&block, &mut out);
        assert_eq!(out.len(), 34);
        let scale = f32_from_f16(u16::from_le_bytes([out[0], out[1]]));
        for (value, byte) in block.iter().zip(&out[2..]) {
            assert!((f32::from(*byte as i8) * scale - value).abs() <= scale * 0.51);
        }
    }

    #[test]
    fn the_filter_bank_is_the_known_one() {
        let filters = mel_filters();
        assert_eq!(filters.len(), 80 * 201);
        // First and last entries that are not zero, as published with the original model.
        assert!((filters[1] - 0.024_862_595).abs() < 1e-7);
        assert!((filters[201 + 1] - 0.001_990_821_2).abs() < 1e-7);
        assert!((exponential(2.0) - 2f64.exp()).abs() < 1e-14);
    }
}
