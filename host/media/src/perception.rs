//! From frames and samples to keyframes, sentences and text.

pub mod encoder;
pub mod hearing;
pub mod keyframe;
pub mod reading;
pub mod recognizer;
pub mod seeing;
pub mod transcript;
mod voice_activity;
mod voice_print;

/// What perception does with the same screen and sound. It is raised when that changes: results of before are then out of date, and
/// the gates are run again. `tests/behaviour.rs` holds it to what is done.
pub const VERSION: u32 = 1;
