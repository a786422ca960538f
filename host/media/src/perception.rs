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
