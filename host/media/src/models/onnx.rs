//! ONNX Runtime: loaded once from the model cache, sessions with a fixed number of threads.

use std::path::Path;
use std::sync::{Mutex, OnceLock};

use anyhow::{Context, Result};
use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use super::{file, names};

/// Loads the shared library once for the whole process.
fn environment() -> Result<&'static Environment> {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    static LOADING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = LOADING
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if ENVIRONMENT.get().is_none() {
        let library = file(names::ONNX_RUNTIME)?;
        let advice = || {
            format!(
                "cannot load {}: run `dynacu-host models verify`",
                library.display()
            )
        };
        let loaded = ort::init_from(&library)
            .with_context(advice)?
            .build()
            .with_context(advice)?;
        let _ = ENVIRONMENT.set(loaded);
    }
    ENVIRONMENT.get().context("ONNX Runtime was not loaded")
}

/// Opens a model. Threads are fixed, because capture and the browser share the same cores.
pub fn session(model: &Path, threads: usize) -> Result<Session> {
    let bytes = std::fs::read(model).with_context(|| format!("cannot read {}", model.display()))?;
    session_from_bytes(&bytes, threads)
        .with_context(|| format!("cannot open the model {}", model.display()))
}

/// Opens a model that was changed in memory.
pub fn session_from_bytes(bytes: &[u8], threads: usize) -> Result<Session> {
    // ort's builder errors carry the builder itself, which cannot cross threads; keep their text.
    let text = |error: &dyn std::fmt::Display| anyhow::anyhow!("{error}");
    let mut builder = Session::builder(environment()?)
        .map_err(|error| text(&error))?
        .with_optimization_level(GraphOptimizationLevel::All)
        .map_err(|error| text(&error))?
        .with_intra_threads(threads)
        .map_err(|error| text(&error))?
        .with_inter_threads(1)
        .map_err(|error| text(&error))?;
    builder
        .commit_from_memory(bytes)
        .map_err(|error| text(&error))
}
