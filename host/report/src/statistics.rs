//! The statistics of a report: shares, comparisons and repeats. Distributions come from `statrs`; each method names its source
//! and is checked against published values in its tests. Percentiles are in `dynacu_figures`.

mod paired;
mod proportion;
mod repeats;

pub use paired::{Paired, Test, compare, holm, mcnemar_exact};
pub use proportion::{Interval, Method, Share, clustered, wilson};
pub use repeats::{pass_all, pass_any};

/// The confidence level of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The standard normal quantile that leaves (1 - `CONFIDENCE`) / 2 above it.
fn normal_quantile() -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    Normal::standard().inverse_cdf(1.0 - (1.0 - CONFIDENCE) / 2.0)
}

/// The same quantile of Student's t with `degrees` degrees of freedom. None below one degree.
fn t_quantile(degrees: f64) -> Option<f64> {
    use statrs::distribution::{ContinuousCDF, StudentsT};
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    (degrees >= 1.0).then(|| t.inverse_cdf(1.0 - (1.0 - CONFIDENCE) / 2.0))
}

/// Mean and sample standard deviation (divided by n - 1). None for fewer than two values.
fn moments(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, (squares / (n - 1.0)).sqrt()))
}
