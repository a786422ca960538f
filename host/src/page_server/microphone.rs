//! Sound from the page's microphone, as a product would stream it to its backend.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::{FromPage, Shared, ended};

/// Samples a second; the recognizer takes no other rate.
const RATE: u32 = 16_000;
/// The largest message, in bytes: two seconds of sound.
const LARGEST: usize = 64_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    rate: u32,
}

pub(super) async fn open(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    // One stream at a time, or two would be heard as one.
    if shared.microphone.swap(true, Ordering::SeqCst) {
        return StatusCode::CONFLICT.into_response();
    }
    let failed = shared.clone();
    upgrade
        .max_message_size(LARGEST)
        .max_frame_size(LARGEST)
        .on_failed_upgrade(move |_| failed.microphone.store(false, Ordering::SeqCst))
        .on_upgrade(move |socket| async move {
            if let Err(why) = listen(&shared, socket).await {
                tracing::warn!("the page's microphone: {why}");
            }
            shared.microphone.store(false, Ordering::SeqCst);
        })
}

async fn listen(shared: &Shared, mut socket: WebSocket) -> Result<(), String> {
    let mut stopping = std::pin::pin!(ended(shared.stop.clone()));
    let mut opened = false;
    let end = loop {
        let message = tokio::select! {
            () = &mut stopping => {
                let _ = socket.send(Message::Close(None)).await;
                break Ok(());
            }
            message = socket.recv() => message,
        };
        let arrived = Instant::now();
        match message {
            Some(Ok(Message::Text(text))) if !opened => {
                match serde_json::from_str::<Opening>(&text) {
                    Ok(opening) if opening.rate == RATE => {
                        opened = true;
                        shared.report(FromPage::MicrophoneOpened).await;
                    }
                    _ => break Err(format!("its first message must be {{\"rate\":{RATE}}}")),
                }
            }
            Some(Ok(Message::Binary(bytes))) if opened && bytes.len().is_multiple_of(2) => {
                let samples = samples(&bytes);
                let length = Duration::from_secs_f64(samples.len() as f64 / f64::from(RATE));
                let at = arrived.checked_sub(length).unwrap_or(arrived);
                shared.report(FromPage::Microphone { at, samples }).await;
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_))) | None => break Ok(()),
            Some(Ok(_)) => break Err("a message that is not sound".to_owned()),
            Some(Err(error)) => break Err(error.to_string()),
        }
    };
    if opened {
        shared.report(FromPage::MicrophoneClosed).await;
    }
    end
}

/// Little-endian 16 bit to -1..1.
fn samples(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(2)
        .map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0)
        .collect()
}
