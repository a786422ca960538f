//! The test bed: the driver's lane with everything that an episode has, a page to look at, and somebody in the policy's place.
//!
//! It sets the same stage as an episode does and hears what the episode's loop hears; only the policy is a piece of the host, so
//! that a figure is the host's and no guest's.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use dynacu_record::Writer;
use dynacu_runtime::types::{Channel, StopCause};
use serde_json::Value;
use tokio::sync::mpsc;

use super::processes::{Look, Sampler};
use super::scene::Scene;
use dynacu_host::config::RunConfig;
use dynacu_host::config::settings::RunSettings;
use dynacu_host::desktop::check::WORDS;
use dynacu_host::desktop::lane::Lane;
use dynacu_host::driver::{self, Driver};
use dynacu_host::episode::observing::Observing;
use dynacu_host::episode::session::Session;
use dynacu_host::episode::stage::Stage;
use dynacu_host::episode::stop::Stop;
use dynacu_host::episode::{Bench, Policy, Trial};
use dynacu_host::mode::Mode;
use dynacu_host::page_server::{FromPage, PageEvent};
use dynacu_host::perception::hearing::{HeardAll, HeardEvent};
use dynacu_host::perception::keyframe::GateKind;
use dynacu_host::perception::seeing::{Kept, SeeingEvent, SeeingStats};
use dynacu_host::perception::transcript::Sentence;
use dynacu_host::suite::agents::Crew;

/// How often processes are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The page's reports that whoever is in the policy's place may have waiting.
const REPORTS: usize = 256;
/// How long that one may take to come to its end.
const FAREWELL: Duration = Duration::from_secs(20);

/// How a page is watched.
#[derive(Debug, Clone, Copy)]
pub struct Watch {
    pub gate: GateKind,
    /// Captures on damage too.
    pub burst: bool,
    pub fps: f32,
    /// Between two observations.
    pub pace: Duration,
    /// The page must be over by then.
    pub limit: Duration,
}

/// Models and lane, used for one page after the other.
pub struct Bed {
    pub bench: Bench,
    policy: Policy,
    config: RunConfig,
    driver: Driver,
    stop: Stop,
}

/// What the page's microphone delivered.
#[derive(Debug, Clone)]
pub struct Heard {
    /// Of the first sample, on the episode's clock (ms).
    pub at: u64,
    pub samples: Vec<f32>,
}

/// Everything that happened while a page was shown.
#[derive(Debug)]
pub struct Played<T> {
    /// What the one in the policy's place brought.
    pub result: T,
    pub page: Vec<PageEvent>,
    /// Each with the time of its arrival on the episode's clock (ms).
    pub kept: Vec<(u64, Kept)>,
    pub sentences: Vec<(u64, Sentence)>,
    pub microphone: Vec<Heard>,
    pub seeing: SeeingStats,
    pub all: HeardAll,
    /// Observations after the pace's wait, and the wait for the tail in each (ms).
    pub observe_ms: Vec<u64>,
    pub tail_ms: Vec<u64>,
    pub looks: Vec<Look>,
    /// From the start signal to the page's end (ms).
    pub length_ms: u64,
    /// To turn instants into the episode's time.
    pub started: Instant,
}

impl<T> Played<T> {
    /// The page's reports of one kind: time and data.
    pub fn reports<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, &'a Value)> {
        self.page
            .iter()
            .filter(move |event| event.name == "moment" && event.data["name"] == name)
            .map(|event| (event.at, &event.data))
    }
}

impl Bed {
    /// Starts a lane. A plugin is needed only by name: nobody runs it.
    ///
    /// # Errors
    /// No plugin is built, or the lane does not start.
    pub async fn new(bench: Bench) -> Result<Self> {
        let asked = RunSettings::of_plugins(&["idle"]);
        let config = RunConfig::resolve(asked, RunSettings::default())?;
        let crew = Crew::load(&bench.engine, &bench.home, &config, &[], None).await?;
        let mut policy = crew
            .policies
            .into_iter()
            .next()
            .context("no policy is loaded")?;
        "measure".clone_into(&mut policy.plugin.name);
        policy.plugin.manifest.channels = Channel::ALL.to_vec();
        let mut driver = Driver::new(0, bench.voice.synthesize(WORDS)?, Box::new(()));
        driver.lane().await?;
        Ok(Self {
            bench,
            policy,
            config,
            driver,
            stop: Stop::on_signals().context("cannot listen for interrupts")?,
        })
    }

    /// Ends the lane.
    ///
    /// # Errors
    /// It does not end in order.
    pub async fn close(mut self) -> Result<()> {
        self.driver.close().await
    }

    /// The lane on which pages are shown.
    ///
    /// # Errors
    /// It does not start, or something on it does not work.
    pub async fn lane(&mut self) -> Result<&Lane> {
        Ok(self.driver.lane().await?)
    }

    /// Shows a page until it says that it is over, with `agent` in the policy's place: it gets the session and the page's
    /// reports, and should return when the session says stop or the reports end.
    ///
    /// # Errors
    /// A part of the lane fails, the page reports a fault, or it is not over in time.
    pub async fn play<T, F>(
        &mut self,
        scene: &Scene,
        clips: BTreeMap<String, PathBuf>,
        watch: Watch,
        agent: impl FnOnce(Session, mpsc::Receiver<PageEvent>) -> F,
    ) -> Result<Played<T>>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let work = tempfile::Builder::new()
            .prefix("dynacu-measure")
            .tempdir()
            .context("no folder for the record")?;
        let task = scene.prepared(&self.bench.home, clips)?;
        let folder = work.path().join("record");
        let trial = Trial {
            pace: watch.pace,
            fps: watch.fps,
            gate: watch.gate,
            burst: watch.burst,
            ..driver::trial(&self.config, task, Mode::AoiInteractive, folder, &self.stop)
        };
        let lane = self.driver.lane().await?;
        let (writer, recorder) = Writer::start(&trial.folder)?;
        let mut stage = Stage::set(&self.bench, lane, &self.policy, &trial, &recorder)
            .await
            .map_err(|failure| failure.error.context("the page cannot be shown"))?;
        drop(recorder);
        let supervisor = lane.supervisor_pid().unwrap_or(u32::MAX);
        let started = stage.timebase.start();
        stage.server.start_page()?;
        let sampler = Sampler::start(supervisor, LOOK_EVERY)?;
        let session = Session::new(
            Arc::clone(&stage.desk),
            stage.queue.clone(),
            Observing::new(
                watch.pace,
                u32::MAX,
                u64::try_from(watch.limit.as_millis()).unwrap_or(u64::MAX),
            ),
            None,
        );
        let (reports, received) = mpsc::channel(REPORTS);
        let agent = tokio::spawn(agent(session, received));

        let mut collected = Collected::default();
        let over = until_over(lane, &self.stop, &mut stage, &mut collected, reports);
        let ended = tokio::time::timeout(watch.limit, over)
            .await
            .unwrap_or_else(|_| {
                Err(anyhow!(
                    "the page was not finished within {} s",
                    watch.limit.as_secs()
                ))
            });
        let length_ms = stage.timebase.now();
        let looks = sampler.finish();
        stage.desk.stop(StopCause::TaskEnded);
        let result = tokio::time::timeout(FAREWELL, agent).await;
        let seeing = stage.desk.seeing.stats();
        let tally = stage.desk.tally();
        let all = strike(lane, stage).await?;
        writer.finish()?;
        ended?;
        Ok(Played {
            result: result.context("whoever was in the policy's place did not stop")??,
            page: collected.page,
            kept: collected.kept,
            sentences: collected.sentences,
            microphone: collected.microphone,
            seeing,
            all,
            observe_ms: tally.observe_ms,
            tail_ms: tally.tails.iter().map(|(_, ms)| *ms).collect(),
            looks,
            length_ms,
            started,
        })
    }
}

/// As the episode's loop: everything that comes is taken at once, handed on to the policy's place, and kept.
async fn until_over(
    lane: &Lane,
    stop: &Stop,
    stage: &mut Stage,
    collected: &mut Collected,
    reports: mpsc::Sender<PageEvent>,
) -> Result<()> {
    loop {
        tokio::select! {
            biased;
            () = stop.wished() => bail!("interrupted"),
            Some(event) = stage.browser.events.recv() => bail!("the browser: {event:?}"),
            what = lane.lost() => bail!("{what}"),
            event = stage.incoming.page.recv() => match event {
                Some(FromPage::Event(event)) => {
                    let name = event.data["name"].as_str().unwrap_or_default().to_owned();
                    if event.name == "page-error" {
                        bail!("the page reports an error: {}", event.data);
                    }
                    // One that does not look at the page's reports must not hold up the loop.
                    let _ = reports.try_send(event.clone());
                    collected.page.push(event);
                    if name == "over" {
                        return Ok(());
                    }
                }
                Some(FromPage::Microphone { at, samples }) => {
                    stage.listener.push(at, &samples);
                    collected.microphone.push(Heard { at: stage.timebase.millis(at), samples });
                }
                Some(FromPage::Lost) | None => bail!("the page dropped its connection"),
                Some(_) => {}
            },
            Some(_) = stage.incoming.utterances.recv() => {}
            event = stage.incoming.hearing.recv() => match event {
                Some(HeardEvent::Sentence(sentence)) => {
                    stage.desk.heard(&sentence);
                    collected.sentences.push((stage.timebase.now(), sentence));
                }
                Some(HeardEvent::Lost(why)) => bail!("{why}"),
                None => bail!("the listening thread ended"),
            },
            event = stage.incoming.seeing.recv() => match event {
                Some(SeeingEvent::Kept(kept)) => {
                    stage.desk.kept(&kept);
                    collected.kept.push((stage.timebase.now(), kept));
                }
                Some(SeeingEvent::Lost(why)) => bail!("{why}"),
                None => bail!("the capture thread ended"),
            },
        }
    }
}

/// The orderly end of a stage.
async fn strike(lane: &Lane, stage: Stage) -> Result<HeardAll> {
    let Stage {
        desk,
        queue,
        browser,
        server,
        action_thread,
        recorder,
        listener,
        judge,
        ..
    } = stage;
    // First the server, so that the page's end is no loss of a page.
    server.stop().await;
    lane.close_browser(browser).await?;
    queue.close();
    drop((queue, judge, recorder));
    let stopped = tokio::task::spawn_blocking(move || {
        let _ = action_thread.join();
        listener.finish();
        Arc::try_unwrap(desk).map(|desk| desk.into_hearing().stop())
    });
    match stopped.await? {
        Ok(all) => Ok(all),
        Err(_) => bail!("somebody still holds the stage"),
    }
}

#[derive(Default)]
struct Collected {
    page: Vec<PageEvent>,
    kept: Vec<(u64, Kept)>,
    sentences: Vec<(u64, Sentence)>,
    microphone: Vec<Heard>,
}

/// Observes at the run's pace until the stop.
pub async fn observer(mut session: Session, _page: mpsc::Receiver<PageEvent>) {
    use dynacu_runtime::PolicyHost;
    while session.observe().await.is_ok() {}
}

/// Does nothing until the page is over.
pub async fn bystander(session: Session, mut page: mpsc::Receiver<PageEvent>) {
    while page.recv().await.is_some() {}
    drop(session);
}
