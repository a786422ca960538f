//! Runs a built `.wasm` as the host would, without a desktop, a network or a model.
//!
//! A [`Script`] says what a policy sees and hears and when, a [`Model`] what it is answered, [`Exchanges`] what a model
//! adapter's provider says. Time is the script's own: a policy that waits for a minute is through at once, and the same
//! script gives the same run.
//!
//! ```no_run
//! use dynacu_runtime::types::{Action, Channel};
//! use dynacu_runtime::PolicyEnd;
//! use dynacu_sdk_testing::{Model, Picture, Reply, Script, load};
//!
//! # async fn test() -> Result<(), Box<dyn std::error::Error>> {
//! let plugin = load("my-policy.wasm")?;
//! let script = Script::new("Type the code that you hear.")
//!     .granting([Channel::Audio])
//!     .shows(0, Picture::named("form"))
//!     .says(1_000, 3_000, "The code is 4711.");
//! let model = Model::answering([
//!     Reply::calls(&[("type", r#"{"text": "4711"}"#)]),
//!     Reply::calls(&[("done", "{}")]),
//! ]);
//! let ran = script.run(&plugin, model, "{}").await;
//! assert_eq!(ran.end, PolicyEnd::Returned);
//! assert!(ran.shown(&ran.requests[0]).contains("The code is 4711."));
//! assert!(matches!(&ran.performed[0].action, Action::Type { text } if text == "4711"));
//! # Ok(())
//! # }
//! ```
//!
//! Limits, traps and the sandbox are the real ones of `dynacu-runtime`; a policy that loops ends as it would in an
//! episode. What is missing is a page that reacts: the screen changes when the script says so, whatever is clicked.

#![deny(missing_docs)]

mod desk;
mod exchange;
mod media;
mod model;
mod picture;
mod ran;
mod script;

use std::path::Path;
use std::sync::LazyLock;

use dynacu_runtime::{Compiler, Engine, EngineError, LoadError, Plugin};

pub use exchange::{Answered, Exchange, ExchangeError, Exchanges, complete};
pub use media::Media;
pub use model::{Model, Reply};
pub use picture::{Picture, PictureError};
pub use ran::{Performed, Ran};
pub use script::Script;

/// Why a plugin could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum NotLoaded {
    /// There is no engine on this machine.
    #[error("{0}")]
    Engine(String),
    /// The file is no plugin; the text says what to do.
    #[error(transparent)]
    Plugin(#[from] LoadError),
}

/// Loads a built plugin with an engine that the whole process shares. Compiling takes some seconds for a large one; the
/// result is kept in the user's cache, as the host keeps it. This process compiles it, without limits: load only plugins that you
/// trust. The host compiles in a separate process with limits.
///
/// # Errors
/// One line that says what to do.
pub fn load(path: impl AsRef<Path>) -> Result<Plugin, NotLoaded> {
    static ENGINE: LazyLock<Result<Engine, EngineError>> =
        LazyLock::new(|| Engine::new(Compiler::InProcess));
    let engine = ENGINE
        .as_ref()
        .map_err(|error| NotLoaded::Engine(error.to_string()))?;
    Ok(Plugin::load(engine, path.as_ref())?)
}
