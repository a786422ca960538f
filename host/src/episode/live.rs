//! The running episode: one loop that hears everybody, until the first reason to end; then the orderly end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dynacu_figures::plain::cut;
use dynacu_record::{EndCause, Event, PageEvent};
use dynacu_runtime::types::{Brief, StopCause};
use dynacu_runtime::{FailureKind, GuestFailure, Limits, PolicyEnd, PolicyRun};
use tokio::task::JoinHandle;

use super::desk::Request;
use super::ending::{Counted, Ended, Ending, TICK};
use super::lateness::Watch;
use super::observing::{Observing, millis};
use super::phase::Phase;
use super::session::Session;
use super::stage::Stage;
use super::{Policy, Trial};
use crate::desktop::browser::{BrowserError, BrowserEvent};
use crate::desktop::lane::Lane;
use crate::page_server::FromPage;
use crate::perception::hearing::{HeardEvent, Utterance};
use crate::perception::seeing::SeeingEvent;

/// After `done` or a return: how long submissions and utterances that were made in time may take to arrive.
const LATE_ANSWERS: Duration = Duration::from_secs(5);
/// After `done`: how long nothing must be under way before the episode counts as settled. Longer than the silence that
/// ends an utterance.
const QUIET: Duration = Duration::from_millis(1500);
/// The episode's own limits end it; the runtime's deadline stands behind them.
const AFTER_THE_LIMIT: Duration = Duration::from_secs(60);
/// How often a page without a scorer is asked for its result.
const ASK_EVERY: Duration = Duration::from_millis(400);
/// Characters of a page's error that are kept.
const WORDS: usize = 500;
type Reason = (EndCause, String);

/// The running episode with what the loop counts.
struct Live<'a> {
    stage: Stage,
    lane: &'a Lane,
    trial: &'a Trial,
    counted: Counted,
    /// When a page without a scorer was asked last.
    asked: Instant,
    /// Its answer, where it has not given it yet.
    asking: Option<JoinHandle<Result<String, BrowserError>>>,
}

/// Starts the page and the policy, and sees the episode to its end.
pub(super) async fn run(
    stage: Stage,
    lane: &Lane,
    policy: &Policy,
    trial: &Trial,
    random: [u8; 32],
    brief: Brief,
) -> Ended {
    let mut live = Live {
        counted: Counted {
            keyframes: 0,
            keyframe_ms: Vec::new(),
            sentences: 0,
            received: 0,
            before: stage.desk.seeing.stats(),
            watch: Watch::new(),
        },
        stage,
        lane,
        trial,
        asked: Instant::now(),
        asking: None,
    };
    live.stage.timebase.start();
    if let Err(error) = live.stage.start_page(trial).await {
        return live
            .finish(
                EndCause::LaneCheckFailed,
                format!("the page cannot be started: {error:#}"),
            )
            .await;
    }
    live.stage.recorder.event(
        0,
        Event::PageStarted {
            url: live.stage.server.url(),
        },
    );
    let manifest = trial.task.manifest();
    let session = Session::new(
        Arc::clone(&live.stage.desk),
        live.stage.queue.clone(),
        Observing::new(trial.pace, manifest.step_limit, millis(manifest.time_limit)),
        live.stage.inference.clone(),
    );
    // In the lane's folder, which goes with the lane however the host ends.
    let scratch = policy.scratch.then(|| tempfile::tempdir_in(&lane.folder));
    let scratch = match scratch.transpose() {
        Ok(scratch) => scratch,
        Err(error) => {
            let text = format!("the policy's scratch folder cannot be made: {error}");
            return live.finish(EndCause::HostError, text).await;
        }
    };
    let limits = Limits {
        memory: policy.plugin.manifest.memory_bytes(policy.memory),
        scratch: scratch.as_ref().map(|folder| folder.path().to_owned()),
        ..Limits::policy(manifest.time_limit + AFTER_THE_LIMIT, random)
    };
    let mut running =
        policy
            .plugin
            .run_policy(Box::new(session), brief, policy.settings.clone(), limits);

    let longest = manifest.time_limit + Phase::Episode.limit();
    let reason = tokio::time::timeout(longest, live.until_a_reason(&mut running)).await;
    let (mut cause, mut detail) = reason.unwrap_or_else(|_| {
        let error = anyhow::anyhow!("not finished within {} s", longest.as_secs());
        let error = Phase::Episode.failed(error);
        (EndCause::HostError, format!("{error:#}"))
    });
    live.stage.desk.stop(stop_cause(cause));
    if matches!(cause, EndCause::Done | EndCause::PolicyReturned) {
        live.stage.queue.abort();
        if let Some(later) = live.settle().await {
            (cause, detail) = later;
        }
    }
    running.stop();
    if let PolicyEnd::Failed(failure) = running.ended().await
        && !matches!(cause, EndCause::TaskEnded)
        && policy_failed(cause).is_none()
    {
        live.note(format!(
            "the policy did not return properly after the end: {}",
            failure.detail
        ));
    }
    live.stage.queue.close();
    if let Some(inference) = &live.stage.inference {
        inference.close().await;
    }
    live.finish(cause, detail).await
}

fn stop_cause(cause: EndCause) -> StopCause {
    match cause {
        EndCause::Done | EndCause::PolicyReturned => StopCause::Done,
        EndCause::TaskEnded => StopCause::TaskEnded,
        EndCause::TimeLimit => StopCause::TimeLimit,
        EndCause::StepLimit => StopCause::StepLimit,
        EndCause::Budget => StopCause::Budget,
        EndCause::LeftPage => StopCause::LeftPage,
        EndCause::Operator => StopCause::Operator,
        // A guest that failed is not there to hear it; everything else is the infrastructure's.
        EndCause::GuestTimeout
        | EndCause::GuestOutOfMemory
        | EndCause::GuestTrap
        | EndCause::GuestOutputTooLarge
        | EndCause::GuestError
        | EndCause::ModelRefused
        | EndCause::ModelMalformed
        | EndCause::ModelAuthentication
        | EndCause::ModelQuota
        | EndCause::ProviderOutage
        | EndCause::PageFailed
        | EndCause::PageHung
        | EndCause::BrowserLost
        | EndCause::SoundLost
        | EndCause::ScreenLost
        | EndCause::CaptureLate
        | EndCause::LaneCheckFailed
        | EndCause::RecordLost
        | EndCause::HostError => StopCause::Infrastructure,
    }
}

fn policy_failed(cause: EndCause) -> Option<EndCause> {
    matches!(
        cause,
        EndCause::GuestTimeout
            | EndCause::GuestOutOfMemory
            | EndCause::GuestTrap
            | EndCause::GuestOutputTooLarge
            | EndCause::GuestError
    )
    .then_some(cause)
}

fn guest_failed(failure: &GuestFailure) -> Reason {
    let cause = match failure.kind {
        FailureKind::Timeout => EndCause::GuestTimeout,
        FailureKind::OutOfMemory => EndCause::GuestOutOfMemory,
        FailureKind::Trap => EndCause::GuestTrap,
        FailureKind::OutputTooLarge => EndCause::GuestOutputTooLarge,
        // Only scorers are refused what they would have to read.
        FailureKind::InputTooLarge => EndCause::HostError,
        FailureKind::Error => EndCause::GuestError,
    };
    (cause, failure.detail.clone())
}

fn scorer_failed(failure: &GuestFailure) -> Reason {
    (
        EndCause::HostError,
        format!("the task's scorer failed: {}", failure.detail),
    )
}

impl<'a> Live<'a> {
    async fn finish(self, cause: EndCause, detail: String) -> Ended {
        let ending: Ending<'a> = Ending {
            stage: self.stage,
            lane: self.lane,
            trial: self.trial,
            counted: self.counted,
        };
        ending.finish(cause, detail).await
    }

    fn note(&self, text: String) {
        self.stage
            .recorder
            .event(self.stage.timebase.now(), Event::Note { text });
    }

    /// The one loop of an episode. Earlier arms win where several are ready.
    async fn until_a_reason(&mut self, running: &mut PolicyRun) -> Reason {
        let limit = tokio::time::Instant::now() + self.trial.task.manifest().time_limit;
        let mut tick = tokio::time::interval(TICK);
        loop {
            let incoming = &mut self.stage.incoming;
            let reason = tokio::select! {
                biased;
                () = self.trial.stop.wished() => Some((EndCause::Operator, "interrupted".to_owned())),
                Some(event) = self.stage.browser.events.recv() => Some(browser_event(event)),
                what = self.lane.lost() => Some((EndCause::LaneCheckFailed, what)),
                event = incoming.page.recv() => self.page(event).await,
                Some(utterance) = incoming.utterances.recv() => self.utterance(utterance).await,
                event = incoming.hearing.recv() => self.heard(event),
                event = incoming.seeing.recv() => self.seen(event).await,
                Some(request) = incoming.requests.recv() => Some(match request {
                    Request::Done => (EndCause::Done, "the policy said that it is done".to_owned()),
                    Request::StepLimit => (
                        EndCause::StepLimit,
                        format!("the task's limit of {} observations", self.trial.task.manifest().step_limit),
                    ),
                    Request::End(cause, detail) => (cause, detail),
                }),
                end = running.ended() => Some(match end {
                    PolicyEnd::Returned => (EndCause::PolicyReturned, "the policy returned".to_owned()),
                    PolicyEnd::GaveUp(why) => (EndCause::PolicyReturned, format!("the policy gave up: {why}")),
                    PolicyEnd::ModelRefused(why) => (EndCause::ModelRefused, format!("the model declined: {why}")),
                    PolicyEnd::ModelMalformed(why) => {
                        (EndCause::ModelMalformed, format!("the model's answers could not be used: {why}"))
                    }
                    PolicyEnd::BadSettings(why) => {
                        (EndCause::GuestError, format!("the policy refused its settings: {why}"))
                    }
                    PolicyEnd::Failed(failure) => guest_failed(&failure),
                }),
                () = tokio::time::sleep_until(limit) => Some((
                    EndCause::TimeLimit,
                    format!("the task's limit of {} s", self.trial.task.manifest().time_limit.as_secs()),
                )),
                _ = tick.tick() => self.look_around().await,
            };
            if let Some(reason) = reason {
                return reason;
            }
        }
    }

    /// After the policy's own end: what was made in time may still arrive. Returns a new reason where there is one.
    async fn settle(&mut self) -> Option<Reason> {
        let began = Instant::now();
        let mut busy = Instant::now();
        let mut tick = tokio::time::interval(TICK);
        while began.elapsed() < LATE_ANSWERS && busy.elapsed() < QUIET {
            let incoming = &mut self.stage.incoming;
            let reason = tokio::select! {
                biased;
                Some(event) = self.stage.browser.events.recv() => match browser_event(event) {
                    (EndCause::LeftPage, _) => None,
                    lost => Some(lost),
                },
                what = self.lane.lost() => Some((EndCause::LaneCheckFailed, what)),
                event = incoming.page.recv() => self.page(event).await,
                Some(utterance) = incoming.utterances.recv() => self.utterance(utterance).await,
                event = incoming.hearing.recv() => self.heard(event),
                event = incoming.seeing.recv() => self.seen(event).await,
                _ = tick.tick() => self.look_around().await,
            };
            if reason.is_some() {
                return reason;
            }
            if self.stage.judge.waiting() || self.stage.listener.listening() {
                busy = Instant::now();
            }
        }
        None
    }

    /// Asks a page without a scorer, now and then, what it has come to. Nobody waits for the answer: it may never come.
    async fn ask_page(&mut self) -> Option<Reason> {
        let page = self.trial.task.foreign.as_ref()?;
        let browser = &self.stage.browser;
        let Some(asking) = self.asking.take_if(|asking| asking.is_finished()) else {
            let idle = self.asking.is_none() && !browser.asks();
            if idle && self.asked.elapsed() >= ASK_EVERY {
                self.asked = Instant::now();
                self.asking = Some(tokio::spawn(browser.page_result()));
            }
            return None;
        };
        match asking.await {
            // Pages say at any time how things stand; what decides is named by the operator.
            Ok(Ok(result)) if !page.decides(&result) => None,
            Ok(Ok(result)) => {
                let now = self.stage.timebase.now();
                self.stage.judge.page_says(result, now);
                self.verdict()
            }
            Ok(Err(error)) => {
                self.note(format!("getTaskResult() did not answer: {error:#}"));
                None
            }
            Err(error) => Some((EndCause::HostError, error.to_string())),
        }
    }

    /// What is looked at again and again, since it does not tell by itself.
    async fn look_around(&mut self) -> Option<Reason> {
        let now = self.stage.timebase.now();
        if self.counted.watch.is_due(now) {
            self.counted.look(&self.stage.desk, now);
        }
        self.settle_held().await
    }

    async fn settle_held(&mut self) -> Option<Reason> {
        if let Err(error) = self.stage.recorder.health() {
            return Some((EndCause::RecordLost, error.to_string()));
        }
        if let Some(reason) = self.ask_page().await {
            return Some(reason);
        }
        let listening = self.stage.listener.listening();
        match self
            .stage
            .judge
            .settle(listening, self.stage.timebase.now())
            .await
        {
            Ok(()) => self.verdict(),
            Err(failure) => Some(scorer_failed(&failure)),
        }
    }

    async fn happened(&mut self, event: PageEvent) -> Option<Reason> {
        match self
            .stage
            .judge
            .happened(event, self.stage.timebase.now())
            .await
        {
            Ok(()) => self.verdict(),
            Err(failure) => Some(scorer_failed(&failure)),
        }
    }

    fn verdict(&mut self) -> Option<Reason> {
        let verdict = self.stage.judge.verdict()?;
        self.stage.server.set_result(&verdict.label);
        Some((
            EndCause::TaskEnded,
            format!("the page's result is {}", verdict.label),
        ))
    }

    async fn page(&mut self, event: Option<FromPage>) -> Option<Reason> {
        match event {
            Some(FromPage::Event(event)) if event.name == "page-error" => Some((
                EndCause::PageFailed,
                format!(
                    "the page reports an error: {}",
                    cut(&event.data.to_string(), WORDS)
                ),
            )),
            Some(FromPage::Event(event)) => self.happened(event).await,
            Some(FromPage::Microphone { at, samples }) => {
                self.stage.listener.push(at, &samples);
                None
            }
            Some(FromPage::MicrophoneOpened) => {
                self.note("the page opened its microphone".to_owned());
                None
            }
            Some(FromPage::MicrophoneClosed | FromPage::Ready) => None,
            Some(FromPage::Lost) => Some((
                EndCause::LeftPage,
                "the page dropped its connection".to_owned(),
            )),
            None => Some((EndCause::HostError, "the page's server ended".to_owned())),
        }
    }

    async fn utterance(&mut self, utterance: Utterance) -> Option<Reason> {
        self.counted.received += 1;
        let data = serde_json::json!({
            "text": utterance.text,
            "started_at": utterance.start_ms,
            "ended_at": utterance.end_ms,
            "confidence": utterance.confidence,
        });
        self.happened(PageEvent {
            at: utterance.start_ms,
            name: "utterance".to_owned(),
            data,
        })
        .await
    }

    fn heard(&mut self, event: Option<HeardEvent>) -> Option<Reason> {
        match event {
            Some(HeardEvent::Sentence(sentence)) => {
                self.counted.sentences += 1;
                self.stage.desk.heard(&sentence);
                None
            }
            Some(HeardEvent::Lost(why)) => Some((EndCause::SoundLost, why)),
            None => Some((EndCause::SoundLost, "the listening thread ended".to_owned())),
        }
    }

    async fn seen(&mut self, event: Option<SeeingEvent>) -> Option<Reason> {
        match event {
            Some(SeeingEvent::Kept(kept)) => {
                self.counted.keyframes += 1;
                self.counted
                    .keyframe_ms
                    .push(u64::from(kept.decided_after_ms));
                self.stage.desk.kept(&kept);
                None
            }
            Some(SeeingEvent::Lost(why)) => Some((EndCause::ScreenLost, why)),
            None => Some((EndCause::ScreenLost, "the capture thread ended".to_owned())),
        }
    }
}

fn browser_event(event: BrowserEvent) -> Reason {
    match event {
        BrowserEvent::LeftPage(url) => (
            EndCause::LeftPage,
            format!("the browser left the page for {url}"),
        ),
        BrowserEvent::Hung(why) => (EndCause::PageHung, why),
        BrowserEvent::Lost(why) => (EndCause::BrowserLost, why),
    }
}
