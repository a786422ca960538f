//! The page's session: what happens on it comes in, start signal and result go out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, anyhow};
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use dynacu_figures::plain::cut;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;

use super::{FromPage, PageEvent, Shared, ended};

/// The largest message of a page, in bytes: a long document is a few thousand words.
const LARGEST: usize = 256 * 1024;
/// All that a page may say in an episode, in bytes: the host keeps it until the end, for the scorer.
pub(super) const IN_ALL: usize = 16 * 1024 * 1024;
/// Messages that wait to be sent to the page: start, then results.
const WAITING: usize = 16;

/// Characters of a message that are logged.
const WORDS: usize = 200;

/// The way to the connected page.
pub(super) struct Line {
    number: u64,
    out: mpsc::Sender<String>,
}

impl Line {
    pub(super) fn send(&self, message: String) -> Result<()> {
        self.out
            .try_send(message)
            .map_err(|_| anyhow!("the page does not take messages any more"))
    }
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum PageMessage {
    Ready,
    Event { t: f64, name: String, data: Value },
}

pub(super) async fn open(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    if shared.started() {
        shared
            .lose("its session was opened again after the start")
            .await;
        return StatusCode::CONFLICT.into_response();
    }
    upgrade
        .max_message_size(LARGEST)
        .max_frame_size(LARGEST)
        .on_upgrade(move |socket| talk(shared, socket))
}

async fn talk(shared: Arc<Shared>, mut socket: WebSocket) {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
    let (out, mut outgoing) = mpsc::channel(WAITING);
    // Before the start a page may be loaded anew; the last one counts, and the older line ends with its sender.
    *shared.session.lock() = Some(Line { number, out });
    let mut stopping = std::pin::pin!(ended(shared.stop.clone()));
    let why = loop {
        tokio::select! {
            () = &mut stopping => {
                let _ = socket.send(Message::Close(None)).await;
                return;
            }
            message = outgoing.recv() => match message {
                Some(text) => if socket.send(Message::Text(text.into())).await.is_err() {
                    break "its session broke";
                },
                None => return,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    let before = shared.said.fetch_add(text.len(), Ordering::Relaxed);
                    if before + text.len() > IN_ALL {
                        break "it says more than any page has to";
                    }
                    take(&shared, &text).await;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Binary(_))) => break "it sent what is not text",
                Some(Ok(Message::Close(_))) | None => break "its session was closed",
                Some(Err(error)) => {
                    tracing::warn!("the page's session failed: {error}");
                    break "its session failed";
                }
            },
        }
    };
    let current = {
        let mut session = shared.session.lock();
        let current = session.as_ref().is_some_and(|line| line.number == number);
        if current {
            *session = None;
        }
        current
    };
    if current && shared.started() {
        shared.lose(why).await;
    }
}

async fn take(shared: &Shared, text: &str) {
    match serde_json::from_str(text) {
        Ok(PageMessage::Ready) => shared.report(FromPage::Ready).await,
        Ok(PageMessage::Event { t, name, data }) => {
            if !acceptable(&name) {
                let name = cut(&name, WORDS);
                tracing::warn!(%name, "the page sent an event that only the host may make");
                return;
            }
            if name == "moment" && !known(shared, &data) {
                let data = data.to_string();
                let data = cut(&data, WORDS);
                tracing::warn!(%data, "the page marked a moment that task.toml does not name");
            }
            // The page's clock starts a moment after the host's; what it says can neither be before nor ahead.
            let at = (t.max(0.0) as u64).min(shared.timebase.now());
            shared
                .report(FromPage::Event(PageEvent { at, name, data }))
                .await;
        }
        Err(error) => {
            let why = error.to_string();
            tracing::warn!("the page sent something unreadable: {}", cut(&why, WORDS));
        }
    }
}

/// `reveal` and `utterance` are made by the host; names are short, lower-case words.
fn acceptable(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(plain)
        && !matches!(name, "reveal" | "utterance")
}

fn known(shared: &Shared, data: &Value) -> bool {
    data.get("name")
        .and_then(Value::as_str)
        .is_some_and(|name| shared.moments.iter().any(|moment| moment == name))
}
