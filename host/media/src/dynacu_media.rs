//! Sound and pictures: what captures them, the models that read, hear and speak, and perception, which turns a running
//! screen and a running sound into keyframes and transcripts.
//!
//! It stands apart from the host because its loops go over every pixel and every sample: it is compiled optimised, the rest
//! of the host quickly. It knows no lane, no task and no guest.

#![warn(unreachable_pub)]

pub mod capture;
pub mod error;
mod onnx;
pub mod perception;
pub mod priority;
pub mod processor;
mod protobuf;
pub mod speech;
pub mod subprocess;
