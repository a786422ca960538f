//! Inside the compiler's process: first the limits, then the component, then its code.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use super::INVALID;
use crate::engine::Tuning;
use crate::plugin::LARGEST;

/// Compiles the component on standard input to standard output. The process must do nothing else; the host's is
/// `dynacu-host compile TUNING MIB SECONDS`.
#[must_use]
pub fn serve(tuning: &str, memory_mib: u64, cpu_s: u64) -> ExitCode {
    match limit(memory_mib, cpu_s).and_then(|()| compile(tuning)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(reason)) => {
            say(&reason);
            ExitCode::from(INVALID)
        }
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn say(reason: &str) {
    // If this fails, nobody is listening.
    let _ = io::stderr().write_all(reason.as_bytes());
}

/// Limits this process from now on. It also ends with its parent.
fn limit(memory_mib: u64, cpu_s: u64) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    for (resource, limit) in [
        // Not the address space: threads reserve much of it and use little.
        (Resource::Data, memory_mib << 20),
        (Resource::Cpu, cpu_s),
        // The three standard streams are open; nothing else can be opened.
        (Resource::Nofile, 3),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ] {
        setrlimit(
            resource,
            Rlimit {
                current: Some(limit),
                // At the soft limit of CPU time the process gets SIGXCPU, which names the cause; at the hard one, SIGKILL.
                maximum: Some(limit.saturating_add(u64::from(resource == Resource::Cpu))),
            },
        )?;
    }
    Ok(())
}

/// The inner error is the component's fault, the outer one is not.
fn compile(tuning: &str) -> io::Result<Result<(), String>> {
    let tuning = Tuning::named(tuning)
        .ok_or_else(|| io::Error::other(format!("`{tuning}` is not a tuning of this compiler")))?;
    let engine = tuning
        .engine()
        .map_err(|error| io::Error::other(format!("{error:#}")))?;
    let mut component = Vec::new();
    io::stdin().take(LARGEST).read_to_end(&mut component)?;
    match engine.precompile_component(&component) {
        Ok(code) => {
            let mut output = io::stdout().lock();
            output.write_all(&code)?;
            output.flush()?;
            Ok(Ok(()))
        }
        // This says nothing about whether the component is valid.
        Err(error) if error.is::<wasmtime::OutOfMemory>() => Err(io::ErrorKind::OutOfMemory.into()),
        Err(error) => Ok(Err(format!("{error:#}"))),
    }
}
