//! Validates and compiles components that are not in the cache.
//!
//! How much time and memory a compiler takes depends on the file. So it runs in a process of its own with limits: the component
//! comes in by standard input, the code goes out by standard output, and the process cannot open a file, the cache included.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::engine::Tuning;

mod process;

pub use process::serve;

/// Exit status for an invalid component; the reason is on standard error.
const INVALID: u8 = 3;
/// The one variable that the process inherits: without it the program may not find its own libraries.
const LIBRARIES: &str = "LD_LIBRARY_PATH";
/// Bytes of standard error that are kept.
const REASON_BYTES: u64 = 4096;

/// Why there is no compiled code.
#[derive(Debug)]
pub(crate) enum CompileError {
    Invalid(String),
    /// It exceeds a limit.
    TooMuch(String),
    /// Not the component's fault.
    Host(String),
}

impl CompileError {
    pub(crate) fn host(what: &str, error: &io::Error) -> Self {
        Self::Host(format!("{what}: {error}"))
    }
}

/// What compiles components.
#[derive(Clone, Debug)]
pub enum Compiler {
    /// This process, without limits: for components that you built yourself, as in tests. The host never uses it.
    InProcess,
    /// A process of its own.
    Process(CompilerProcess),
}

/// A program that calls [`serve`], and its limits.
#[derive(Clone, Debug)]
pub struct CompilerProcess {
    /// The executable.
    pub program: PathBuf,
    /// The arguments before those for [`serve`].
    pub arguments: Vec<OsString>,
    /// Limits of each compilation.
    pub limits: CompileLimits,
}

/// The limits of compiling one component.
#[derive(Clone, Copy, Debug)]
pub struct CompileLimits {
    /// Writable memory of the process, in MiB.
    pub memory_mib: u64,
    /// CPU time of all its threads together.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Bytes of compiled code.
    pub code: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            memory_mib: 768,
            cpu: Duration::from_secs(240),
            wall: Duration::from_secs(600),
            code: 256 << 20,
        }
    }
}

impl Compiler {
    /// Writes the compiled code of a component to `code`.
    pub(crate) fn compile(
        &self,
        engine: &wasmtime::Engine,
        tuning: Tuning,
        component: &[u8],
        code: &mut dyn Write,
    ) -> Result<(), CompileError> {
        match self {
            Self::InProcess => {
                let compiled = engine
                    .precompile_component(component)
                    .map_err(|error| CompileError::Invalid(format!("{error:#}")))?;
                code.write_all(&compiled)
                    .map_err(|error| CompileError::host("its code cannot be kept", &error))
            }
            Self::Process(process) => process.compile(tuning, component, code),
        }
    }
}

impl CompilerProcess {
    fn compile(
        &self,
        tuning: Tuning,
        component: &[u8],
        code: &mut dyn Write,
    ) -> Result<(), CompileError> {
        let failed = |error: io::Error| CompileError::host("the compiler's process", &error);
        let mut child = self.start(tuning).map_err(failed)?;
        let ran = self.converse(&mut child, component, code);
        if ran.is_err() {
            // It may be gone already.
            let _ = child.kill();
        }
        let status = child.wait().map_err(failed)?;
        let Ran { last_words, late } = ran?;
        match status.code() {
            Some(0) => Ok(()),
            _ if late => Err(self.too_long("", self.limits.wall)),
            Some(code) if code == i32::from(INVALID) => Err(CompileError::Invalid(last_words)),
            _ => Err(self.ended(status, &last_words)),
        }
    }

    fn start(&self, tuning: Tuning) -> io::Result<Child> {
        let CompileLimits {
            memory_mib, cpu, ..
        } = self.limits;
        // Each thread takes memory; four are enough for a large component.
        let libraries = std::env::var_os(LIBRARIES);
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(4));
        Command::new(&self.program)
            .args(&self.arguments)
            .arg(tuning.name())
            .arg(memory_mib.to_string())
            .arg(cpu.as_secs().to_string())
            .env_clear()
            .envs(libraries.map(|folders| (LIBRARIES, folders)))
            .env("RAYON_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// Hands the component over and takes the code, until the process ends or is out of time.
    fn converse(
        &self,
        child: &mut Child,
        component: &[u8],
        code: &mut dyn Write,
    ) -> Result<Ran, CompileError> {
        let pid = Pid::from_child(child);
        let (Some(mut input), Some(mut output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(CompileError::Host("its pipes are missing".to_owned()));
        };
        let failed = |error: io::Error| CompileError::host("no thread for the compiler", &error);
        let named = || std::thread::Builder::new().name("compiler".to_owned());
        std::thread::scope(|scope| {
            let (done, over) = sync_channel::<()>(1);
            let wall = self.limits.wall;
            let watch = named().spawn_scoped(scope, move || {
                let late = over.recv_timeout(wall) == Err(RecvTimeoutError::Timeout);
                if late {
                    // Nobody has waited for it yet, so the number is still its own.
                    let _ = kill_process(pid, Signal::KILL);
                }
                late
            });
            let watch = watch.map_err(failed)?;
            named()
                .spawn_scoped(scope, move || {
                    // A process that stops reading says why on standard error.
                    let _ = input.write_all(component);
                })
                .map_err(failed)?;
            let words = named()
                .spawn_scoped(scope, move || last_words(errors))
                .map_err(failed)?;
            let bound = self.limits.code;
            let took = io::copy(&mut (&mut output).take(bound + 1), code);
            if !matches!(&took, Ok(bytes) if *bytes <= bound) {
                let _ = kill_process(pid, Signal::KILL);
            }
            drop(output);
            let last_words = words.join().unwrap_or_default();
            drop(done);
            let late = watch.join().unwrap_or_default();
            match took {
                Ok(bytes) if bytes <= bound => Ok(Ran { last_words, late }),
                Ok(_) => Err(CompileError::TooMuch(format!(
                    "its compiled code has more than {} MiB",
                    bound >> 20
                ))),
                Err(error) => Err(CompileError::host("its code cannot be kept", &error)),
            }
        })
    }

    fn too_long(&self, of: &str, limit: Duration) -> CompileError {
        CompileError::TooMuch(format!(
            "compiling it takes more than {} s{of}",
            limit.as_secs()
        ))
    }

    fn ended(&self, status: ExitStatus, last_words: &str) -> CompileError {
        let CompileLimits {
            memory_mib, cpu, ..
        } = self.limits;
        let signal = status.signal();
        if signal == Some(Signal::XCPU.as_raw()) {
            return self.too_long(" of CPU time", cpu);
        }
        // What the process says when it gets no memory: from Rust, from a library that copes, and from a thread without a stack.
        let memory = [
            "memory allocation of",
            "out of memory",
            "Cannot allocate memory",
            "WouldBlock",
        ];
        if memory.iter().any(|words| last_words.contains(words)) {
            return CompileError::TooMuch(format!(
                "compiling it takes more than {memory_mib} MiB of memory"
            ));
        }
        if signal.is_some() {
            return CompileError::TooMuch(format!("it makes the compiler crash ({status})"));
        }
        CompileError::Host(format!(
            "{} ended with {status}: {last_words}",
            self.program.display()
        ))
    }
}

struct Ran {
    last_words: String,
    late: bool,
}

/// The beginning of what a process says on standard error. The rest is read too, so that the process does not block.
fn last_words(mut errors: impl Read) -> String {
    let mut said = Vec::new();
    let _ = (&mut errors).take(REASON_BYTES).read_to_end(&mut said);
    let _ = io::copy(&mut errors, &mut io::sink());
    String::from_utf8_lossy(&said).into_owned()
}
