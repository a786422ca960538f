//! How much a thread of the host may push others aside.
//!
//! A lane's browser, the guests and perception share few cores. What must keep a pace goes first, what only costs time goes
//! last. Guests are niced by the runtime, which knows no desktop.

/// The thread that captures the screen: a few milliseconds of work, on time.
pub const CAPTURE: i32 = -10;
/// Embedding of frames: soon, but not before the page that it looks at.
pub const ENCODING: i32 = 2;
/// Reading of text: an assist that a policy waits for.
pub const READING: i32 = 5;

/// Adds to the niceness of the calling thread; below 0 puts it before others. Threads that it starts inherit it.
///
/// Going before others needs a privilege that the host may not have: then the thread stays as it is, and the log says so.
pub fn add(niceness: i32) {
    // On Linux the priority of a "process" is that of the thread with this id.
    let thread = Some(rustix::thread::gettid());
    let set = rustix::process::getpriority_process(thread).and_then(|now| {
        rustix::process::setpriority_process(thread, (now + niceness).clamp(-20, 19))
    });
    if let Err(error) = set {
        tracing::debug!("a thread keeps its priority: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_niced_and_the_others_are_not() {
        let own = || rustix::process::getpriority_process(Some(rustix::thread::gettid()));
        let before = own().unwrap();
        let niced = std::thread::Builder::new()
            .spawn(move || {
                add(READING);
                own()
            })
            .unwrap();
        let niced = niced.join().unwrap().unwrap();
        assert_eq!(niced, (before + READING).min(19));
        assert_eq!(own().unwrap(), before);
    }
}
