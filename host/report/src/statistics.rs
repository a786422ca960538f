//! The statistics of a report. Distributions come from `statrs`; each method names its source and is checked against published
//! values in its tests.

mod paired;
mod proportion;
mod repeats;
mod spread;

pub use paired::{Paired, Test, compare, holm, mcnemar_exact};
pub use proportion::{Interval, Method, Share, clustered, wilson};
pub use repeats::{pass_all, pass_any};
pub use spread::Spread;

/// All intervals are for this share of repetitions.
pub const CONFIDENCE: f64 = 0.95;

/// The standard normal quantile that leaves (1 - `CONFIDENCE`) / 2 above it.
fn normal_quantile() -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    Normal::standard().inverse_cdf(1.0 - (1.0 - CONFIDENCE) / 2.0)
}

/// The same of Student's t with `degrees` of freedom; none for less than one.
fn t_quantile(degrees: f64) -> Option<f64> {
    use statrs::distribution::{ContinuousCDF, StudentsT};
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    (degrees >= 1.0).then(|| t.inverse_cdf(1.0 - (1.0 - CONFIDENCE) / 2.0))
}

/// Mean and standard deviation (n - 1 below the line) of at least two values.
fn moments(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, (squares / (n - 1.0)).sqrt()))
}
