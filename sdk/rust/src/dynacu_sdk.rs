//! The SDK for DynaCU-Bench plugins.
//!
//! A plugin is a WebAssembly component of one of three kinds, and each kind is one trait and one macro:
//!
//! | kind | trait | macro |
//! |---|---|---|
//! | policy: turns what the screen and the speakers do into actions | [`StepPolicy`], or [`Policy`] for full control | [`export_policy!`] |
//! | scorer: judges the page's events | [`Scorer`](scoring::Scorer) | [`export_scorer!`] |
//! | model adapter: one provider's HTTP call | [`ModelAdapter`](model::ModelAdapter) | [`export_adapter!`] |
//!
//! A complete policy:
//!
//! ```
//! use dynacu_sdk::settings::NoSettings;
//! use dynacu_sdk::{Action, Brief, Decision, Interrupted, Observation, PolicyError, Session, StepPolicy};
//!
//! struct ClickOnce {
//!     clicked: bool,
//! }
//!
//! impl StepPolicy for ClickOnce {
//!     type Settings = NoSettings;
//!
//!     fn new(_brief: &Brief, _settings: NoSettings) -> Result<Self, PolicyError> {
//!         Ok(Self { clicked: false })
//!     }
//!
//!     fn on_observation(&mut self, _session: &mut Session, _seen: &Observation) -> Result<Decision, Interrupted> {
//!         if std::mem::replace(&mut self.clicked, true) {
//!             return Ok(Decision::Done);
//!         }
//!         Ok(Action::click(640, 360).into())
//!     }
//! }
//!
//! dynacu_sdk::export_policy!(ClickOnce);
//! # fn main() {}
//! ```
//!
//! The crate is a `cdylib` built with `cargo build --release --target wasm32-wasip2`. Its `plugin.toml`, beside
//! `Cargo.toml`, says what the plugin is called and what it asks the host for; the export macros carry it inside the
//! component. Its table of the run configuration is a type of its own, `Settings`, that the SDK reads.
//!
//! An [`Instant`] counts from the moment at which the host gave the page its start signal, on the host's clock.

#![deny(missing_docs)]

#[doc(hidden)]
#[allow(
    missing_docs,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used
)]
pub mod bindings;

pub mod blobs;
pub mod http;
pub mod logging;
pub mod model;
pub mod record_text;
pub mod scoring;
pub mod settings;
pub mod tools;

mod actions;
mod builders;
mod export;
mod failure;
mod ids;
mod policy;
mod request;
mod session;
mod step_policy;
mod time;

pub use actions::PriorAction;
pub use dynacu_vocabulary::ActionKind;
pub use failure::Interrupted;
pub use policy::Policy;
pub use session::{ActFailure, AskFailure, Session};
pub use step_policy::{Decision, StepPolicy};

pub use bindings::policy::dynacu::assist::reading::{ReadingError, TextLine};
pub use bindings::policy::dynacu::assist::solution::SolutionError;
pub use bindings::policy::dynacu::environment::action::{
    Action, ActionError, ActionReceipt, Click, Drag, MouseButton, Scroll, ScrollDirection,
};
pub use bindings::policy::dynacu::environment::hearing::HearingError;
pub use bindings::policy::dynacu::environment::observation::{
    AudioContext, EncodeError, Encoding, Frame, ImageFormat, Keyframe, Observation, Point,
    RecentAudio, Rect, Sentence, Size,
};
pub use bindings::policy::dynacu::host::types::{BlobId, Duration, Instant};
pub use bindings::policy::dynacu::model::inference::CallId;
pub use bindings::policy::dynacu::policy::session::{
    ActionId, ActionOutcome, Completion, Event, PerformError, StopCause,
};
pub use bindings::policy::exports::dynacu::policy::policy::{Brief, Channels, PolicyError};

/// What the export macros call.
#[doc(hidden)]
pub mod __run {
    pub use crate::model::{capabilities_of, complete};
    pub use crate::policy::play;
    pub use crate::scoring::{judge, score_episode};
}
