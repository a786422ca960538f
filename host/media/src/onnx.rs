//! ONNX Runtime: loaded once from the cache of weights, sessions with a fixed number of threads.

use std::path::Path;
use std::sync::OnceLock;

use dynacu_weights::{file, names};
use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use parking_lot::Mutex;

use crate::error::ModelError;

/// Loads the shared library once for the whole process.
fn environment() -> Result<&'static Environment, ModelError> {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    static LOADING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = LOADING.lock();
    if let Some(loaded) = ENVIRONMENT.get() {
        return Ok(loaded);
    }
    let library = file(names::ONNX_RUNTIME)?;
    let broken = |error: &dyn std::fmt::Display| ModelError::Broken {
        path: library.clone(),
        what: error.to_string(),
    };
    let builder = ort::init_from(&library).map_err(|error| broken(&error))?;
    let loaded = builder.build().map_err(|error| broken(&error))?;
    Ok(ENVIRONMENT.get_or_init(|| loaded))
}

/// Opens a model. Threads are fixed, because capture and the browser share the same cores.
pub(crate) fn session(model: &Path, threads: usize) -> Result<Session, ModelError> {
    session_of(&read(model)?, model, threads)
}

/// The bytes of a model's file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|reason| ModelError::Unreadable {
        path: path.to_owned(),
        reason,
    })
}

/// Opens the model of a file that was changed in memory.
pub(crate) fn session_of(
    bytes: &[u8],
    model: &Path,
    threads: usize,
) -> Result<Session, ModelError> {
    // ort's builder errors carry the builder itself, which cannot cross threads; keep their text.
    let broken = |error: &dyn std::fmt::Display| ModelError::Broken {
        path: model.to_owned(),
        what: error.to_string(),
    };
    let mut builder = Session::builder(environment()?)
        .map_err(|error| broken(&error))?
        .with_optimization_level(GraphOptimizationLevel::All)
        .map_err(|error| broken(&error))?
        .with_intra_threads(threads)
        .map_err(|error| broken(&error))?
        .with_inter_threads(1)
        .map_err(|error| broken(&error))?;
    builder
        .commit_from_memory(bytes)
        .map_err(|error| broken(&error))
}

/// The name of a session's first input or output.
pub(crate) fn first(
    outlets: &[ort::value::Outlet],
    model: &'static str,
) -> Result<String, ModelError> {
    let first = outlets.first().map(|outlet| outlet.name().to_owned());
    first.ok_or_else(|| ModelError::failed(model)("it has no input or no output"))
}
