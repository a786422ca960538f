//! Many episodes: the plan of a run, its lanes, its summary.

pub mod agents;
pub mod capacity;
pub mod changes;
pub mod describe;
pub mod lanes;
pub mod machine;
pub mod plan;
pub mod progress;
pub mod resume;
pub mod resumed;
pub mod running;
pub mod slots;
pub mod streak;
pub mod summary;
pub mod view;
pub mod watch;
