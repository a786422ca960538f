//! What is told of many measurements of one thing.

use serde::Serialize;

/// Count, mean, percentiles and maximum, in the unit of what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub n: usize,
    pub mean: f64,
    pub median: f64,
    pub p95: f64,
    pub max: f64,
}

impl Spread {
    /// None of nothing.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            n: sorted.len(),
            mean: sorted.iter().sum::<f64>() / sorted.len().max(1) as f64,
            median: percentile(&sorted, 0.5)?,
            p95: percentile(&sorted, 0.95)?,
            max: *sorted.last()?,
        })
    }

    #[must_use]
    pub fn of_millis(values: &[u64]) -> Option<Self> {
        Self::of(&values.iter().map(|value| *value as f64).collect::<Vec<_>>())
    }
}

/// The smallest value that at least this share of all does not exceed (nearest rank).
#[must_use]
pub fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// How much y grows for each unit of x, by least squares; none of fewer than two different x.
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
        let spread = Spread::of(&[5.0, 1.0, 3.0, 2.0, 4.0]).unwrap();
        assert_eq!((spread.n, spread.mean, spread.median), (5, 3.0, 3.0));
        assert_eq!((spread.p95, spread.max), (5.0, 5.0));
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(Spread::of(&hundred).unwrap().p95, 95.0);
        assert_eq!(Spread::of_millis(&[7]).unwrap().p95, 7.0);
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[f64::NAN]), None);
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
