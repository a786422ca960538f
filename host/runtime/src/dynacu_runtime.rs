//! Everything about plugins, and no desktop: loading, limits, calls.
//!
//! A guest gets one store on a named, niced thread. It sees the host through a trait ([`PolicyHost`], [`Egress`],
//! [`Blobs`]) and ends in one of a closed list of ways ([`FailureKind`]).

#![deny(missing_docs)]

mod adapter;
// Generated code answers to its generator, not to this crate's lints.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
mod bindings;
mod cache;
mod ceiling;
mod census;
mod compile;
mod doors;
mod egress;
mod engine;
mod failure;
mod frames;
mod guest;
mod limits;
mod lines;
mod load_error;
pub mod manifest;
mod manifest_source;
mod meter;
mod names;
mod outline;
pub mod pack;
mod plugin;
mod policy;
mod policy_host;
mod policy_run;
mod quota;
mod scorer;
mod scratch;
mod thread;
mod to_guest;
pub mod types;
mod wasi;
mod work;
mod world;

pub use adapter::{Adapter, LogSink, Outside};
pub use compile::{CompileLimits, Compiler, CompilerProcess, serve as compile_as_asked};
pub use egress::{Blobs, DenyEgress, Egress, NoBlobs};
pub use engine::{Engine, EngineError};
pub use failure::{FailureKind, GuestFailure};
pub use frames::HELD_FRAMES;
pub use limits::{DEFAULT_MEMORY_BYTES, Limits, Taken};
pub use load_error::LoadError;
pub use manifest::{Credential, Manifest};
pub use manifest_source::ManifestSource;
pub use plugin::{Inspection, Plugin};
pub use policy_host::{
    ActionOutcome, ActionReceipt, Completion, Frame, Keyframe, Observation, PolicyHost,
    SessionEvent,
};
pub use policy_run::{PolicyEnd, PolicyRun};
pub use quota::json_size;
pub use scorer::Scorer;
pub use world::{INTERFACE_VERSION, PluginKind};
