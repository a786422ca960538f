//! What every program that runs episodes begins with: a log, and threads.

use std::io::Write;
use std::path::PathBuf;

use dynacu_runtime::{CompileLimits, Compiler, CompilerProcess, Engine, EngineError};

/// The name of the hidden subcommand that compiles.
const COMPILE: &str = "compile";

/// Sends the log to standard error, as `DYNACU_LOG` filters it, and starts the threads on which lanes are served.
///
/// # Errors
/// The threads cannot be started.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("DYNACU_LOG").unwrap_or_else(|_| {
                tracing_subscriber::EnvFilter::new("warn,whisper_rs=error,chromiumoxide=off")
            }),
        )
        .with_writer(|| Plain)
        .with_ansi(false)
        .without_time()
        .init();
    tokio::runtime::Builder::new_multi_thread()
        // Each lane has a thread beside them; they carry its page's server and its browser's events.
        .worker_threads(4)
        .enable_all()
        .build()
}

/// Standard error for the log, which may hold what a page or a plugin said.
struct Plain;

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        std::io::stderr().write_all(dynacu_figures::plain(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}

/// Names the executable that serves the host's hidden subcommands, where the host is a library inside another program (tests).
pub const EXECUTABLE_VARIABLE: &str = "DYNACU_HOST_EXE";

/// The program that serves the host's hidden subcommands: this one, unless [`EXECUTABLE_VARIABLE`] names another.
#[must_use]
pub fn executable() -> PathBuf {
    match std::env::var_os(EXECUTABLE_VARIABLE) {
        Some(path) => PathBuf::from(path),
        // The link, where the file was replaced during a long run (its name then ends in " (deleted)").
        None => std::env::current_exe()
            .ok()
            .filter(|path| path.exists())
            .unwrap_or_else(|| PathBuf::from("/proc/self/exe")),
    }
}

/// The engine for all plugins. A process with limits compiles what is not in the cache.
///
/// # Errors
/// The machine cannot run it, or gives no thread.
pub fn engine() -> Result<Engine, EngineError> {
    Engine::new(compiler())
}

/// What compiles plugins for the host.
#[must_use]
pub fn compiler() -> Compiler {
    // A unit test's executable has no subcommands; it loads components of this checkout only.
    if cfg!(test) {
        return Compiler::InProcess;
    }
    Compiler::Process(CompilerProcess {
        program: executable(),
        arguments: vec![COMPILE.into()],
        limits: CompileLimits::default(),
    })
}

/// Refuses a processor that this build is not for. `make dist` builds for x86-64-v3; a build from source fits the machine that it was
/// made on.
///
/// # Errors
/// The processor lacks instructions that the build takes for granted.
pub fn baseline() -> anyhow::Result<()> {
    #[cfg(target_arch = "x86_64")]
    if option_env!("DYNACU_BASELINE") == Some("x86-64-v3") {
        let has = [
            ("AVX2", std::is_x86_feature_detected!("avx2")),
            ("BMI2", std::is_x86_feature_detected!("bmi2")),
            ("F16C", std::is_x86_feature_detected!("f16c")),
            ("FMA", std::is_x86_feature_detected!("fma")),
        ];
        let lacking: Vec<&str> = has
            .into_iter()
            .filter_map(|(name, has)| (!has).then_some(name))
            .collect();
        anyhow::ensure!(
            lacking.is_empty(),
            "this build is for processors of the level x86-64-v3, and this one lacks {}: build from source, which fits the machine",
            lacking.join(", ")
        );
    }
    Ok(())
}
