//! The lane's browser: Chromium, headed, in kiosk mode, with a fresh profile and a page that fills the screen.
//!
//! The debugging pipe serves launch, navigation, health and `getTaskResult()` only: never input, never what an agent sees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::log::DisableParams as NoLog;
use chromiumoxide::cdp::browser_protocol::network::DisableParams as NoNetwork;
use chromiumoxide::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, EventFrameNavigated, GetFrameTreeParams,
    ResetNavigationHistoryParams,
};
use chromiumoxide::cdp::browser_protocol::target::{EventTargetCrashed, EventTargetCreated};
use chromiumoxide::cdp::js_protocol::runtime::{DisableParams as NoConsole, EvaluateParams};
use chromiumoxide::error::CdpError;
use chromiumoxide::handler::{Handler, HandlerConfig};
use chromiumoxide::page::Page;
use dynacu_figures::plain::cut;
use futures::StreamExt;
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::display::{HEIGHT, WIDTH};
use super::supervisor::{Program, Started, Supervisor, SupervisorError};

mod arguments;

pub use arguments::find_program;

const READY_WITHIN: Duration = Duration::from_secs(30);
const LOAD_WITHIN: Duration = Duration::from_secs(30);
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
const GEOMETRY_WITHIN: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A loaded two-core machine can keep a healthy browser silent for seconds; a dead one is told by its process long before.
const HEALTH_EVERY: Duration = Duration::from_secs(5);
const HEALTH_WITHIN: Duration = Duration::from_secs(20);

/// Characters of an address or an error that are kept.
const WORDS: usize = 500;

/// Asks for the page's result. What a page says is cut before it leaves the page, by nothing but syntax: every function that could
/// do it (`slice`, `substring`) is the page's to replace, and so is what an object inherits (`then`).
const PAGE_RESULT: &str = "
(async () => {
  const most = 4096;
  const cut = (whole) => {
    let text = '';
    if (typeof whole === 'string') for (let at = 0; at < most && at < whole.length; at += 1) text += whole[at];
    return text;
  };
  try {
    const said = await window.getTaskResult();
    return { __proto__: null, said: cut(typeof said === 'string' ? said : JSON.stringify(said ?? null)), threw: null };
  } catch (error) {
    try { return { __proto__: null, said: '', threw: cut(`${error}`) }; } catch { return { __proto__: null, said: '', threw: 'an error without a text' }; }
  }
})()";

/// What [`PAGE_RESULT`] gives.
#[derive(Deserialize)]
struct Said {
    said: String,
    threw: Option<String>,
}

/// Runs in a world of its own in every document, where the page cannot see or undo it. Shuts the ways out that a mouse has:
/// the context menu (back, reload, save, view source), the clicks (middle, or Return with Control or Shift) that open a link in a new window, and the drop of a link,
/// which the browser would follow. Pages that handle these events themselves are not disturbed.
const GUARD: &str = "
addEventListener('contextmenu', event => event.preventDefault(), true);
for (const name of ['auxclick', 'click']) {
  addEventListener(name, event => {
    const another = event.button === 1 || event.ctrlKey || event.shiftKey || event.metaKey;
    if (another && event.target.closest?.('a, area')) event.preventDefault();
  }, true);
}
for (const name of ['dragover', 'drop']) {
  addEventListener(name, event => {
    if (!event.target.closest?.('input, textarea, [contenteditable]')) event.preventDefault();
  });
}
";

#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    #[error(
        "Chromium was not found: install it (`apt-get install chromium`) or name it in $DYNACU_CHROMIUM"
    )]
    Missing,
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    #[error("Chromium did not start: {reason}; last output: {words}")]
    Start { reason: String, words: String },
    #[error("cannot use the profile folder {}: {source}", path.display())]
    Profile {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the page {url} did not load: {reason}")]
    Load { url: String, reason: String },
    #[error("the browser did not answer: {0}")]
    Protocol(String),
    #[error("the page's script failed: {0}")]
    Script(String),
    #[error("the page is not exactly {WIDTH}x{HEIGHT} pixels at the screen's corner: it is {0:?}")]
    Geometry(Geometry),
}

impl From<CdpError> for BrowserError {
    fn from(error: CdpError) -> Self {
        Self::Protocol(error.to_string())
    }
}

/// What the host must know at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserEvent {
    /// The page was left or loaded again, or a window was opened, after [`Browser::arm`]. With the new address.
    LeftPage(String),
    /// The browser, its page or the connection to it is dead. With the reason.
    Lost(String),
}

/// Where the page lies on the screen, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Geometry {
    pub width: f64,
    pub height: f64,
    pub ratio: f64,
    pub zoom: f64,
    pub x: f64,
    pub y: f64,
}

/// A running browser with one page. Close it with `Lane::close_browser`.
#[derive(Debug)]
pub struct Browser {
    /// Ends after [`BrowserEvent::Lost`].
    pub events: mpsc::Receiver<BrowserEvent>,
    /// For example `Chrome/156.0.8078.108`.
    pub version: String,
    page: Page,
    /// The document that must not be left; none before `arm`.
    armed: Arc<Mutex<Option<String>>>,
    process: Started,
    profile: PathBuf,
    tasks: Vec<JoinHandle<()>>,
    // Commands to the page travel through this connection: it has to live as long as the page.
    _connection: chromiumoxide::Browser,
}

impl Drop for Browser {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Browser {
    /// Starts Chromium in `environment` (which names display and sound server) with its profile in `profile`, a folder that
    /// must not exist yet, takes the first page and loads `url` in it.
    pub(super) async fn launch(
        supervisor: &Supervisor,
        profile: &Path,
        environment: &BTreeMap<String, String>,
        url: &str,
    ) -> Result<Self, BrowserError> {
        let program = find_program().ok_or(BrowserError::Missing)?;
        let unusable = |source| BrowserError::Profile {
            path: profile.to_owned(),
            source,
        };
        std::fs::create_dir(profile).map_err(unusable)?;
        let log = profile.with_extension("log");
        let process = supervisor
            .spawn(Program {
                program: program.display().to_string(),
                arguments: arguments::list(profile),
                environment: environment.clone(),
                output: None,
                errors: Some(log.clone()),
            })
            .await?;
        let pid = process.pid;
        let attached = Self::attach(process, profile).await;
        let started = match attached {
            Ok(browser) => browser.goto(url).await.map(|()| browser),
            Err(reason) => Err(BrowserError::Start {
                reason,
                words: last_words(&log),
            }),
        };
        if started.is_err() {
            supervisor.kill(pid).await?;
            let _ = std::fs::remove_dir_all(profile);
        }
        started
    }

    async fn attach(process: Started, profile: &Path) -> Result<Self, String> {
        let deadline = Instant::now() + READY_WITHIN;
        let address = debugging_address(&process, profile, deadline).await?;
        // No viewport: an emulated one would part the page's pixels from the screen's.
        let config = HandlerConfig {
            viewport: None,
            request_timeout: LOAD_WITHIN,
            ..HandlerConfig::default()
        };
        let (connection, handler) = chromiumoxide::Browser::connect_with_config(address, config)
            .await
            .map_err(|error| error.to_string())?;
        let (events, receiver) = mpsc::channel(16);
        let mut tasks = vec![tokio::spawn(poll_connection(handler, events.clone()))];
        let ready = prepare(&connection, deadline).await;
        let (page, version) = match ready {
            Ok(ready) => ready,
            Err(reason) => {
                tasks.iter().for_each(JoinHandle::abort);
                return Err(reason);
            }
        };
        let armed = Arc::new(Mutex::new(None));
        let watching = watch(&connection, &page, Arc::clone(&armed), events.clone()).await;
        tasks.push(watching.map_err(|error| error.to_string())?);
        tasks.push(tokio::spawn(watch_health(
            page.clone(),
            process.clone(),
            events,
        )));
        Ok(Self {
            events: receiver,
            version,
            page,
            armed,
            process,
            profile: profile.to_owned(),
            tasks,
            _connection: connection,
        })
    }

    /// Shows another address in the page, waits until it has loaded, and forgets the pages before it.
    pub async fn goto(&self, url: &str) -> Result<(), BrowserError> {
        let failed = |reason: String| BrowserError::Load {
            url: url.to_owned(),
            reason,
        };
        match timeout(LOAD_WITHIN, self.page.goto(url)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(failed(error.to_string())),
            Err(_) => return Err(failed(format!("not within {} s", LOAD_WITHIN.as_secs()))),
        }
        // Going back must not be possible by any key that the filter may have missed.
        self.page
            .execute(ResetNavigationHistoryParams::default())
            .await?;
        Ok(())
    }

    /// From now on, leaving the document that is shown is an event. Moves within it (fragments, history entries) are not.
    pub async fn arm(&self) -> Result<(), BrowserError> {
        let tree = self.page.execute(GetFrameTreeParams::default()).await?;
        let document = String::from(tree.result.frame_tree.frame.loader_id.clone());
        *self.armed.lock() = Some(document);
        Ok(())
    }

    /// Where the page lies. The device pixel ratio must be 1 for screen and page to be one space.
    pub async fn geometry(&self) -> Result<Geometry, BrowserError> {
        self.evaluate(
            "({width: innerWidth, height: innerHeight, ratio: devicePixelRatio, \
             zoom: visualViewport.scale, x: screenX, y: screenY})",
        )
        .await
    }

    /// Waits a moment for the window to settle, and errs if the page is not exactly the screen.
    pub async fn check_geometry(&self) -> Result<(), BrowserError> {
        let right = Geometry {
            width: f64::from(WIDTH),
            height: f64::from(HEIGHT),
            ratio: 1.0,
            zoom: 1.0,
            x: 0.0,
            y: 0.0,
        };
        let deadline = Instant::now() + GEOMETRY_WITHIN;
        loop {
            let geometry = self.geometry().await?;
            if geometry == right {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(BrowserError::Geometry(geometry));
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// What the page reports about itself: `window.getTaskResult()`, as JSON where it is no text; at most 4096 letters of it.
    pub async fn page_result(&self) -> Result<String, BrowserError> {
        let Said { said, threw } = self.evaluate(PAGE_RESULT).await?;
        match threw {
            Some(why) => Err(BrowserError::Script(cut(&why, WORDS).into_owned())),
            None => Ok(said),
        }
    }

    /// Evaluates an expression in the page and returns its value; promises are awaited.
    pub async fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> Result<T, BrowserError> {
        let parameters = EvaluateParams {
            await_promise: Some(true),
            return_by_value: Some(true),
            ..EvaluateParams::new(expression)
        };
        let answer = timeout(ANSWER_WITHIN, self.page.execute(parameters))
            .await
            .map_err(|_| {
                BrowserError::Protocol(format!("not within {} s", ANSWER_WITHIN.as_secs()))
            })??
            .result;
        if let Some(exception) = answer.exception_details {
            let thrown = exception.exception.and_then(|object| object.description);
            let why = thrown.unwrap_or(exception.text);
            return Err(BrowserError::Script(cut(&why, WORDS).into_owned()));
        }
        serde_json::from_value(answer.result.value.unwrap_or_default())
            .map_err(|error| BrowserError::Script(error.to_string()))
    }

    /// Kills the browser and removes its profile. Nothing in it is worth an orderly end.
    pub(super) async fn close(self, supervisor: &Supervisor) -> Result<(), BrowserError> {
        let (pid, profile) = (self.process.pid, self.profile.clone());
        // First, so that the end of the process is no event.
        drop(self);
        supervisor.kill(pid).await?;
        std::fs::remove_dir_all(&profile).map_err(|source| BrowserError::Profile {
            path: profile,
            source,
        })
    }
}

/// Reads the port and path that Chromium writes into its profile once it listens.
async fn debugging_address(
    process: &Started,
    profile: &Path,
    deadline: Instant,
) -> Result<String, String> {
    loop {
        if let Ok(text) = std::fs::read_to_string(profile.join("DevToolsActivePort")) {
            let mut lines = text.lines();
            if let (Some(port), Some(path)) = (lines.next(), lines.next())
                && text.ends_with(path)
                && path.len() > "/devtools/browser/".len() + 30
            {
                return Ok(format!("ws://127.0.0.1:{port}{path}"));
            }
        }
        if let Some(how) = process.has_ended() {
            return Err(how);
        }
        if Instant::now() > deadline {
            return Err("it does not open its debugging port".to_owned());
        }
        sleep(LOOK_EVERY).await;
    }
}

/// Takes the first page: the only window that kiosk mode makes as large as the screen.
async fn prepare(
    connection: &chromiumoxide::Browser,
    deadline: Instant,
) -> Result<(Page, String), String> {
    let text = |error: CdpError| error.to_string();
    let version = connection.version().await.map_err(text)?.product;
    let page = loop {
        let pages = connection.pages().await.map_err(text)?;
        if let Some(page) = pages.into_iter().next() {
            break page;
        }
        if Instant::now() > deadline {
            return Err("it opens no page".to_owned());
        }
        sleep(LOOK_EVERY).await;
    };
    let guard = AddScriptToEvaluateOnNewDocumentParams {
        world_name: Some("guard".to_owned()),
        ..AddScriptToEvaluateOnNewDocumentParams::new(GUARD)
    };
    page.execute(guard).await.map_err(text)?;
    // What a page logs and fetches comes whole, however long, and nobody here asks for it.
    page.execute(NoConsole::default()).await.map_err(text)?;
    page.execute(NoLog::default()).await.map_err(text)?;
    page.execute(NoNetwork::default()).await.map_err(text)?;
    Ok((page, version))
}

/// The task `browser`: without it nothing of the protocol moves. Messages that this version of the protocol does not know
/// are skipped; only a broken connection ends it.
async fn poll_connection(mut handler: Handler, events: mpsc::Sender<BrowserEvent>) {
    let why = loop {
        match handler.next().await {
            Some(Ok(())) => {}
            Some(Err(CdpError::Ws(error))) => break error.to_string(),
            Some(Err(CdpError::Io(error))) => break error.to_string(),
            Some(Err(error)) => tracing::debug!("skipped a message of the browser: {error}"),
            None => break "the debugging connection closed".to_owned(),
        }
    };
    let _ = events.send(BrowserEvent::Lost(why)).await;
}

/// Watches for documents and windows that should not be.
async fn watch(
    connection: &chromiumoxide::Browser,
    page: &Page,
    armed: Arc<Mutex<Option<String>>>,
    events: mpsc::Sender<BrowserEvent>,
) -> Result<JoinHandle<()>, CdpError> {
    let mut navigated = page.event_listener::<EventFrameNavigated>().await?;
    let mut created = connection.event_listener::<EventTargetCreated>().await?;
    let mut crashed = connection.event_listener::<EventTargetCrashed>().await?;
    let own = page.target_id().clone();
    Ok(tokio::spawn(async move {
        let document = || armed.lock().clone();
        loop {
            let event = tokio::select! {
                Some(event) = navigated.next() => {
                    let frame = &event.frame;
                    let left = frame.parent_id.is_none()
                        && document().is_some_and(|document| document != *frame.loader_id.inner());
                    left.then(|| BrowserEvent::LeftPage(cut(&frame.url, WORDS).into_owned()))
                }
                Some(event) = created.next() => {
                    let target = &event.target_info;
                    let window = target.r#type == "page" || target.url.starts_with("devtools:");
                    (window && target.target_id != own && document().is_some())
                        .then(|| BrowserEvent::LeftPage(cut(&target.url, WORDS).into_owned()))
                }
                Some(event) = crashed.next() => (event.target_id == own)
                    .then(|| BrowserEvent::Lost(format!("the page crashed: {}", event.status))),
                else => return,
            };
            if let Some(event) = event
                && events.send(event).await.is_err()
            {
                return;
            }
        }
    }))
}

/// The connection's own end is not always reported by the library, so the process and its answers are watched too.
async fn watch_health(page: Page, mut process: Started, events: mpsc::Sender<BrowserEvent>) {
    let why = loop {
        tokio::select! {
            how = process.end() => break format!("Chromium ended: {how}"),
            () = sleep(HEALTH_EVERY) => {
                match timeout(HEALTH_WITHIN, page.execute(GetFrameTreeParams::default())).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => break error.to_string(),
                    Err(_) => break format!("no answer within {} s", HEALTH_WITHIN.as_secs()),
                }
            }
        }
    };
    let _ = events.send(BrowserEvent::Lost(why)).await;
}

fn last_words(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines
        .get(lines.len().saturating_sub(3)..)
        .unwrap_or_default()
        .join(" | ")
}
