//! The operator's wish to end: running episodes end in order, and a second wish ends the program at once.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// What a shell shows for a program that ^C ended.
const INTERRUPTED: i32 = 130;

/// Whether the operator wants an end. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Listens for SIGINT and SIGTERM from now on. At the second one the program exits; the lanes' supervisors notice and
    /// end everything that belongs to them.
    ///
    /// # Errors
    /// The system takes no handler. Call it inside a tokio runtime.
    pub fn on_signals() -> std::io::Result<Stop> {
        let (mut interrupt, mut terminate) = (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        );
        let (wish, stop) = watch::channel(false);
        tokio::spawn(async move {
            for last in [false, true] {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if last {
                    std::process::exit(INTERRUPTED);
                }
                wish.send_replace(true);
                eprintln!("stopping the running episodes; interrupt again to stop at once");
            }
        });
        Ok(Stop(stop))
    }

    /// Waits for the wish. Cancel-safe.
    pub async fn wished(&self) {
        if self.0.clone().wait_for(|wished| *wished).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    #[must_use]
    pub fn is_wished(&self) -> bool {
        *self.0.borrow()
    }
}
