//! The benchmark and the program that runs it: one lane is one isolated desktop (Chromium in Xvfb with its own
//! PulseAudio), and one episode is one attempt of one policy at one task on a lane.
//!
//! Data flows one way: capture, perception, observation, policy, action, desktop. Every step also writes an event to
//! the record. The parts meet in [`episode`]; [`driver`] gives it a lane, whether a run ([`suite`]), a task's
//! author ([`kit`]) or a measurement asks for the episode. Each module uses only modules of lower layers: `tests/layers.rs` has the list.

pub mod action;
pub mod bundled;
pub mod cli;
pub mod config;
pub mod desktop;
pub mod driver;
pub mod episode;
pub mod inference;
pub mod input;
pub mod kit;
pub mod mode;
pub mod observation;
pub mod page_server;
pub mod program;
pub mod studio;
pub mod suite;
pub mod task;

pub use dynacu_media::{capture, perception, priority, processor, speech, subprocess};
pub use dynacu_weights as weights;
