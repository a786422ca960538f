//! One number for each tile of a frame: what two frames have in common is then known without looking at either again.
//!
//! Comparing a frame with the one before reads both, and the older one has long left the processor's cache. A number made
//! of each part of the new one while that is being copied costs a fraction of it, and serves every later comparison too.

/// Side of a tile in pixels.
pub const TILE: u32 = 64;

/// Bytes of one row of a tile.
pub const BLOCK: usize = TILE as usize * 4;

/// Running sums of one tile; four, because a multiplication takes longer than what it multiplies takes to arrive.
type Sums = [u64; 4];

/// Bytes of one row of tiles in frames that are so many pixels wide.
pub(crate) fn band_bytes(width: u32) -> usize {
    (width * TILE * 4).max(4) as usize
}

/// A number for each tile of one row of tiles, from left to right; the last may be narrower, all may be lower. Each step of
/// a sum can be undone, so a single change always shows; several cancel out once in 2^64. Not for adversaries: a page gains
/// nothing by that.
///
/// `band` has four bytes a pixel and `width` pixels a row.
pub(crate) fn fingerprints(band: &[u8], width: u32) -> impl Iterator<Item = u64> {
    let mut sums: Vec<Sums> = vec![[1, 2, 3, 4]; width.div_ceil(TILE) as usize];
    for row in band.chunks_exact((width as usize * 4).max(4)) {
        for (sums, block) in sums.iter_mut().zip(row.chunks(BLOCK)) {
            *sums = added(*sums, block);
        }
    }
    sums.into_iter().map(|sums| sums.into_iter().fold(0, mix))
}

fn added([mut a, mut b, mut c, mut d]: Sums, block: &[u8]) -> Sums {
    let (fours, rest) = block.as_chunks::<32>();
    for four in fours {
        let word = |at: usize| u64::from_le_bytes(four.as_chunks::<8>().0[at]);
        a = mix(a, word(0));
        b = mix(b, word(1));
        c = mix(c, word(2));
        d = mix(d, word(3));
    }
    for pixel in rest.as_chunks::<4>().0 {
        a = mix(a, u64::from(u32::from_le_bytes(*pixel)));
    }
    [a, b, c, d]
}

fn mix(state: u64, word: u64) -> u64 {
    (state.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints(raw: &[u8], width: u32) -> Vec<u64> {
        raw.chunks(band_bytes(width))
            .flat_map(|band| fingerprints(band, width))
            .collect()
    }

    #[test]
    fn every_byte_counts_in_its_own_tile() {
        let (width, height) = (150_u32, 70_u32);
        let raw: Vec<u8> = (0..width * height * 4).map(|at| (at % 251) as u8).collect();
        let before = prints(&raw, width);
        assert_eq!(before.len(), 3 * 2);
        for (x, y) in [
            (0, 0),
            (63, 63),
            (64, 0),
            (127, 5),
            (128, 63),
            (149, 69),
            (0, 69),
        ] {
            for (byte, bit) in [(0, 0), (1, 7), (2, 3), (3, 7)] {
                let mut changed = raw.clone();
                changed[((y * width + x) * 4 + byte) as usize] ^= 1 << bit;
                let after = prints(&changed, width);
                let other: Vec<usize> =
                    (0..6).filter(|&tile| before[tile] != after[tile]).collect();
                assert_eq!(other, [(y / TILE * 3 + x / TILE) as usize], "{x}, {y}");
            }
        }
    }

    #[test]
    fn what_moves_inside_a_tile_shows() {
        let with_dot = |x: usize, y: usize| {
            let mut raw = vec![200; 64 * 64 * 4];
            raw[(y * 64 + x) * 4] = 0;
            prints(&raw, 64)[0]
        };
        let mut seen: Vec<u64> = (0..64 * 64).map(|at| with_dot(at % 64, at / 64)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 64 * 64);
    }
}
