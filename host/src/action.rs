//! What a policy may do, in order, cancellable, and checked before it reaches the desktop.

pub mod queue;
pub mod validate;
