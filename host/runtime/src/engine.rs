//! The engine that all guests share, and the thread that makes its time pass.

use std::path::PathBuf;
use std::time::Duration;

use wasmtime::Config;
use wasmtime::component::Component;

use crate::cache::CompiledCache;

/// One tick; limits are noticed this often.
const TICK: Duration = Duration::from_millis(10);

/// The engine cannot start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("this machine cannot run WebAssembly components: {0:#}")]
    Config(wasmtime::Error),
    #[error("no thread for the guests' clock: {0}: allow more threads or stop other runs")]
    Thread(#[source] std::io::Error),
}

/// Compiles guests and ticks their epoch. Cheap to clone; the tick thread ends with the last copy, stores included.
#[derive(Clone)]
pub struct Engine {
    wasmtime: wasmtime::Engine,
    cache: CompiledCache,
}

impl Engine {
    /// An engine with its compiled components in `dynacu/compiled` in the user's cache folder.
    ///
    /// # Errors
    /// The machine cannot run it, or gives no thread.
    pub fn new() -> Result<Self, EngineError> {
        let folder = dirs::cache_dir().map(|cache| cache.join("dynacu").join("compiled"));
        Self::with_cache(folder)
    }

    /// The same with the cache elsewhere, or without one.
    ///
    /// # Errors
    /// The machine cannot run it, or gives no thread.
    pub fn with_cache(folder: Option<PathBuf>) -> Result<Self, EngineError> {
        let mut config = Config::new();
        config.wasm_component_model(true).epoch_interruption(true);
        let wasmtime = wasmtime::Engine::new(&config).map_err(EngineError::Config)?;
        // Weak, so that this thread is not what keeps the engine alive.
        let weak = wasmtime.weak();
        std::thread::Builder::new()
            .name("epoch".to_owned())
            .spawn(move || {
                while let Some(engine) = weak.upgrade() {
                    engine.increment_epoch();
                    drop(engine);
                    std::thread::sleep(TICK);
                }
            })
            .map_err(EngineError::Thread)?;
        let cache = CompiledCache::new(folder, &wasmtime);
        Ok(Self { wasmtime, cache })
    }

    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.wasmtime
    }

    /// Compiled code of these bytes, from the cache where it is there.
    pub(crate) fn component(&self, bytes: &[u8], sha256: &str) -> wasmtime::Result<Component> {
        self.cache.component(&self.wasmtime, bytes, sha256)
    }
}
