//! What every program that runs episodes begins with: a log, and threads.

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
        .with_writer(std::io::stderr)
        .without_time()
        .init();
    tokio::runtime::Builder::new_multi_thread()
        // Each lane has a thread beside them; they carry its page's server and its browser's events.
        .worker_threads(4)
        .enable_all()
        .build()
}
