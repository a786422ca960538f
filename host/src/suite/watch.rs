//! `--watch`: a page on the loopback that shows what every lane sees, hears and does.

use std::net::Ipv4Addr;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use tokio::task::JoinHandle;

use super::view::Views;
use crate::capture::screen::Screen;

const PAGE: &str = concat!(
    include_str!("watch/page.html"),
    "<script>\n",
    include_str!("watch/page.js"),
    "</script>\n",
);
/// The page shows screens at half size; so much is sent.
const SIDE: u32 = 640;

/// What the page is told beside the lanes.
pub type About = dyn Fn() -> serde_json::Value + Send + Sync;

struct Watched {
    views: Views,
    about: Arc<About>,
}

/// The running server. Dropping it ends it.
pub struct Watch {
    pub url: String,
    serving: JoinHandle<()>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Watch {
    /// Serves the lanes on the loopback; port 0 takes any. A random part of the address keeps the pages that agents see from
    /// guessing it.
    ///
    /// # Errors
    /// The port is taken, or the system provides no random numbers.
    pub async fn start(port: u16, views: Views, about: Arc<About>) -> Result<Watch> {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .await
            .with_context(|| {
                format!("--watch {port}: the port is not available; name another one, or none to use any")
            })?;
        let mut secret = [0_u8; 8];
        getrandom::fill(&mut secret).context("the system provides no random numbers")?;
        let secret = hex::encode(secret);
        let url = format!("http://{}/{secret}/", listener.local_addr()?);
        let router = Router::new()
            .route(&format!("/{secret}/"), get(|| async { Html(PAGE) }))
            .route(&format!("/{secret}/state"), get(state))
            .route(&format!("/{secret}/screen/{{lane}}"), get(screen))
            .with_state(Arc::new(Watched { views, about }));
        let serving = tokio::spawn(async move {
            // Ends when the run does.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Watch { url, serving })
    }
}

async fn state(State(watched): State<Arc<Watched>>) -> Response {
    let lanes: Vec<serde_json::Value> = watched
        .views
        .now()
        .iter()
        .map(|lane| {
            let seconds = lane.began.map(|began| began.elapsed().as_secs());
            json!({"view": lane, "seconds": seconds})
        })
        .collect();
    axum::Json(json!({"run": (watched.about)(), "lanes": lanes})).into_response()
}

async fn screen(State(watched): State<Arc<Watched>>, Path(lane): Path<usize>) -> Response {
    let display = watched
        .views
        .now()
        .get(lane)
        .and_then(|lane| lane.display.clone());
    let Some(display) = display else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let picture = tokio::task::spawn_blocking(move || {
        let picture = Screen::connect(&display)?.grab()?;
        anyhow::Ok(picture.jpeg(None, Some(SIDE))?)
    });
    match picture.await {
        Ok(Ok(picture)) => {
            let headers = [
                (header::CONTENT_TYPE, "image/jpeg"),
                (header::CACHE_CONTROL, "no-store"),
            ];
            (headers, picture.to_vec()).into_response()
        }
        // The lane ended in between.
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
