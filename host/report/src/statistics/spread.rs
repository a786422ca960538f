//! What is told of many measurements of one thing.

use serde::Serialize;

/// Count, mean, percentiles (nearest rank) and maximum, in the unit of what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub n: u64,
    pub mean: f64,
    pub median: f64,
    pub p95: f64,
    pub max: f64,
}

impl Spread {
    /// None of nothing.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        sorted.sort_by(f64::total_cmp);
        let rank = |share: f64| {
            let rank = (sorted.len() as f64 * share).ceil() as usize;
            sorted.get(rank.max(1) - 1).copied()
        };
        Some(Spread {
            median: rank(0.5)?,
            p95: rank(0.95)?,
            max: *sorted.last()?,
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            n: sorted.len() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_values_that_were_measured() {
        let spread = Spread::of((1..=20).rev().map(f64::from)).unwrap();
        assert_eq!(
            (spread.n, spread.median, spread.p95, spread.max),
            (20, 10.0, 19.0, 20.0)
        );
        assert_eq!(Spread::of([]), None);
    }
}
