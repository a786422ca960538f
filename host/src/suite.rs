//! Many episodes: the plan of a run, its lanes, its summary.

pub mod agents;
pub mod machine;
pub mod plan;
pub mod streak;
pub mod summary;
