//! A lane's sound: a PulseAudio daemon with nothing in it but the page's speaker and the page's microphone.
//!
//! ```text
//! page ──▶ sink `speaker` ──▶ `speaker.monitor` ──▶ the host's ears
//! host's voice ──▶ sink `microphone_feed` ──▶ source `microphone` (the default) ──▶ page
//! ```
//!
//! Two sinks, so that the agent never hears itself. Chromium does not offer monitors as microphones, hence the remapped
//! source. Nothing suspends when idle, since a waking sink swallows the first words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::supervisor::{Program, Started, Supervisor, SupervisorError};

mod probe;

pub use probe::{Level, ProbeError, level_while_playing, look};

/// The sink that the page plays into.
pub const SPEAKER: &str = "speaker";
/// What the page plays, as a source.
pub const SPEAKER_MONITOR: &str = "speaker.monitor";
/// The sink that the host speaks into.
pub const MICROPHONE_FEED: &str = "microphone_feed";
/// The source that the page records from.
pub const MICROPHONE: &str = "microphone";
/// Samples a second of every device.
pub const RATE: u32 = 48_000;

const READY_WITHIN: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A Unix socket's path has 108 bytes with its closing zero.
const LONGEST_SOCKET: usize = 107;

#[derive(Debug, thiserror::Error)]
pub enum SoundError {
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    #[error("cannot prepare {}: {source}", path.display())]
    Folder {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "the lane's folder has too long a name for a socket ({}): choose a shorter parent folder",
        .0.display()
    )]
    LongPath(PathBuf),
    #[error("pulseaudio did not start: {reason} (log: {})", log.display())]
    Server { reason: String, log: PathBuf },
}

/// A running sound server.
#[derive(Debug)]
pub struct Sound {
    /// As in `$PULSE_SERVER`: `unix:` and the socket's path.
    pub server: String,
    pub daemon: Started,
}

impl Sound {
    /// Starts the daemon with its socket, state and log in `folder`, and waits until its devices answer.
    pub async fn start(
        supervisor: &Supervisor,
        folder: &Path,
        environment: &BTreeMap<String, String>,
    ) -> Result<Self, SoundError> {
        let home = folder.join("pulse");
        let socket = home.join("native");
        if socket.as_os_str().len() > LONGEST_SOCKET {
            return Err(SoundError::LongPath(socket));
        }
        let script = home.join("devices.pa");
        let prepare = || {
            std::fs::create_dir_all(&home)?;
            std::fs::write(&script, devices(&socket))
        };
        prepare().map_err(|source| SoundError::Folder {
            path: home.clone(),
            source,
        })?;
        let log = folder.join("pulseaudio.log");
        let mut environment = environment.clone();
        for variable in [
            "PULSE_RUNTIME_PATH",
            "PULSE_STATE_PATH",
            "PULSE_CONFIG_PATH",
        ] {
            environment.insert(variable.to_owned(), home.display().to_string());
        }
        let mut arguments: Vec<String> = [
            "-n",
            "--daemonize=no",
            "--system=no",
            "--use-pid-file=no",
            "--fail=yes",
            "--exit-idle-time=-1",
            "--realtime=no",
            "--high-priority=no",
            "--disallow-exit=no",
            "--enable-memfd=yes",
            "--resample-method=speex-float-5",
            "--log-target=stderr",
            "--log-level=notice",
            "-F",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(script.display().to_string());
        let daemon = supervisor
            .spawn(Program {
                program: "pulseaudio".to_owned(),
                arguments,
                environment,
                output: None,
                errors: Some(log.clone()),
            })
            .await?;
        let sound = Self {
            server: format!("unix:{}", socket.display()),
            daemon,
        };
        sound.wait_until_ready(&socket, &log).await?;
        Ok(sound)
    }

    async fn wait_until_ready(&self, socket: &Path, log: &Path) -> Result<(), SoundError> {
        let deadline = Instant::now() + READY_WITHIN;
        let failed = |reason: String| SoundError::Server {
            reason,
            log: log.to_owned(),
        };
        loop {
            if let Some(how) = self.daemon.has_ended() {
                return Err(failed(how));
            }
            let mut why = "its socket does not appear".to_owned();
            if socket.exists() {
                let server = self.server.clone();
                // libpulse blocks; the lane's other half starts on the same runtime meanwhile.
                let looked = tokio::task::spawn_blocking(move || look(&server)).await;
                match looked {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(error)) => why = error.to_string(),
                    Err(error) => why = error.to_string(),
                }
            }
            if Instant::now() > deadline {
                return Err(failed(why));
            }
            sleep(LOOK_EVERY).await;
        }
    }
}

/// The daemon's script. `norewinds` bounds a null sink's latency to 50 ms instead of two seconds, which keeps hearing and
/// speaking prompt however large a client's buffer is.
fn devices(socket: &Path) -> String {
    format!(
        "load-module module-native-protocol-unix auth-anonymous=1 socket=\"{socket}\"\n\
         load-module module-null-sink sink_name={SPEAKER} rate={RATE} channels=2 norewinds=1 sink_properties=device.description=Speaker\n\
         load-module module-null-sink sink_name={MICROPHONE_FEED} rate={RATE} channels=1 channel_map=mono norewinds=1 sink_properties=device.description=MicrophoneFeed\n\
         load-module module-remap-source source_name={MICROPHONE} master={MICROPHONE_FEED}.monitor rate={RATE} channels=1 channel_map=mono master_channel_map=mono source_properties=device.description=Microphone\n\
         set-default-sink {SPEAKER}\n\
         set-default-source {MICROPHONE}\n",
        socket = socket.display()
    )
}
