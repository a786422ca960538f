//! The voice behind the browser's `speechSynthesis`: speech-dispatcher with eSpeak NG, in the lane, into the lane's speaker.
//!
//! Chromium looks for the socket at its usual place below `$XDG_RUNTIME_DIR`, which is the lane's own; a dispatcher that it started
//! itself would leave the lane's process group.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::supervisor::{Program, Started, Supervisor, SupervisorError};

const READY_WITHIN: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(50);
const PROGRAM: &str = "speech-dispatcher";

/// One module, one way out; nothing of the system's configuration is read.
const CONFIGURATION: &str = "LogLevel 2\n\
    LogDir \"default\"\n\
    AudioOutputMethod \"pulse\"\n\
    AddModule \"espeak-ng\" \"sd_espeak-ng\" \"espeak-ng.conf\"\n\
    DefaultModule espeak-ng\n\
    DefaultLanguage \"en-US\"\n\
    DefaultRate 0\n\
    Timeout 0\n";

#[derive(Debug, thiserror::Error)]
pub enum DispatcherError {
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    #[error("cannot prepare {}: {source}", path.display())]
    Folder {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "speech-dispatcher, which speaks for pages that use speechSynthesis, is missing: run `make setup`, or `apt-get install speech-dispatcher speech-dispatcher-espeak-ng`"
    )]
    Missing,
    #[error("speech-dispatcher did not start: {reason} (log: {})", log.display())]
    Start { reason: String, log: PathBuf },
}

/// Starts and awaits the dispatcher; the lane's supervisor owns its process.
pub struct Dispatcher;

impl Dispatcher {
    /// Starts it with its socket where libspeechd looks, and waits until that is there.
    ///
    /// # Errors
    /// It is not installed, or does not come up within ten seconds.
    pub async fn start(
        supervisor: &Supervisor,
        folder: &Path,
        environment: &BTreeMap<String, String>,
    ) -> Result<Started, DispatcherError> {
        let path = environment.get("PATH").cloned().unwrap_or_default();
        if !std::env::split_paths(&path).any(|place| place.join(PROGRAM).is_file()) {
            return Err(DispatcherError::Missing);
        }
        let runtime = environment
            .get("XDG_RUNTIME_DIR")
            .map_or_else(|| folder.join("run"), PathBuf::from);
        let (home, settings) = (runtime.join(PROGRAM), folder.join("speech"));
        let modules = settings.join("modules");
        let prepare = || {
            std::fs::create_dir_all(&home)?;
            std::fs::create_dir_all(&modules)?;
            std::fs::write(settings.join("speechd.conf"), CONFIGURATION)?;
            std::fs::write(modules.join("espeak-ng.conf"), "Debug 0\n")
        };
        prepare().map_err(|source| DispatcherError::Folder {
            path: settings.clone(),
            source,
        })?;
        let socket = home.join("speechd.sock");
        let log = folder.join("speech-dispatcher.log");
        let text = |path: &Path| path.display().to_string();
        let started = supervisor
            .spawn(Program {
                program: PROGRAM.to_owned(),
                arguments: vec![
                    "--run-single".to_owned(),
                    "--timeout=0".to_owned(),
                    format!("--config-dir={}", text(&settings)),
                    "--communication-method=unix_socket".to_owned(),
                    format!("--socket-path={}", text(&socket)),
                    format!("--pid-file={}", text(&settings.join("pid"))),
                    format!("--log-dir={}", text(&settings)),
                ],
                environment: environment.clone(),
                output: None,
                errors: Some(log.clone()),
            })
            .await?;
        let deadline = Instant::now() + READY_WITHIN;
        let failed = |reason: String| DispatcherError::Start {
            reason,
            log: log.clone(),
        };
        while !socket.exists() {
            if let Some(how) = started.has_ended() {
                return Err(failed(how));
            }
            if Instant::now() > deadline {
                return Err(failed("its socket does not appear".to_owned()));
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(started)
    }
}
