//! Setting the stage: everything that must be ready before the page gets its start signal.

use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context, anyhow, bail};
use dynacu_record::{EndCause, Event, Recorder};
use dynacu_runtime::{Plugin, Scorer};
use tokio::sync::mpsc::{self, Receiver};

use super::desk::{Desk, Mailbox, ModelCalls, Request};
use super::judge::Judge;
use super::phase::{Phase, within};
use super::processor::Processor;
use super::{Bench, Policy, Trial};
use crate::action::queue::{ActionQueue, Hands};
use crate::bundled;
use crate::capture::timebase::Timebase;
use crate::desktop::browser::Browser;
use crate::desktop::check::{Patch, silence};
use crate::desktop::lane::Lane;
use crate::inference::calls::Inference;
use crate::input::Input;
use crate::observation::Shelf;
use crate::page_server::{FromPage, PageServer, until_ready};
use crate::perception::hearing::{HeardEvent, Hearing, HearingConfig, Listener, Utterance};
use crate::perception::seeing::{Seeing, SeeingConfig, SeeingEvent};
use crate::speech::playback::Microphone;
use crate::task::catalogue::Task;
use crate::weights;

/// Why the stage could not be set.
pub struct Failure {
    pub cause: EndCause,
    pub error: anyhow::Error,
}

/// All parts of one episode, wired, before t = 0.
pub struct Stage {
    pub timebase: Arc<Timebase>,
    pub recorder: Recorder,
    pub server: PageServer,
    pub browser: Browser,
    pub listener: Listener,
    pub microphone: Arc<Microphone>,
    pub desk: Arc<Desk>,
    pub queue: ActionQueue,
    pub action_thread: JoinHandle<()>,
    pub judge: Judge,
    /// None where the run has no model.
    pub inference: Option<Arc<Inference>>,
    pub incoming: Incoming,
}

/// Where news comes from.
pub struct Incoming {
    pub page: Receiver<FromPage>,
    pub seeing: Receiver<SeeingEvent>,
    pub hearing: Receiver<HeardEvent>,
    pub utterances: Receiver<Utterance>,
    pub requests: Receiver<Request>,
}

trait Blame<T> {
    fn blame(self, cause: EndCause) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> Blame<T> for Result<T, E> {
    fn blame(self, cause: EndCause) -> Result<T, Failure> {
        self.map_err(|error| Failure {
            cause,
            error: error.into(),
        })
    }
}

impl Stage {
    /// Starts everything and waits until the page is ready and exactly as large as the screen.
    pub async fn set(
        bench: &Bench,
        lane: &Lane,
        policy: &Policy,
        trial: &Trial,
        recorder: &Recorder,
    ) -> Result<Stage, Failure> {
        let timebase = Arc::new(Timebase::new());
        let foreign = trial.task.foreign.is_some();
        let scorer = if foreign {
            None
        } else {
            Some(scorer(bench, trial).blame(EndCause::HostError)?)
        };
        let judge = Judge::new(scorer, &trial.task.variant.scorer_input, recorder.clone());

        let (server, page) =
            PageServer::start(Arc::clone(&trial.task), &bench.home, Arc::clone(&timebase))
                .blame(EndCause::HostError)?;
        let ears = Ears::open(bench, lane, &timebase)?;
        let (seeing, seen) = Seeing::start(SeeingConfig {
            display: lane.display.clone(),
            fps: trial.fps,
            gate: trial.gate,
            gate_key: trial.gate_key(),
            burst: trial.burst,
            encoder: Arc::clone(&bench.encoder),
            timebase: Arc::clone(&timebase),
        })
        .blame(EndCause::LaneCheckFailed)?;
        let microphone = Microphone::connect(
            &lane.pulse_server,
            &lane.microphone_sink,
            Arc::clone(&timebase),
        )
        .map(Arc::new)
        .blame(EndCause::SoundLost)?;
        let input = Input::connect(&lane.display).blame(EndCause::LaneCheckFailed)?;

        if foreign {
            lane.start_speech().await.blame(EndCause::LaneCheckFailed)?;
        }
        let mut incoming_page = page;
        let browser = open_page(lane, &server, foreign, &mut incoming_page).await?;

        let (request, requests) = mpsc::channel(4);
        let grants = policy.grants(trial.mode);
        let desk = Arc::new(Desk {
            timebase: Arc::clone(&timebase),
            recorder: recorder.clone(),
            grants,
            reading: policy.reading.then(|| Arc::clone(&bench.reader)),
            shelf: Shelf::new(recorder.clone()),
            seeing,
            hearing: ears.hearing,
            pointer: Input::connect(&lane.display).blame(EndCause::LaneCheckFailed)?,
            requests: request,
            policy: policy.plugin.name.clone(),
            solution: policy.solution.then(|| solution(&trial.task.task)),
            mailbox: Mailbox::default(),
            processor: Processor::default(),
        });
        let hands = Hands {
            input,
            microphone: Arc::clone(&microphone),
            voice: Arc::clone(&bench.voice),
            timebase: Arc::clone(&timebase),
            grants,
        };
        let performed = Arc::clone(&desk);
        let (queue, action_thread) =
            ActionQueue::start(hands, move |outcome| performed.performed(outcome))
                .context("cannot start the action thread")
                .blame(EndCause::HostError)?;
        let inference = trial.model.clone().map(|model| {
            Inference::new(
                model,
                recorder.clone(),
                Arc::clone(&timebase),
                ModelCalls(Arc::downgrade(&desk)),
            )
        });
        recorder.event(
            0,
            Event::Note {
                text: "the page is ready and fills the screen".to_owned(),
            },
        );
        Ok(Stage {
            timebase,
            recorder: recorder.clone(),
            server,
            browser,
            listener: ears.listener,
            microphone,
            desk,
            queue,
            action_thread,
            judge,
            inference,
            incoming: Incoming {
                page: incoming_page,
                seeing: seen,
                hearing: ears.heard,
                utterances: ears.utterances,
                requests,
            },
        })
    }

    /// Lets the page begin: by its start signal, or by loading it.
    pub async fn start_page(&self, trial: &Trial) -> anyhow::Result<()> {
        if trial.task.foreign.is_none() {
            return self.server.start_page();
        }
        self.browser.goto(&self.server.url()).await?;
        self.browser.arm().await?;
        if self.browser.asks() {
            // Its script goes on when the dialog is answered, which is the policy's to do.
            return Ok(());
        }
        let defined: bool = self
            .browser
            .evaluate("typeof window.getTaskResult === 'function'")
            .await?;
        if !defined {
            bail!(
                "it does not define window.getTaskResult() by the time it has loaded: define it in a script that runs immediately"
            );
        }
        Ok(())
    }
}

/// What listens: to the speakers for the policy, to the page's microphone for the scorer.
struct Ears {
    hearing: Hearing,
    heard: Receiver<HeardEvent>,
    listener: Listener,
    utterances: Receiver<Utterance>,
}

impl Ears {
    fn open(bench: &Bench, lane: &Lane, timebase: &Arc<Timebase>) -> Result<Ears, Failure> {
        let voice_activity = weights::file(weights::names::SILERO).blame(EndCause::HostError)?;
        let (hearing, heard) = Hearing::start(HearingConfig {
            pulse_server: lane.pulse_server.clone(),
            source: lane.speaker_monitor.clone(),
            timebase: Arc::clone(timebase),
            recognizer: Arc::clone(&bench.recognizer),
            voice_activity_model: voice_activity.clone(),
        })
        .blame(EndCause::SoundLost)?;
        let (listener, utterances) = Listener::start(
            Arc::clone(timebase),
            Arc::clone(&bench.page_recognizer),
            &voice_activity,
        )
        .blame(EndCause::HostError)?;
        Ok(Ears {
            hearing,
            heard,
            listener,
            utterances,
        })
    }
}

/// Starts the browser on the task's page and waits until that is ready and fills the screen. A page that does not wait for a
/// signal begins when it is loaded, so that it is not opened yet.
async fn open_page(
    lane: &Lane,
    server: &PageServer,
    foreign: bool,
    page: &mut Receiver<FromPage>,
) -> Result<Browser, Failure> {
    let browser = glance(lane).await?;
    let first = if foreign {
        "about:blank".to_owned()
    } else {
        server.url()
    };
    within(Phase::PageLoad, browser.goto(&first))
        .await
        .blame(EndCause::BrowserLost)?;
    within(Phase::PageLoad, async {
        if !foreign {
            until_ready(page).await?;
        }
        browser.check_geometry().await.context("the page's size")
    })
    .await
    .blame(EndCause::LaneCheckFailed)?;
    if !foreign {
        browser.arm().await.blame(EndCause::BrowserLost)?;
    }
    Ok(browser)
}

/// The task's script for the reference policy; a task need not have one.
fn solution(task: &Task) -> Option<String> {
    std::fs::read_to_string(task.folder.join("solution.toml")).ok()
}

fn scorer(bench: &Bench, trial: &Trial) -> anyhow::Result<Scorer> {
    let path = bundled::scorer(&bench.home, &trial.task.task)?;
    let plugin = Plugin::load(&bench.engine, &path)?;
    plugin
        .scorer()
        .map_err(|failure| anyhow!("{}: {}", plugin.name, failure.detail))
}

/// Starts the browser, and looks and listens whether the lane is in order: a patch is seen, nothing is heard.
async fn glance(lane: &Lane) -> Result<Browser, Failure> {
    let patch = Patch::new().blame(EndCause::HostError)?;
    let url = patch.url();
    let (browser, silent) = tokio::join!(
        within(Phase::PageLoad, lane.launch_browser(&url)),
        within(Phase::Glance, silence(lane)),
    );
    let browser = browser.blame(EndCause::BrowserLost)?;
    silent.blame(EndCause::LaneCheckFailed)?;
    within(Phase::Glance, patch.is_seen(lane))
        .await
        .blame(EndCause::LaneCheckFailed)?;
    Ok(browser)
}
