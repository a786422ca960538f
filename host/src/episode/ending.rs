//! The orderly end of an episode: score, stop every part, write what was heard and spoken.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use dynacu_figures::percentile;
use dynacu_record::{EndCause, Event, Intervals, Perception, Recorder, ScoreResult, Speech};

use super::desk::{Desk, Tally};
use super::judge::Judge;
use super::lateness::{Late, Load, Look, Watch, intervals};
use super::phase::{Phase, within};
use super::stage::Stage;
use super::{Trial, scoring};
use crate::capture::flac;
use crate::desktop::browser::Browser;
use crate::desktop::lane::Lane;
use crate::inference::calls::ModelTally;
use crate::perception::hearing::HeardAll;
use crate::perception::seeing::SeeingStats;
use crate::speech::playback::{Microphone, SPOKEN_RATE};
use crate::task::manifest::MomentChannel;

/// How often something is looked at that cannot tell by itself.
pub(super) const TICK: Duration = Duration::from_millis(100);
/// Louder than this something was played, of full scale.
const AUDIBLE: f32 = 0.001;

/// What the episode came to.
pub(super) struct Ended {
    pub cause: EndCause,
    pub detail: String,
    pub page_result: String,
    pub verdict_at: Option<u64>,
    /// Milliseconds from t = 0 to the end.
    pub duration: u64,
    pub tally: Tally,
    pub model: ModelTally,
    pub keyframe_ms: Vec<u64>,
    pub encode_ms: Vec<u64>,
    pub perception: Perception,
    pub speech: Speech,
    /// None where the episode's cause leaves nothing to score.
    pub score: Option<Result<ScoreResult, String>>,
}

/// A running episode in the hands of whoever ends it.
pub(super) struct Ending<'a> {
    pub(super) stage: Stage,
    pub(super) lane: &'a Lane,
    pub(super) trial: &'a Trial,
    pub(super) counted: Counted,
}

/// What the loop counted.
pub(super) struct Counted {
    pub(super) keyframes: u64,
    pub(super) keyframe_ms: Vec<u64>,
    pub(super) sentences: u64,
    pub(super) received: u32,
    /// What capture had come to at t = 0.
    pub(super) before: SeeingStats,
    pub(super) watch: Watch,
}

impl Counted {
    /// Notes how the lane keeps up, and what the policy takes of the machine.
    pub(super) fn look(&mut self, desk: &Desk, at: u64) {
        let (intervals, late_intervals) = intervals(&self.before, &desk.seeing.stats());
        self.watch.add(Look {
            at,
            intervals,
            late_intervals,
            policy_ms: desk.processor.ms(),
        });
    }
}

/// What the parts came to, once all of them are stopped.
struct Stopped {
    heard: HeardAll,
    microphone: Arc<Microphone>,
    recorder: Recorder,
    model: ModelTally,
}

impl Ending<'_> {
    /// Scores, stops every part, and writes what was heard and spoken.
    pub(super) async fn finish(self, mut cause: EndCause, mut detail: String) -> Ended {
        let Ending {
            stage,
            lane,
            trial,
            mut counted,
        } = self;
        let duration = stage.timebase.now();
        counted.look(&stage.desk, duration);
        let verdict = stage.judge.verdict().cloned();
        let (page_result, answered) = last_result(&stage, trial, cause, duration).await;
        if !answered
            && verdict.is_none()
            && undecided(cause)
            && let Some(why) = stage.browser.hangs().await
        {
            (cause, detail) = (EndCause::PageHung, why);
        }
        let mut score = scored(&stage, trial, &page_result, cause, duration).await;

        let seen = stage.desk.seeing.stats();
        let encode_ms = stage.desk.shelf.encode_ms();
        let tally = stage.desk.tally();
        let moments = stage.judge.named("moment").count();
        let spoke = page_spoke(trial, &stage.judge);
        let unheard = stage.listener.stats().failures;
        let stopped = stop(stage, lane).await;

        if spoke && stopped.silent() && !matches!(cause, EndCause::BrowserLost) {
            cause = EndCause::SoundLost;
            detail = "the page played speech, but nothing came out of the speakers".to_owned();
        }
        if unheard > 0 {
            cause = EndCause::HostError;
            detail =
                format!("{unheard} times what the page's microphone got could not be recognised");
        }
        let load = Load {
            watch: &counted.watch,
            fps: trial.fps,
            gaps: &stopped.heard.gaps,
            tails: &tally.tails,
        };
        if scoring::ended(cause).is_some()
            && !super::interrupted(cause)
            && let Some(late) = load.late()
        {
            (cause, detail) = match late {
                Late::Host(why) => (EndCause::CaptureLate, why),
                Late::Policy(why) => (EndCause::GuestTimeout, why),
            };
            score = None;
        }
        stopped.write_sounds(duration);
        let perception = Perception {
            frames: seen.frames,
            late_frames: seen.late_intervals,
            interval_ms: (seen.intervals_ms.count > 0).then_some(Intervals {
                median: seen.intervals_ms.p50,
                p95: seen.intervals_ms.p95,
                max: seen.intervals_ms.max,
            }),
            keyframes: counted.keyframes,
            sentences: counted.sentences,
            heard_s: stopped.heard.samples.len() as f64 / 16_000.0,
            recognition_failures: stopped.heard.stats.failures,
            sound_gaps_ms: stopped.heard.gaps.iter().map(|(_, length)| length).sum(),
            moments: u32::try_from(moments).unwrap_or(u32::MAX),
            delay_ms_p95: percentile_95(counted.keyframe_ms.clone()),
        };
        Ended {
            cause,
            detail,
            page_result,
            verdict_at: verdict.map(|verdict| verdict.at),
            duration,
            keyframe_ms: counted.keyframe_ms,
            encode_ms,
            perception,
            speech: Speech {
                utterances: tally.spoken,
                received: counted.received,
                latency_ms_p95: percentile_95(tally.speech_latency_ms.clone()),
            },
            tally,
            model: stopped.model,
            score,
        }
    }
}

impl Stopped {
    /// Whether nothing audible came out of the speakers.
    fn silent(&self) -> bool {
        let samples = self.heard.samples.iter();
        let loudest = samples.fold(0.0_f32, |peak, sample| {
            peak.max(f32::from(sample.unsigned_abs()) / 32768.0)
        });
        loudest < AUDIBLE
    }

    fn write_sounds(&self, duration: u64) {
        let spoken = self.microphone.spoken(duration).unwrap_or_default();
        for (name, samples) in [
            ("heard.flac", &self.heard.samples),
            ("spoken.flac", &spoken),
        ] {
            let path = self.recorder.folder().join(name);
            if let Err(error) = flac::write(&path, SPOKEN_RATE, samples) {
                let text = format!("{name} was not written: {error}");
                self.recorder.event(duration, Event::Note { text });
            }
        }
    }
}

/// Ends at which a page that answers nobody any more is to blame.
fn undecided(cause: EndCause) -> bool {
    matches!(
        cause,
        EndCause::Done | EndCause::PolicyReturned | EndCause::TimeLimit | EndCause::StepLimit
    )
}

/// Gives the page its last result where nothing decided it, and asks what it says its result is. Also whether it answered.
async fn last_result(
    stage: &Stage,
    trial: &Trial,
    cause: EndCause,
    duration: u64,
) -> (String, bool) {
    let verdict = stage.judge.verdict();
    let mut expected = verdict.map(|verdict| verdict.label.clone());
    if verdict.is_none()
        && trial.task.foreign.is_none()
        && matches!(cause, EndCause::TimeLimit | EndCause::StepLimit)
    {
        stage.server.set_result("timeout");
        expected = Some("timeout".to_owned());
    }
    match page_result(&stage.browser, expected.as_deref()).await {
        Ok(result) => (result, true),
        Err(error) => {
            let text = format!("getTaskResult() did not answer: {error:#}");
            stage.recorder.event(duration, Event::Note { text });
            (expected.unwrap_or_else(|| "pending".to_owned()), false)
        }
    }
}

/// The score; none where the cause leaves nothing to score, an error where the scorer could not say.
async fn scored(
    stage: &Stage,
    trial: &Trial,
    page_result: &str,
    cause: EndCause,
    duration: u64,
) -> Option<Result<ScoreResult, String>> {
    let scored = async {
        Ok::<_, anyhow::Error>(
            scoring::score(&stage.judge, &trial.task, page_result, cause, duration).await,
        )
    };
    let scored = within(Phase::Scoring, scored).await;
    scored.unwrap_or_else(|error| Some(Err(format!("{error:#}"))))
}

/// Stops every part, in an order in which none takes the end of another for a loss.
async fn stop(stage: Stage, lane: &Lane) -> Stopped {
    let Stage {
        desk,
        queue,
        browser,
        microphone,
        recorder,
        server,
        action_thread,
        inference,
        ..
    } = stage;
    let closed = within(Phase::Close, async {
        // First the server, so that the page's end is no loss of a page.
        server.stop().await;
        let closed = lane.close_browser(browser).await;
        // The queue's thread ends, and lets go of every key, when the last handle is gone.
        drop(queue);
        let _ = tokio::task::spawn_blocking(move || action_thread.join()).await;
        closed
    });
    if let Err(error) = closed.await {
        tracing::warn!("{error:#}");
    }
    let heard = match Arc::try_unwrap(desk) {
        Ok(desk) => desk.into_hearing().stop(),
        Err(_) => HeardAll::default(),
    };
    let model = inference.map(|inference| inference.tally());
    Stopped {
        heard,
        microphone,
        recorder,
        model: model.unwrap_or_default(),
    }
}

/// What the page says its result is. The result travels to the page over a socket, so a new one may take a moment.
async fn page_result(browser: &Browser, expected: Option<&str>) -> anyhow::Result<String> {
    ensure!(
        !browser.asks(),
        "a dialog of the page is on the screen, and nobody answered it"
    );
    let mut said = browser.page_result().await?;
    for _ in 0..10 {
        if expected.is_none_or(|expected| said == expected) {
            break;
        }
        tokio::time::sleep(TICK).await;
        said = browser.page_result().await?;
    }
    Ok(said)
}

/// Whether the page says that it played speech: one of the task's spoken moments was marked.
fn page_spoke(trial: &Trial, judge: &Judge) -> bool {
    let spoken = |name: &str| {
        let moments = &trial.task.manifest().moments;
        moments
            .iter()
            .any(|moment| moment.name == name && moment.channel == MomentChannel::Audio)
    };
    judge
        .named("moment")
        .any(|event| event.data["name"].as_str().is_some_and(spoken))
}

fn percentile_95(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    percentile(&values, 95)
}
