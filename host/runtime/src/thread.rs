//! Threads for guests.

use std::io;

use tokio::task::LocalSet;

/// Added to a guest's niceness, so that a busy guest cannot starve capture.
const NICENESS: i32 = 10;

/// Runs `work` to its end on a named, niced thread with a runtime of its own.
///
/// # Errors
/// The operating system gives no thread or no timer.
pub(crate) fn spawn<W, F>(name: &str, work: W) -> io::Result<()>
where
    W: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()> + 'static,
{
    // One event per turn: a guest in a loop comes back once a tick, and its deadline must be looked at each time.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .event_interval(1)
        .thread_name("guest-files")
        .build()?;
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            be_nice();
            LocalSet::new().block_on(&runtime, work());
            // A blocking file operation of a guest must not hold the thread's end back.
            runtime.shutdown_background();
        })?;
    Ok(())
}

fn be_nice() {
    // On Linux the priority of a "process" is that of the thread with this id.
    let thread = Some(rustix::thread::gettid());
    let lowered = rustix::process::getpriority_process(thread)
        .and_then(|now| rustix::process::setpriority_process(thread, (now + NICENESS).min(19)));
    if let Err(error) = lowered {
        tracing::warn!("a guest's thread runs at full priority: {error}");
    }
}

/// A thread's name: Linux keeps 15 bytes.
pub(crate) fn name(role: &str, plugin: &str) -> String {
    let whole = format!("{role}:{plugin}").replace('\0', "");
    whole[..whole.floor_char_boundary(15)].to_owned()
}
