//! One isolated desktop: display, sound and supervisor, in a folder of its own.

use std::collections::BTreeMap;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::browser::{Browser, BrowserError};
use super::dispatcher::{Dispatcher, DispatcherError};
use super::display::{Display, DisplayError};
use super::sound::{self, Sound, SoundError};
use super::supervisor::{Started, Supervisor, SupervisorError};

#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    #[error("cannot make the lane's folder {}: {source}", path.display())]
    Folder {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "there is neither $XDG_RUNTIME_DIR nor a cache folder to make lanes in: set one of $XDG_RUNTIME_DIR, $XDG_CACHE_HOME, $HOME"
    )]
    NoParent,
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    #[error(transparent)]
    Display(#[from] DisplayError),
    #[error(transparent)]
    Sound(#[from] SoundError),
    #[error(transparent)]
    Dispatcher(#[from] DispatcherError),
}

/// A running desktop. Dropping it ends its processes and removes its folder too, but only [`Lane::stop`] waits for that.
#[derive(Debug)]
pub struct Lane {
    /// Which lane of the run this is; a name for logs, nothing depends on it.
    pub index: usize,
    /// As in `$DISPLAY`, for example `:3`.
    pub display: String,
    /// As in `$PULSE_SERVER`.
    pub pulse_server: String,
    /// The sink that the page plays into.
    pub speaker_sink: String,
    /// What the page plays: the host's ears record this.
    pub speaker_monitor: String,
    /// The sink that the host speaks into; the page hears it as its microphone.
    pub microphone_sink: String,
    /// Holds logs, sockets, profiles; the supervisor removes it.
    pub folder: PathBuf,
    environment: BTreeMap<String, String>,
    launched: AtomicUsize,
    screen: Display,
    speaker: Sound,
    dispatcher: tokio::sync::Mutex<Option<Started>>,
    supervisor: Supervisor,
}

impl Lane {
    /// Starts a desktop in a new folder under `parent`; by default `dynacu/lanes` under `$XDG_RUNTIME_DIR` or the user's cache
    /// folder. Takes about a tenth of a second. On an error everything that was started is ended again.
    pub async fn start(index: usize, parent: Option<&Path>) -> Result<Self, LaneError> {
        let parent = match parent {
            Some(parent) => parent.to_owned(),
            None => default_parent().ok_or(LaneError::NoParent)?,
        };
        let folder = make_folder(&parent)?;
        let supervisor = match Supervisor::start(&folder) {
            Ok(supervisor) => supervisor,
            Err(error) => {
                let _ = std::fs::remove_dir_all(&folder);
                return Err(error.into());
            }
        };
        let environment = environment(&folder);
        let started = tokio::try_join!(
            async {
                let display = Display::start(&supervisor, &folder, &environment);
                display.await.map_err(LaneError::from)
            },
            async {
                let sound = Sound::start(&supervisor, &folder, &environment);
                sound.await.map_err(LaneError::from)
            },
        );
        let (screen, speaker) = match started {
            Ok(parts) => parts,
            Err(error) => {
                // The logs go with the folder, so what they say has to be told first.
                let tails = log_tails(&folder);
                tracing::warn!(lane = index, "the lane did not start; logs: {tails}");
                let _ = supervisor.stop().await;
                return Err(error);
            }
        };
        let mut environment = environment;
        environment.insert("DISPLAY".to_owned(), screen.name.clone());
        environment.insert("PULSE_SERVER".to_owned(), speaker.server.clone());
        Ok(Self {
            index,
            display: screen.name.clone(),
            pulse_server: speaker.server.clone(),
            speaker_sink: sound::SPEAKER.to_owned(),
            speaker_monitor: sound::SPEAKER_MONITOR.to_owned(),
            microphone_sink: sound::MICROPHONE_FEED.to_owned(),
            folder,
            environment,
            launched: AtomicUsize::new(0),
            screen,
            speaker,
            dispatcher: tokio::sync::Mutex::new(None),
            supervisor,
        })
    }

    /// Starts what speaks for pages that use the browser's own `speechSynthesis`: a speech-dispatcher that plays into the lane's
    /// speaker. A second call does nothing.
    pub async fn start_speech(&self) -> Result<(), LaneError> {
        let mut dispatcher = self.dispatcher.lock().await;
        if dispatcher
            .as_ref()
            .is_none_or(|started| started.has_ended().is_some())
        {
            let started = Dispatcher::start(&self.supervisor, &self.folder, &self.environment);
            *dispatcher = Some(started.await?);
        }
        Ok(())
    }

    /// Starts a browser with a fresh profile and shows `url` in it. One at a time: close the last one first.
    pub async fn launch_browser(&self, url: &str) -> Result<Browser, BrowserError> {
        let number = self.launched.fetch_add(1, Ordering::Relaxed);
        let profile = self.folder.join(format!("browser-{number}"));
        Browser::launch(&self.supervisor, &profile, &self.environment, url).await
    }

    /// Kills the browser with all its processes and removes its profile.
    pub async fn close_browser(&self, browser: Browser) -> Result<(), BrowserError> {
        browser.close(&self.supervisor).await
    }

    /// Waits until a part of the desktop has died, and says which; for an infrastructure error. Cancel-safe.
    pub async fn lost(&self) -> String {
        let mut server = self.screen.server.clone();
        let mut manager = self.screen.manager.clone();
        let mut daemon = self.speaker.daemon.clone();
        let mut supervisor = self.supervisor.lost();
        tokio::select! {
            why = supervisor.wait_for(Option::is_some) => {
                let why = why.ok().and_then(|why| why.clone()).unwrap_or_default();
                format!("the supervisor is gone: {why}")
            }
            how = server.end() => format!("Xvfb ended: {how}"),
            how = manager.end() => format!("the window manager ended: {how}"),
            how = daemon.end() => format!("pulseaudio ended: {how}"),
        }
    }

    /// The supervisor's process id: what a test kills or watches.
    #[must_use]
    pub fn supervisor_pid(&self) -> Option<u32> {
        self.supervisor.pid()
    }

    /// Ends every process of the lane and removes its folder; returns when that is done.
    pub async fn stop(self) -> Result<(), LaneError> {
        let folder = self.folder;
        self.supervisor.stop().await.inspect_err(|_| {
            // It should have done this; where it died itself, nobody else will.
            let _ = std::fs::remove_dir_all(&folder);
        })?;
        Ok(())
    }
}

fn default_parent() -> Option<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|path| path.is_dir());
    Some(
        runtime
            .or_else(dirs::cache_dir)?
            .join("dynacu")
            .join("lanes"),
    )
}

/// A new folder that only this user can enter.
fn make_folder(parent: &Path) -> Result<PathBuf, LaneError> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| LaneError::Folder { path, source }
    };
    std::fs::create_dir_all(parent).map_err(at(parent))?;
    // The children's working folder is another one, so that a relative path would mean something else to them.
    let parent = parent.canonicalize().map_err(at(parent))?;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("{}-{number}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            // A run that died with the same process id left its folder.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(at(&folder)(error)),
        }
    }
}

/// What a lane's programs see: the tools' path, UTF-8, and a home inside the lane, so that no setting of the user's
/// desktop reaches them and nothing of theirs stays behind. No keys of model providers.
fn environment(folder: &Path) -> BTreeMap<String, String> {
    let mut environment = BTreeMap::new();
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned());
    environment.insert("PATH".to_owned(), path);
    environment.insert("LANG".to_owned(), "C.UTF-8".to_owned());
    environment.insert("TZ".to_owned(), "UTC".to_owned());
    // Chromium must not look for a session bus of the user's.
    environment.insert(
        "DBUS_SESSION_BUS_ADDRESS".to_owned(),
        "disabled:".to_owned(),
    );
    environment.insert("NO_AT_BRIDGE".to_owned(), "1".to_owned());
    for (variable, name) in [
        ("HOME", "home"),
        ("XDG_CONFIG_HOME", "home/config"),
        ("XDG_CACHE_HOME", "home/cache"),
        ("XDG_DATA_HOME", "home/data"),
        ("XDG_RUNTIME_DIR", "run"),
        ("TMPDIR", "tmp"),
    ] {
        let place = folder.join(name);
        // A failure shows itself at once, as a program that does not start.
        let _ = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&place);
        environment.insert(variable.to_owned(), place.display().to_string());
    }
    environment
}

/// The last lines of each log.
fn log_tails(folder: &Path) -> String {
    let mut tails = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "log") {
            continue;
        }
        let text = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        let last = lines
            .get(lines.len().saturating_sub(3)..)
            .unwrap_or_default();
        tails.push_str(&format!(
            "[{}] {} ",
            entry.file_name().display(),
            last.join(" | ")
        ));
    }
    tails
}
