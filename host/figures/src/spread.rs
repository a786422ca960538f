//! How many measurements of one thing are spread.

use std::borrow::Borrow;

use serde::Serialize;

/// Count, mean, percentiles (by [`percentile`]) and maximum, in the unit of the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// How many values there are.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// The 50th percentile.
    pub median: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// The spread of all finite values. None if there are none.
    #[must_use]
    pub fn of<V: Borrow<f64>>(values: impl IntoIterator<Item = V>) -> Option<Self> {
        let mut sorted: Vec<f64> = values
            .into_iter()
            .map(|value| *value.borrow())
            .filter(|value| value.is_finite())
            .collect();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            median: percentile(&sorted, 50)?,
            p95: percentile(&sorted, 95)?,
            max: *sorted.last()?,
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            n: sorted.len() as u64,
        })
    }

    /// The spread of whole milliseconds. None if there are no values.
    #[must_use]
    pub fn of_millis<V: Borrow<u64>>(values: impl IntoIterator<Item = V>) -> Option<Self> {
        Self::of(values.into_iter().map(|value| *value.borrow() as f64))
    }
}

/// The smallest of the sorted values that at least `percent` of all values do not exceed (nearest rank). It is always a value
/// that was measured. None of an empty slice, or of more than 100 %.
#[must_use]
pub fn percentile<T: Copy>(sorted: &[T], percent: u8) -> Option<T> {
    let rank = (sorted.len() * usize::from(percent)).div_ceil(100);
    sorted.get(rank.max(1) - 1).copied()
}

/// How much y grows per unit of x, by least squares. None if there are fewer than two different values of x.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let (x, y) = points
        .iter()
        .fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (x, y) = (x / count, y / count);
    let (over, under) = points.iter().fold((0.0, 0.0), |(over, under), point| {
        let from = point.0 - x;
        (over + from * (point.1 - y), under + from * from)
    });
    (under > 0.0).then(|| over / under)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let spread = Spread::of((1..=20).rev().map(f64::from)).unwrap();
        assert_eq!(
            (spread.n, spread.mean, spread.median, spread.p95, spread.max),
            (20, 10.5, 10.0, 19.0, 20.0)
        );
        assert_eq!(Spread::of_millis([7, 9]).unwrap().p95, 9.0);
        assert_eq!(Spread::of([f64::NAN]), None);
        assert_eq!(Spread::of::<f64>([]), None);
    }

    #[test]
    fn ranks_are_exact_for_whole_percents() {
        let hundred: Vec<u32> = (1..=100).collect();
        for percent in 1..=100 {
            assert_eq!(percentile(&hundred, percent), Some(u32::from(percent)));
        }
        assert_eq!(percentile(&hundred, 0), Some(1));
        assert_eq!(percentile(&hundred, 101), None);
        assert_eq!(percentile::<u32>(&[], 50), None);
    }

    #[test]
    fn a_slope_is_per_unit() {
        let points: Vec<(f64, f64)> = (0..10)
            .map(|x| (f64::from(x), 3.0 + 2.5 * f64::from(x)))
            .collect();
        assert!((slope(&points).unwrap() - 2.5).abs() < 1e-9);
        assert_eq!(slope(&[(1.0, 4.0), (2.0, 4.0)]), Some(0.0));
        assert_eq!(slope(&[(1.0, 4.0)]), None);
        assert_eq!(slope(&[]), None);
    }
}
