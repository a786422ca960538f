//! What a policy is told at its start.

use serde::{Deserialize, Serialize};

use crate::channel::Channel;
use crate::geometry::Size;

/// What a policy is told at its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Brief {
    /// Opaque; it does not name the task.
    pub episode: String,
    /// What is to be done.
    pub instruction: String,
    /// Pixels.
    pub screen: Size,
    /// Least time between two observations, ms.
    pub pace_ms: u64,
    /// The task's limit, ms.
    pub time_limit_ms: u64,
    /// The task's limit of observations.
    pub step_limit: u32,
    /// The channels that it has: those that it asks for and its mode grants.
    pub granted: Vec<Channel>,
}
