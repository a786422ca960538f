//! A person tries a task: the page in a normal window on the person's own display, with their own ears and microphone,
//! judged as an agent would be.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use dynacu_record::{EndCause, PageEvent, ScoreResult, Writer};
use dynacu_runtime::Plugin;
use tokio::process::Command;
use tokio::sync::mpsc::Receiver;

use crate::capture::timebase::Timebase;
use crate::desktop::browser::find_program;
use crate::desktop::display::{HEIGHT, WIDTH};
use crate::episode::judge::Judge;
use crate::episode::scoring;
use crate::page_server::{FromPage, PageServer, until_ready};
use crate::perception::hearing::{Listener, Utterance};
use crate::perception::recognizer::RecognizerChoice;
use crate::task::home::Home;
use crate::task::manifest::Needs;
use crate::task::prepare::Prepared;
use crate::weights;

/// How long the page may take to load in the person's browser.
const LOADING: Duration = Duration::from_secs(60);
/// How often an answer window that waits for speech is looked at.
const TICK: Duration = Duration::from_millis(100);
/// Room for the window's own frame, in pixels.
const FRAME: u16 = 60;

/// What the person's try came to.
#[derive(Debug, Clone)]
pub struct Played {
    /// The page's result, for example `price_correct`.
    pub result: String,
    pub cause: EndCause,
    /// From the start to the deciding event, or to the end.
    pub seconds: f64,
    pub score: Option<ScoreResult>,
}

/// Shows the page and waits for its end. `start` is awaited once the page is ready; then the clock runs.
///
/// # Errors
/// There is no display or browser, the page does not load, or the scorer is not built.
pub async fn play<F>(
    prepared: Arc<Prepared>,
    home: &Home,
    record: &Path,
    start: F,
) -> Result<Played>
where
    F: Future<Output = ()>,
{
    ensure!(
        ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some()),
        "there is no display to show the page on: run this on a desktop, or set DISPLAY"
    );
    let timebase = Arc::new(Timebase::new());
    let (writer, recorder) = Writer::start(record)?;
    let engine = crate::program::engine()?;
    let path = crate::bundled::scorer(home, &prepared.task)?;
    let plugin = Plugin::load(&engine, &path)?;
    let scorer = plugin
        .scorer()
        .map_err(|failure| anyhow!("{}: {}", plugin.name, failure.detail))?;
    let judge = Judge::new(
        Some(scorer),
        &prepared.variant.scorer_input,
        recorder.clone(),
    );
    let listening = if prepared.manifest().needs == Needs::AoiInteractive {
        let voice_activity = weights::file(weights::names::SILERO)?;
        let recognizer = RecognizerChoice::Base.load()?;
        Some(Listener::start(
            Arc::clone(&timebase),
            recognizer,
            &voice_activity,
        )?)
    } else {
        None
    };
    let (server, mut page) = PageServer::start(Arc::clone(&prepared), home, Arc::clone(&timebase))?;
    let profile = tempfile::tempdir()?;
    let mut browser = browser(profile.path(), &server.url())?;
    let ready = async {
        tokio::select! {
            ready = until_ready(&mut page) => ready,
            how = browser.wait() => bail!("the browser ended before the page was ready: {}", how?),
        }
    };
    tokio::time::timeout(LOADING, ready)
        .await
        .map_err(|_| anyhow!("the page was not ready within {} s", LOADING.as_secs()))??;
    start.await;
    timebase.start();
    server.start_page()?;
    let mut playing = Playing {
        prepared: &prepared,
        timebase: &timebase,
        judge,
    };
    let cause = playing
        .until_the_end(&mut page, listening, &mut browser)
        .await?;
    let ended = timebase.now();
    let verdict = playing.judge.verdict().cloned();
    let result = verdict.as_ref().map_or_else(
        || {
            if cause == EndCause::TimeLimit {
                "timeout"
            } else {
                "pending"
            }
            .to_owned()
        },
        |verdict| verdict.label.clone(),
    );
    let score = scoring::score(&playing.judge, &prepared, &result, cause, ended).await;
    drop(playing);
    server.set_result(&result);
    // First the server, so that the window's end is no loss of a page.
    server.stop().await;
    let _ = browser.kill().await;
    drop(recorder);
    writer.finish()?;
    Ok(Played {
        result,
        cause,
        seconds: verdict.map_or(ended, |verdict| verdict.at) as f64 / 1000.0,
        score: score
            .transpose()
            .map_err(|why| anyhow!("unscored: {why}"))?,
    })
}

struct Playing<'a> {
    prepared: &'a Prepared,
    timebase: &'a Timebase,
    judge: Judge,
}

impl Playing<'_> {
    async fn until_the_end(
        &mut self,
        page: &mut Receiver<FromPage>,
        listening: Option<(Listener, Receiver<Utterance>)>,
        browser: &mut tokio::process::Child,
    ) -> Result<EndCause> {
        let (listener, mut utterances) = match listening {
            Some((listener, utterances)) => (Some(listener), Some(utterances)),
            None => (None, None),
        };
        let limit = tokio::time::Instant::now() + self.prepared.manifest().time_limit;
        let mut tick = tokio::time::interval(TICK);
        loop {
            let said = async {
                match utterances.as_mut() {
                    Some(utterances) => utterances.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = tokio::signal::ctrl_c() => return Ok(EndCause::Operator),
                event = page.recv() => match event {
                    Some(FromPage::Event(event)) if event.name == "page-error" => {
                        bail!("the page reports an error: {}", event.data)
                    }
                    Some(FromPage::Event(event)) => {
                        self.happened(event.at, &event.name, event.data).await?;
                    }
                    Some(FromPage::Microphone { at, samples }) => {
                        if let Some(listener) = &listener {
                            listener.push(at, &samples);
                        }
                    }
                    Some(FromPage::Lost) | None => return Ok(EndCause::LeftPage),
                    Some(_) => {}
                },
                Some(heard) = said => {
                    let data = serde_json::json!({
                        "text": heard.text,
                        "started_at": heard.start_ms,
                        "ended_at": heard.end_ms,
                        "confidence": heard.confidence,
                    });
                    self.happened(heard.start_ms, "utterance", data).await?;
                }
                _ = browser.wait() => return Ok(EndCause::LeftPage),
                () = tokio::time::sleep_until(limit) => return Ok(EndCause::TimeLimit),
                _ = tick.tick() => {
                    let speaking = listener.as_ref().is_some_and(Listener::listening);
                    let settled = self.judge.settle(speaking, self.timebase.now()).await;
                    settled.map_err(|failure| anyhow!("the scorer failed: {}", failure.detail))?;
                }
            }
            if self.judge.verdict().is_some() {
                return Ok(EndCause::TaskEnded);
            }
        }
    }

    async fn happened(&mut self, at: u64, name: &str, data: serde_json::Value) -> Result<()> {
        let event = PageEvent {
            at,
            name: name.to_owned(),
            data,
        };
        self.judge
            .happened(event, self.timebase.now())
            .await
            .map_err(|failure| anyhow!("the scorer failed: {}", failure.detail))
    }
}

/// A browser of its own profile, with a window that is no kiosk.
fn browser(profile: &Path, url: &str) -> Result<tokio::process::Child> {
    let program = find_program().context(
        "Chromium was not found: install it (`apt-get install chromium`) or name it in $DYNACU_CHROMIUM",
    )?;
    let mut command = Command::new(program);
    command
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--app={url}"))
        .arg(format!(
            "--window-size={},{}",
            WIDTH + FRAME,
            HEIGHT + FRAME
        ))
        .args([
            "--force-device-scale-factor=1",
            "--autoplay-policy=no-user-gesture-required",
            "--use-fake-ui-for-media-stream",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--password-store=basic",
            "--lang=en-US",
        ]);
    if rustix::process::geteuid().is_root() {
        command.args(["--no-sandbox", "--test-type"]);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("the browser does not start")
}
