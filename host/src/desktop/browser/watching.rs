//! What the browser tells while the page runs: documents and windows that should not be, dialogs, and whether page and browser are well.

use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::page::{
    EventFrameNavigated, EventJavascriptDialogClosed, EventJavascriptDialogOpening,
    GetFrameTreeParams, GetNavigationHistoryParams,
};
use chromiumoxide::cdp::browser_protocol::target::{EventTargetCrashed, EventTargetCreated};
use chromiumoxide::error::CdpError;
use chromiumoxide::handler::Handler;
use chromiumoxide::page::Page;
use dynacu_figures::plain::cut;
use futures::StreamExt;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::{BrowserEvent, WORDS};
use crate::desktop::supervisor::Started;

/// A loaded two-core machine can keep a healthy browser silent for seconds; a dead one is told by its process long before.
const HEALTH_EVERY: Duration = Duration::from_secs(5);
const HEALTH_WITHIN: Duration = Duration::from_secs(20);

/// What is on the screen.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The top document.
    pub(super) document: String,
    /// Dialogs of the page that opened, less those that closed: the two kinds of news may overtake each other.
    dialogs: i32,
}

impl Shown {
    /// Whether a dialog of the page waits for an answer. Its script stands still until then.
    pub(super) fn asks(&self) -> bool {
        self.dialogs > 0
    }
}

/// The task `browser`: without it nothing of the protocol moves. Messages that this version of the protocol does not know
/// are skipped; only a broken connection ends it.
pub(super) async fn poll_connection(mut handler: Handler, events: mpsc::Sender<BrowserEvent>) {
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

/// Watches for documents and windows that should not be, and for dialogs.
pub(super) async fn watch(
    connection: &chromiumoxide::Browser,
    page: &Page,
    armed: watch::Receiver<Option<String>>,
    events: mpsc::Sender<BrowserEvent>,
) -> Result<(watch::Receiver<Shown>, JoinHandle<()>), CdpError> {
    let mut navigated = page.event_listener::<EventFrameNavigated>().await?;
    let mut opening = page
        .event_listener::<EventJavascriptDialogOpening>()
        .await?;
    let mut closed = page.event_listener::<EventJavascriptDialogClosed>().await?;
    let mut created = connection.event_listener::<EventTargetCreated>().await?;
    let mut crashed = connection.event_listener::<EventTargetCrashed>().await?;
    let own = page.target_id().clone();
    let (shown, receiver) = watch::channel(Shown::default());
    let watching = tokio::spawn(async move {
        let document = || armed.borrow().clone();
        loop {
            let event = tokio::select! {
                // In the order in which they happen: a document, then its dialogs.
                biased;
                Some(event) = navigated.next() => {
                    let frame = &event.frame;
                    let top = frame.parent_id.is_none();
                    if top {
                        shown.send_modify(|shown| shown.document.clone_from(frame.loader_id.inner()));
                    }
                    let left = top && document().is_some_and(|document| document != *frame.loader_id.inner());
                    left.then(|| BrowserEvent::LeftPage(cut(&frame.url, WORDS).into_owned()))
                }
                Some(_) = opening.next() => {
                    shown.send_modify(|shown| shown.dialogs += 1);
                    None
                }
                Some(_) = closed.next() => {
                    shown.send_modify(|shown| shown.dialogs -= 1);
                    None
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
    });
    Ok((receiver, watching))
}

/// The connection's own end is not always reported by the library, so the process and its answers are watched too.
pub(super) async fn watch_health(
    page: Page,
    shown: watch::Receiver<Shown>,
    mut process: Started,
    events: mpsc::Sender<BrowserEvent>,
) {
    let what = loop {
        tokio::select! {
            how = process.end() => break BrowserEvent::Lost(format!("Chromium ended: {how}")),
            () = sleep(HEALTH_EVERY) => {
                if let Some(what) = unwell(&page, shown.clone()).await {
                    break what;
                }
            }
        }
    };
    let _ = events.send(what).await;
}

/// What is wrong: with the page, which does not answer while its script runs, or with the browser, which always does. A page whose
/// dialog is open need not answer.
pub(super) async fn unwell(page: &Page, mut shown: watch::Receiver<Shown>) -> Option<BrowserEvent> {
    let asks = tokio::select! {
        answer = timeout(HEALTH_WITHIN, page.execute(GetFrameTreeParams::default())) => match answer {
            Ok(Ok(_)) => return None,
            Ok(Err(error)) => return Some(BrowserEvent::Lost(error.to_string())),
            Err(_) => false,
        },
        asks = shown.wait_for(Shown::asks) => asks.is_ok(),
    };
    let within = HEALTH_WITHIN.as_secs();
    // This is answered by the browser, for the page.
    let answer = page.execute(GetNavigationHistoryParams::default());
    match timeout(HEALTH_WITHIN, answer).await {
        Ok(Ok(_)) if asks => None,
        Ok(Ok(_)) => Some(BrowserEvent::Hung(format!(
            "the page's script hangs: no answer within {within} s"
        ))),
        Ok(Err(error)) => Some(BrowserEvent::Lost(error.to_string())),
        Err(_) => Some(BrowserEvent::Lost(format!("no answer within {within} s"))),
    }
}
