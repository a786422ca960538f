//! The engines that all guests share, and the thread that makes their time pass.
//!
//! There are two, since counting instructions is a property of compiled code and slows it down. Policies and adapters live
//! on the clock anyway and are limited by CPU time. A verdict must be the same on every machine, so scorers are limited by
//! the instructions that they execute.

use std::path::PathBuf;
use std::time::Duration;

use wasmtime::component::Component;
use wasmtime::{Config, EngineWeak};

use crate::cache::CompiledCache;
use crate::world::PluginKind;

/// One tick; limits are noticed this often.
const TICK: Duration = Duration::from_millis(10);

/// The engine cannot start.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each message says it")]
pub enum EngineError {
    #[error("this machine cannot run WebAssembly components: {0:#}")]
    Config(wasmtime::Error),
    #[error("no thread for the guests' clock: {0}: allow more threads or stop other runs")]
    Thread(#[source] std::io::Error),
}

/// Compiles guests and ticks their epoch. Cheap to clone; the tick thread ends with the last copy, stores included.
#[derive(Clone)]
pub struct Engine {
    timed: Compiler,
    counted: Compiler,
}

#[derive(Clone)]
struct Compiler {
    wasmtime: wasmtime::Engine,
    cache: CompiledCache,
}

impl Compiler {
    fn new(counts: bool, folder: Option<PathBuf>) -> Result<Self, EngineError> {
        let mut config = Config::new();
        config
            .wasm_component_model(true)
            .epoch_interruption(true)
            .consume_fuel(counts);
        let wasmtime = wasmtime::Engine::new(&config).map_err(EngineError::Config)?;
        let cache = CompiledCache::new(folder, &wasmtime);
        Ok(Self { wasmtime, cache })
    }
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
        let timed = Compiler::new(false, folder.clone())?;
        let counted = Compiler::new(true, folder)?;
        // Weak, so that this thread is not what keeps the engines alive.
        let engines = [timed.wasmtime.weak(), counted.wasmtime.weak()];
        std::thread::Builder::new()
            .name("epoch".to_owned())
            .spawn(move || {
                let mut alive = true;
                while alive {
                    alive = false;
                    for engine in engines.iter().filter_map(EngineWeak::upgrade) {
                        engine.increment_epoch();
                        alive = true;
                    }
                    std::thread::sleep(TICK);
                }
            })
            .map_err(EngineError::Thread)?;
        Ok(Self { timed, counted })
    }

    /// The engine of policies and adapters.
    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.timed.wasmtime
    }

    /// Compiled code of these bytes, from the cache where it is there.
    pub(crate) fn component(
        &self,
        kind: PluginKind,
        bytes: &[u8],
        sha256: &str,
    ) -> wasmtime::Result<Component> {
        let Compiler { wasmtime, cache } = match kind {
            PluginKind::Policy | PluginKind::ModelAdapter => &self.timed,
            PluginKind::Scorer => &self.counted,
        };
        cache.component(wasmtime, bytes, sha256)
    }
}
