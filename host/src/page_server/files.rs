//! Files of the page and of the page library. The folders are opened as capabilities: no path leads out of them.

use std::io::Read;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use cap_std::fs::Dir;

use super::Shared;

/// The largest file that is served, in bytes: pages are read into memory.
const LARGEST: u64 = 32 * 1024 * 1024;

pub(super) async fn index(State(shared): State<Arc<Shared>>) -> Response {
    own(&shared, shared.index.clone()).await
}

pub(super) async fn page(State(shared): State<Arc<Shared>>, Path(path): Path<String>) -> Response {
    own(&shared, path).await
}

pub(super) async fn library(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
) -> Response {
    file(shared.library.clone(), path).await
}

async fn own(shared: &Shared, path: String) -> Response {
    match &shared.page {
        Some(folder) => file(folder.clone(), path).await,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn file(folder: Arc<Dir>, path: String) -> Response {
    let Some(kind) = content_type(&path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let read = tokio::task::spawn_blocking(move || read(&folder, &path)).await;
    match read {
        Ok(Some(bytes)) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn read(folder: &Dir, path: &str) -> Option<Vec<u8>> {
    // Pages name their files from the root; hidden files and steps upwards have no place in them.
    if path
        .split('/')
        .any(|part| part.is_empty() || part.starts_with('.'))
    {
        return None;
    }
    let file = folder.open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What pages are made of; other files are not served.
fn content_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "txt" | "csv" => "text/plain; charset=utf-8",
        "vtt" => "text/vtt",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "ogg" => "audio/ogg",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "m4a" => "audio/mp4",
        "webm" => "video/webm",
        "mp4" => "video/mp4",
        _ => return None,
    })
}
