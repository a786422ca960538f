//! What every program that runs episodes begins with: a log, threads, and the models.

use std::sync::Arc;

use anyhow::Result;
use dynacu_runtime::Engine;

use crate::episode::Bench;
use crate::perception::encoder::load_encoder;
use crate::perception::reading::Reader;
use crate::perception::recognizer::RecognizerChoice;
use crate::speech::piper::Piper;
use crate::task::home::Home;

/// Sends the log to standard error, as `DYNACU_LOG` filters it, and starts the threads on which lanes are served.
///
/// # Errors
/// The threads cannot be started.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("DYNACU_LOG").unwrap_or_else(|_| {
                tracing_subscriber::EnvFilter::new("warn,whisper_rs=error,chromiumoxide=off")
            }),
        )
        .with_writer(std::io::stderr)
        .without_time()
        .init();
    tokio::runtime::Builder::new_multi_thread()
        // Each lane has a thread beside them; they carry its page's server and its browser's events.
        .worker_threads(4)
        .enable_all()
        .build()
}

/// Loads every model once.
///
/// # Errors
/// A model's file is missing or broken.
pub fn bench(engine: Engine, home: Home, recognizer: &RecognizerChoice) -> Result<Bench> {
    let page_recognizer = RecognizerChoice::Base.load()?;
    Ok(Bench {
        engine,
        home,
        encoder: load_encoder()?,
        recognizer: match recognizer {
            RecognizerChoice::Base => Arc::clone(&page_recognizer),
            other => other.load()?,
        },
        page_recognizer,
        voice: Arc::new(Piper::load()?),
        reader: Arc::new(Reader::load()?),
    })
}
