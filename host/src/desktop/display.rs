//! A lane's display: Xvfb, and a window manager that gives the browser the whole of it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, access};
use tokio::time::{Instant, sleep};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};
use x11rb::rust_connection::RustConnection;

use super::supervisor::{Program, Started, Supervisor, SupervisorError};

/// Pixels of the screen, and of the page: the two are the same.
pub const WIDTH: u16 = 1280;
pub const HEIGHT: u16 = 720;

const SOCKETS: &str = "/tmp/.X11-unix";
const READY_WITHIN: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Servers that start at the same instant can still collide on a number; the loser exits at once. Of eight, the last one can
/// lose to each of the others.
const ATTEMPTS: u32 = 10;

/// Whether a point is outside the screen: valid are 0..=1279 and 0..=719.
#[must_use]
pub fn off_screen(x: i32, y: i32) -> bool {
    !(0..i32::from(WIDTH)).contains(&x) || !(0..i32::from(HEIGHT)).contains(&y)
}

#[derive(Debug, thiserror::Error)]
pub enum DisplayError {
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    #[error(
        "X servers cannot keep their sockets in {SOCKETS}: {0}; make it as root: mkdir -p -m 1777 {SOCKETS}, or chmod 1777 {SOCKETS}"
    )]
    Sockets(std::io::Error),
    #[error("Xvfb did not start: {reason} (log: {})", log.display())]
    Server { reason: String, log: PathBuf },
    #[error("the window manager did not start: {reason} (log: {})", log.display())]
    Manager { reason: String, log: PathBuf },
    #[error("the display {0} cannot be reached: {1}")]
    Connect(String, String),
}

/// A running X server and its window manager.
#[derive(Debug)]
pub struct Display {
    /// As in `$DISPLAY`, for example `:3`.
    pub name: String,
    pub server: Started,
    pub manager: Started,
}

impl Display {
    /// Starts both. Logs go to `folder`.
    pub async fn start(
        supervisor: &Supervisor,
        folder: &Path,
        environment: &BTreeMap<String, String>,
    ) -> Result<Self, DisplayError> {
        make_socket_folder(Path::new(SOCKETS)).map_err(DisplayError::Sockets)?;
        let mut attempt = 1;
        let (name, server) = loop {
            match start_server(supervisor, folder, environment, attempt).await {
                Err(DisplayError::Server { .. }) if attempt < ATTEMPTS => attempt += 1,
                result => break result?,
            }
        };
        let manager = start_manager(supervisor, folder, environment, &name).await?;
        Ok(Self {
            name,
            server,
            manager,
        })
    }
}

/// The folder is missing in fresh containers, and a server without root cannot make it with the right mode. Where it is
/// there and cannot be written, a server would say only that it made no socket.
fn make_socket_folder(folder: &Path) -> std::io::Result<()> {
    match std::fs::create_dir(folder) {
        Ok(()) => std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o1777)),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            if !folder.is_dir() {
                return Err(std::io::Error::other("there is a file of that name"));
            }
            let wanted = Access::WRITE_OK | Access::EXEC_OK;
            access(folder, wanted).map_err(std::io::Error::from)
        }
        Err(error) => Err(error),
    }
}

async fn start_server(
    supervisor: &Supervisor,
    folder: &Path,
    environment: &BTreeMap<String, String>,
    attempt: u32,
) -> Result<(String, Started), DisplayError> {
    let output = folder.join(format!("xvfb-{attempt}.out"));
    let log = folder.join(format!("xvfb-{attempt}.log"));
    let screen = format!("{WIDTH}x{HEIGHT}x24");
    // The server picks a free number itself and writes it to descriptor 1 once it accepts connections; any number chosen
    // from outside would be a race between lanes.
    let arguments = [
        "-displayfd",
        "1",
        "-screen",
        "0",
        &screen,
        "-nolisten",
        "tcp",
        "-noreset",
        "-s",
        "0",
        "-dpi",
        "96",
    ];
    let server = supervisor
        .spawn(Program {
            program: "Xvfb".to_owned(),
            arguments: arguments.map(str::to_owned).to_vec(),
            environment: environment.clone(),
            output: Some(output.clone()),
            errors: Some(log.clone()),
        })
        .await?;
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        let written = std::fs::read_to_string(&output).unwrap_or_default();
        if written.ends_with('\n')
            && let Ok(number) = written.trim().parse::<u32>()
        {
            return Ok((format!(":{number}"), server));
        }
        let failed = |reason: String| DisplayError::Server {
            reason,
            log: log.clone(),
        };
        if let Some(how) = server.has_ended() {
            return Err(failed(how));
        }
        if Instant::now() > deadline {
            supervisor.kill(server.pid).await?;
            return Err(failed("it does not say its display number".to_owned()));
        }
        sleep(LOOK_EVERY).await;
    }
}

async fn start_manager(
    supervisor: &Supervisor,
    folder: &Path,
    environment: &BTreeMap<String, String>,
    display: &str,
) -> Result<Started, DisplayError> {
    let log = folder.join("window-manager.log");
    // No key shortcuts of its own: an agent's keys are for the page.
    let arguments = [
        "-display",
        display,
        "-use_titlebar",
        "no",
        "-kbdconfig",
        "/dev/null",
    ];
    let manager = supervisor
        .spawn(Program {
            program: "matchbox-window-manager".to_owned(),
            arguments: arguments.map(str::to_owned).to_vec(),
            environment: environment.clone(),
            output: None,
            errors: Some(log.clone()),
        })
        .await?;
    let unreachable = |error: String| DisplayError::Connect(display.to_owned(), error);
    let (connection, screen) =
        x11rb::connect(Some(display)).map_err(|error| unreachable(error.to_string()))?;
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        if manages(&connection, screen).map_err(unreachable)? {
            return Ok(manager);
        }
        let failed = |reason: &str| DisplayError::Manager {
            reason: reason.to_owned(),
            log: log.clone(),
        };
        if let Some(how) = manager.has_ended() {
            return Err(failed(&how));
        }
        if Instant::now() > deadline {
            return Err(failed("it does not take over the display"));
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Whether a window manager has announced itself on the root window.
fn manages(connection: &RustConnection, screen: usize) -> Result<bool, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let root = connection
        .setup()
        .roots
        .get(screen)
        .ok_or("the display has no screen")?
        .root;
    let atom = connection
        .intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")
        .map_err(|error| text(&error))?
        .reply()
        .map_err(|error| text(&error))?
        .atom;
    let property = connection
        .get_property(false, root, atom, AtomEnum::ANY, 0, 1)
        .map_err(|error| text(&error))?
        .reply()
        .map_err(|error| text(&error))?;
    Ok(property.value_len > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_folder_is_made_for_everybody_and_a_file_in_its_place_is_told() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("sockets");
        for _ in 0..2 {
            make_socket_folder(&folder).unwrap();
            let mode = folder.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o1777);
        }
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = DisplayError::Sockets(make_socket_folder(&file).unwrap_err()).to_string();
        assert!(
            error.contains("there is a file of that name") && error.contains("-m 1777"),
            "{error}"
        );
        assert!(make_socket_folder(&root.path().join("not/there")).is_err());
    }
}
