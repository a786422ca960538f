//! Log lines of a plugin. The host adds the plugin, the episode and the time, and keeps a quota of them.

pub use crate::bindings::policy::dynacu::host::logging::Level;

/// Hands one line to the host. Never blocks; outside a component (in a native test) it does nothing.
pub fn log(level: Level, message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::policy::dynacu::host::logging::log(level, message);
    #[cfg(not(target_arch = "wasm32"))]
    let _ = (level, message);
}

/// [`log`] at the level `info`.
pub fn info(message: &str) {
    log(Level::Info, message);
}

/// [`log`] at the level `warn`.
pub fn warn(message: &str) {
    log(Level::Warn, message);
}
