//! The page's own backend: one server per episode on 127.0.0.1, which hands out the page and what it may know, and
//! takes in what happens on it. The expected answer never passes through here.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router, middleware};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

pub use dynacu_record::PageEvent;

use crate::capture::timebase::Timebase;
use crate::task::foreign::Source;
use crate::task::home::Home;
use crate::task::prepare::Prepared;

mod audio;
mod files;
mod guard;
mod microphone;
mod session;
#[cfg(test)]
mod tests;
mod upstream;

/// Reports that wait for the episode. When it is slower than the page, the page's sockets wait.
const REPORTS: usize = 256;
/// How long connections may take to end after [`PageServer::stop`].
const STOP: Duration = Duration::from_secs(1);
/// Nothing that a page posts has a body.
const BODY: usize = 4 * 1024;

/// What the page, or its loss, tells the episode.
#[derive(Debug, Clone, PartialEq)]
pub enum FromPage {
    /// Loaded, fonts and clips too; it waits for the start.
    Ready,
    Event(PageEvent),
    MicrophoneOpened,
    /// Mono samples from -1 to 1 at 16 kHz.
    Microphone {
        /// When the first sample was taken, as close as arrival tells.
        at: Instant,
        samples: Vec<f32>,
    },
    MicrophoneClosed,
    /// The page's session is gone, or somebody opened the page again after the start. Sent once.
    Lost,
}

/// Waits until the page has loaded. What else it sends before that is of no interest.
///
/// # Errors
/// The page reports an error, or its server ended.
pub async fn until_ready(page: &mut mpsc::Receiver<FromPage>) -> Result<()> {
    loop {
        match page.recv().await {
            Some(FromPage::Ready) => return Ok(()),
            Some(FromPage::Event(event)) if event.name == "page-error" => {
                bail!("the page reports an error while loading: {}", event.data)
            }
            Some(_) => {}
            None => bail!("the page's server ended while the page was loading"),
        }
    }
}

/// What all connections share.
struct Shared {
    /// `127.0.0.1:<port>`, the only name under which the server answers.
    authority: String,
    /// The page's own folder; none where another server has the page.
    page: Option<Arc<Dir>>,
    /// The page's own file in that folder, and the only one where the page is a file.
    index: String,
    /// Where the page is none of ours.
    foreign: Option<Source>,
    upstream: Option<upstream::Upstream>,
    library: Arc<Dir>,
    /// `/variant.json`, fixed for the episode.
    variant: Value,
    reveals: BTreeMap<String, Value>,
    /// Clips by their opaque file name.
    clips: BTreeMap<String, Bytes>,
    moments: Vec<String>,
    timebase: Arc<Timebase>,
    reports: mpsc::Sender<FromPage>,
    started: AtomicBool,
    lost: AtomicBool,
    session: Mutex<Option<session::Line>>,
    microphone: AtomicBool,
    /// Bytes that the page said in its sessions.
    said: AtomicUsize,
    /// Becomes true, or its sender goes, when the server stops.
    stop: watch::Receiver<bool>,
}

impl Shared {
    /// Waits when the episode is slower than the page; forgets the report when the episode is over.
    async fn report(&self, report: FromPage) {
        let _ = self.reports.send(report).await;
    }

    async fn lose(&self, why: &str) {
        if *self.stop.borrow() || self.stop.has_changed().is_err() {
            return;
        }
        if !self.lost.swap(true, Ordering::SeqCst) {
            tracing::warn!("the page is lost: {why}");
            self.report(FromPage::Lost).await;
        }
    }

    fn started(&self) -> bool {
        self.started.load(Ordering::SeqCst)
    }
}

/// A running server. Dropping it ends its connections as [`PageServer::stop`] does, without waiting for them.
pub struct PageServer {
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    serving: tokio::task::JoinHandle<()>,
}

impl PageServer {
    /// Binds a free port of 127.0.0.1 and serves the prepared task. To be called inside a tokio runtime.
    ///
    /// # Errors
    /// No port, no page folder, no page library, an unreadable clip.
    pub fn start(
        prepared: Arc<Prepared>,
        home: &Home,
        timebase: Arc<Timebase>,
    ) -> Result<(Self, mpsc::Receiver<FromPage>)> {
        let folder = |path: &std::path::Path| {
            Dir::open_ambient_dir(path, ambient_authority())
                .map(Arc::new)
                .with_context(|| {
                    format!(
                        "cannot open {}, which pages are served from",
                        path.display()
                    )
                })
        };
        let foreign = prepared.foreign.as_ref().map(|page| page.source.clone());
        let mut index = "index.html".to_owned();
        let (mut page, mut upstream) = (None, None);
        match &foreign {
            None => page = Some(folder(&prepared.task.folder.join("page"))?),
            Some(Source::Folder(of_page)) => page = Some(folder(of_page)?),
            Some(Source::File(file)) => {
                page = Some(folder(&prepared.task.folder)?);
                let name = file.file_name().unwrap_or_default();
                index = name.to_string_lossy().into_owned();
            }
            Some(Source::Address(address)) => upstream = Some(upstream::Upstream::new(address)?),
        }
        let library = folder(&home.page_lib)?;
        let mut clips = BTreeMap::new();
        let mut addresses = serde_json::Map::new();
        for (id, file) in &prepared.clips {
            let bytes = std::fs::read(file)
                .with_context(|| format!("cannot read the clip {}", file.display()))?;
            let name = format!("{}.ogg", opaque()?);
            addresses.insert(id.clone(), format!("/audio/{name}").into());
            clips.insert(name, Bytes::from(bytes));
        }

        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
            .context("no free port on 127.0.0.1")?;
        listener.set_nonblocking(true)?;
        let authority = listener.local_addr()?.to_string();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (reports, received) = mpsc::channel(REPORTS);
        let (stop, stopped) = watch::channel(false);
        let variant = &prepared.variant;
        let shared = Arc::new(Shared {
            authority,
            page,
            index,
            foreign,
            upstream,
            library,
            variant: json!({ "task": opaque()?, "values": variant.page_values, "audio": addresses }),
            reveals: variant.reveals.clone(),
            clips,
            moments: prepared
                .task
                .manifest
                .moments
                .iter()
                .map(|moment| moment.name.clone())
                .collect(),
            timebase,
            reports,
            started: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            session: Mutex::new(None),
            microphone: AtomicBool::new(false),
            said: AtomicUsize::new(0),
            stop: stopped.clone(),
        });
        let serving = tokio::spawn(serve(listener, router(shared.clone()), stopped));
        Ok((
            Self {
                shared,
                stop,
                serving,
            },
            received,
        ))
    }

    /// The page's address.
    #[must_use]
    pub fn url(&self) -> String {
        let path = match &self.shared.foreign {
            Some(Source::Address(address)) => address.path.as_str(),
            _ => "/",
        };
        format!("http://{}{path}", self.shared.authority)
    }

    /// Sends the start signal; from now on values may be revealed. The caller starts the clock right before.
    ///
    /// # Errors
    /// No page is connected, or it was started already.
    pub fn start_page(&self) -> Result<()> {
        let session = self.shared.session.lock();
        let line = session
            .as_ref()
            .ok_or_else(|| anyhow!("no page is connected"))?;
        if self.shared.started.swap(true, Ordering::SeqCst) {
            bail!("the page was started already");
        }
        line.send(json!({ "kind": "start" }).to_string())
    }

    /// Sets what `window.getTaskResult()` returns from now on. A page that is gone is reported elsewhere.
    pub fn set_result(&self, label: &str) {
        let session = self.shared.session.lock();
        let message = json!({ "kind": "result", "value": label }).to_string();
        let sent = session.as_ref().map(|line| line.send(message));
        if !matches!(sent, Some(Ok(()))) {
            tracing::debug!("the result {label} did not reach the page");
        }
    }

    /// Closes all connections and the port.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        if tokio::time::timeout(STOP, &mut self.serving).await.is_err() {
            self.serving.abort();
        }
    }
}

/// 128 random bits: addresses tell neither task nor clip.
fn opaque() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow!("the system provides no random numbers: {error}"))?;
    Ok(hex::encode(bytes))
}

fn router(shared: Arc<Shared>) -> Router {
    let router = Router::new();
    let foreign = match &shared.foreign {
        Some(Source::File(_)) => Some(router.route("/", get(files::index))),
        Some(Source::Folder(_)) => Some(
            router
                .route("/", get(files::index))
                .route("/{*path}", get(files::page)),
        ),
        Some(Source::Address(_)) => Some(router.fallback(upstream::forward)),
        None => None,
    };
    let router = foreign.unwrap_or_else(of_task);
    router
        .layer(middleware::from_fn_with_state(shared.clone(), guard::guard))
        .with_state(shared)
}

/// What the pages of our tasks ask for.
fn of_task() -> Router<Arc<Shared>> {
    Router::new()
        .route("/", get(files::index))
        .route("/variant.json", get(variant))
        .route("/reveal/{name}", post(reveal))
        .route("/audio/{name}", get(audio::clip))
        .route("/session", any(session::open))
        .route("/microphone", any(microphone::open))
        .route("/lib/{*path}", get(files::library))
        .route("/{*path}", get(files::page))
        .layer(DefaultBodyLimit::max(BODY))
}

async fn serve(listener: tokio::net::TcpListener, router: Router, stopped: watch::Receiver<bool>) {
    // Small messages at their moment, not when more has gathered.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let ending = ended(stopped);
    if let Err(error) = axum::serve(listener, router)
        .with_graceful_shutdown(ending)
        .await
    {
        tracing::warn!("the task server ended: {error}");
    }
}

/// Resolves when the server is stopped or dropped.
async fn ended(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

async fn variant(State(shared): State<Arc<Shared>>) -> Json<Value> {
    Json(shared.variant.clone())
}

/// A transient value, at its moment: the page asks, the episode notes it.
async fn reveal(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Response {
    let value = match shared.reveals.get(&name) {
        Some(value) if shared.started() => value.clone(),
        _ => return StatusCode::FORBIDDEN.into_response(),
    };
    let event = PageEvent {
        at: shared.timebase.now(),
        name: "reveal".to_owned(),
        data: json!({ "name": name }),
    };
    shared.report(FromPage::Event(event)).await;
    Json(json!({ "value": value })).into_response()
}
