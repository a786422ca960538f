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
use crate::compile::{CompileError, Compiler};
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

/// What a guest's code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tuning {
    /// Policies and adapters.
    Timed,
    /// Scorers: instructions are counted.
    Counted,
}

impl Tuning {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Timed => "timed",
            Self::Counted => "counted",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Timed, Self::Counted]
            .into_iter()
            .find(|tuning| tuning.name() == name)
    }

    pub(crate) fn engine(self) -> wasmtime::Result<wasmtime::Engine> {
        let mut config = Config::new();
        config
            .wasm_component_model(true)
            .epoch_interruption(true)
            .consume_fuel(self == Self::Counted);
        wasmtime::Engine::new(&config)
    }
}

/// Compiles guests and ticks their epoch. Cheap to clone; the tick thread ends with the last copy, stores included.
#[derive(Clone)]
pub struct Engine {
    timed: Tuned,
    counted: Tuned,
    compiler: Compiler,
}

#[derive(Clone)]
struct Tuned {
    tuning: Tuning,
    wasmtime: wasmtime::Engine,
    cache: CompiledCache,
}

impl Tuned {
    fn new(tuning: Tuning, folder: Option<PathBuf>) -> Result<Self, EngineError> {
        let wasmtime = tuning.engine().map_err(EngineError::Config)?;
        let cache = CompiledCache::new(folder, &wasmtime);
        Ok(Self {
            tuning,
            wasmtime,
            cache,
        })
    }
}

impl Engine {
    /// An engine with its compiled components in `dynacu/compiled` in the user's cache folder.
    ///
    /// # Errors
    /// The machine cannot run it, or gives no thread.
    pub fn new(compiler: Compiler) -> Result<Self, EngineError> {
        let folder = dirs::cache_dir().map(|cache| cache.join("dynacu").join("compiled"));
        Self::with_cache(folder, compiler)
    }

    /// The same with the cache elsewhere, or without one.
    ///
    /// # Errors
    /// The machine cannot run it, or gives no thread.
    pub fn with_cache(folder: Option<PathBuf>, compiler: Compiler) -> Result<Self, EngineError> {
        let timed = Tuned::new(Tuning::Timed, folder.clone())?;
        let counted = Tuned::new(Tuning::Counted, folder)?;
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
        Ok(Self {
            timed,
            counted,
            compiler,
        })
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
    ) -> Result<Component, CompileError> {
        let Tuned {
            tuning,
            wasmtime,
            cache,
        } = match kind {
            PluginKind::Policy | PluginKind::ModelAdapter => &self.timed,
            PluginKind::Scorer => &self.counted,
        };
        cache.component(wasmtime, sha256, |code| {
            self.compiler.compile(wasmtime, *tuning, bytes, code)
        })
    }
}
