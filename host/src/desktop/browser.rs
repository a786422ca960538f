//! The lane's browser: Chromium, headed, in kiosk mode, with a fresh profile and a page that fills the screen.
//!
//! The debugging pipe serves launch, navigation, health and `getTaskResult()` only: never input, never what an agent sees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::log::DisableParams as NoLog;
use chromiumoxide::cdp::browser_protocol::network::DisableParams as NoNetwork;
use chromiumoxide::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, GetFrameTreeParams, ResetNavigationHistoryParams,
};
use chromiumoxide::cdp::js_protocol::runtime::{DisableParams as NoConsole, EvaluateParams};
use chromiumoxide::error::CdpError;
use chromiumoxide::handler::HandlerConfig;
use chromiumoxide::page::Page;
use dynacu_figures::plain::cut;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::display::{HEIGHT, WIDTH};
use super::supervisor::{Program, Started, Supervisor, SupervisorError};
use watching::Shown;

mod arguments;
mod watching;

pub use arguments::find_program;

const READY_WITHIN: Duration = Duration::from_secs(30);
const LOAD_WITHIN: Duration = Duration::from_secs(30);
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
const GEOMETRY_WITHIN: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);
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
    /// The page's script does not come to an end, while the browser is well. With the reason.
    Hung(String),
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
    /// Ends after [`BrowserEvent::Lost`] and [`BrowserEvent::Hung`].
    pub events: mpsc::Receiver<BrowserEvent>,
    /// For example `Chrome/156.0.8078.108`.
    pub version: String,
    page: Page,
    /// What the browser itself tells of the page, whether or not that can answer.
    shown: watch::Receiver<Shown>,
    /// The document that must not be left; none before `arm`.
    armed: watch::Sender<Option<String>>,
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
        let polling = watching::poll_connection(handler, events.clone());
        let mut tasks = vec![tokio::spawn(polling)];
        let ready = prepare(&connection, deadline).await;
        let (page, version) = match ready {
            Ok(ready) => ready,
            Err(reason) => {
                tasks.iter().for_each(JoinHandle::abort);
                return Err(reason);
            }
        };
        let armed = watch::Sender::new(None);
        let watching = watching::watch(&connection, &page, armed.subscribe(), events.clone()).await;
        let (shown, watching) = watching.map_err(|error| error.to_string())?;
        tasks.push(watching);
        tasks.push(tokio::spawn(watching::watch_health(
            page.clone(),
            shown.clone(),
            process.clone(),
            events,
        )));
        Ok(Self {
            events: receiver,
            version,
            page,
            shown,
            armed,
            process,
            profile: profile.to_owned(),
            tasks,
            _connection: connection,
        })
    }

    /// Shows another address in the page, waits until it has loaded, and forgets the pages before it. A page that opens a dialog while
    /// it loads goes on when that is answered, by whoever sees it: for this, it has loaded then.
    pub async fn goto(&self, url: &str) -> Result<(), BrowserError> {
        let failed = |reason: String| BrowserError::Load {
            url: url.to_owned(),
            reason,
        };
        let mut shown = self.shown.clone();
        tokio::select! {
            loaded = timeout(LOAD_WITHIN, self.page.goto(url)) => match loaded {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(failed(error.to_string())),
                Err(_) => return Err(failed(format!("not within {} s", LOAD_WITHIN.as_secs()))),
            },
            Ok(_) = shown.wait_for(Shown::asks) => {}
        }
        // Going back must not be possible by any key that the filter may have missed.
        self.page
            .execute(ResetNavigationHistoryParams::default())
            .await?;
        Ok(())
    }

    /// From now on, leaving the document that is shown is an event. Moves within it (fragments, history entries) are not.
    pub async fn arm(&self) -> Result<(), BrowserError> {
        let document = if self.asks() {
            self.shown.borrow().document.clone()
        } else {
            let tree = self.page.execute(GetFrameTreeParams::default()).await?;
            String::from(tree.result.frame_tree.frame.loader_id.clone())
        };
        self.armed.send_replace(Some(document));
        Ok(())
    }

    /// Whether a dialog of the page (`alert`, `confirm`, `prompt`, `beforeunload`) is on the screen. Until it is answered, by Return,
    /// Escape or a click, the page answers nothing.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.shown.borrow().asks()
    }

    /// Why the page counts as hung, or none where it is not.
    pub async fn hangs(&self) -> Option<String> {
        match watching::unwell(&self.page, self.shown.clone()).await? {
            BrowserEvent::Hung(why) => Some(why),
            BrowserEvent::Lost(_) | BrowserEvent::LeftPage(_) => None,
        }
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

    /// What the page reports about itself: `window.getTaskResult()`, as JSON where it is no text; at most 4096 letters of it. It is
    /// asked while this is polled, and borrows nothing: a page may take its time.
    pub fn page_result(&self) -> impl Future<Output = Result<String, BrowserError>> + Send + use<> {
        let page = self.page.clone();
        async move {
            let Said { said, threw } = evaluate(&page, PAGE_RESULT).await?;
            match threw {
                Some(why) => Err(BrowserError::Script(cut(&why, WORDS).into_owned())),
                None => Ok(said),
            }
        }
    }

    /// Evaluates an expression in the page and returns its value; promises are awaited.
    pub async fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> Result<T, BrowserError> {
        evaluate(&self.page, expression).await
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

async fn evaluate<T: DeserializeOwned>(page: &Page, expression: &str) -> Result<T, BrowserError> {
    let parameters = EvaluateParams {
        await_promise: Some(true),
        return_by_value: Some(true),
        ..EvaluateParams::new(expression)
    };
    let answer = timeout(ANSWER_WITHIN, page.execute(parameters))
        .await
        .map_err(|_| BrowserError::Protocol(format!("not within {} s", ANSWER_WITHIN.as_secs())))??
        .result;
    if let Some(exception) = answer.exception_details {
        let thrown = exception.exception.and_then(|object| object.description);
        let why = thrown.unwrap_or(exception.text);
        return Err(BrowserError::Script(cut(&why, WORDS).into_owned()));
    }
    serde_json::from_value(answer.result.value.unwrap_or_default())
        .map_err(|error| BrowserError::Script(error.to_string()))
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

fn last_words(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines
        .get(lines.len().saturating_sub(3)..)
        .unwrap_or_default()
        .join(" | ")
}
