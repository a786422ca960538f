//! The benchmark and the machine that runs it: one lane is one isolated desktop (Chromium in Xvfb with its own
//! PulseAudio), and one episode is one attempt of one policy at one task on a lane.
//!
//! Data goes one way: capture, perception, observation, policy, action, desktop; every step also drops an event into
//! the record. The pieces meet in [`episode`]; [`driver`] gives it a lane, whoever asks for an episode: a run ([`suite`]), a task's
//! author ([`kit`]) or the crate that measures. Each room uses only rooms below it: `tests/layers.rs` has the list.

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

pub use dynacu_media::{capture, perception, priority, speech, subprocess};
pub use dynacu_weights as weights;
