//! What is shown of measurements, for every crate that shows some: spreads and percentiles ([`Spread`], [`percentile`]), tables
//! for a terminal or for Markdown ([`table`]), strangers' words in either ([`plain`](mod@plain)), and charts as SVG, in a page ([`chart`]) or as files ([`plot`]).
//!
//! This crate knows nothing of the benchmark. Intervals and tests are in `dynacu_report::statistics`.

#![deny(missing_docs)]

pub mod chart;
mod number;
pub mod plain;
pub mod plot;
mod spread;
pub mod table;

pub use number::short;
pub use plain::plain;
pub use spread::{Spread, percentile, slope};
