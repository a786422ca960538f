//! The policy's side of a running episode: what it sees, hears and does, within its mode and at the run's pace.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use dynacu_record::{Event as Entry, HeardSentence};
use dynacu_runtime::types::{
    Action, AudioContext, BlobError, BlobInfo, Capabilities, Completion, HearingError, Level,
    ModelError, ModelRequest, PerformError, Point, ReadingError, RecentAudio, Rect, Size,
    StopCause, TextLine,
};
use dynacu_runtime::{Event, Frame, Keyframe, Observation, PolicyHost};

use super::describe::describe;
use super::desk::{Desk, Wish, to_policy};
use crate::action::queue::ActionQueue;
use crate::inference::calls::{Inference, level_name};
use crate::inference::media::medium;
use crate::observation::{HeldFrame, in_window, thin};

/// Actions whose outcomes a policy has not fetched; beyond it `perform` waits.
const OUTSTANDING: usize = 256;
/// Bytes of blobs that a policy may read in one episode.
const BLOB_BYTES: u64 = 256 << 20;

/// One policy's session.
pub struct Session {
    desk: Arc<Desk>,
    queue: ActionQueue,
    pace: Duration,
    step_limit: u32,
    time_limit_ms: u64,
    last: Option<Instant>,
    /// Up to where the last observation heard, on the episode's clock.
    heard_until: u64,
    blob_bytes: u64,
    /// None where the run has no model.
    inference: Option<Arc<Inference>>,
    /// Calls that were refused for that.
    calls: u64,
}

impl Session {
    #[must_use]
    pub fn new(
        desk: Arc<Desk>,
        queue: ActionQueue,
        pace: Duration,
        step_limit: u32,
        time_limit_ms: u64,
        inference: Option<Arc<Inference>>,
    ) -> Session {
        Session {
            desk,
            queue,
            pace,
            step_limit,
            time_limit_ms,
            last: None,
            heard_until: 0,
            blob_bytes: 0,
            inference,
            calls: 0,
        }
    }

    fn not_granted(&self, what: &str) {
        self.desk.mail().counts.not_granted += 1;
        self.desk.recorder.event_waiting(
            self.desk.timebase.now(),
            Entry::NotGranted {
                what: what.to_owned(),
            },
        );
    }

    /// Waits until `until` or the stop, whichever comes first.
    async fn pause(&self, until: Instant) -> Result<(), StopCause> {
        loop {
            let changed = self.desk.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(cause) = self.desk.stopped() {
                return Err(cause);
            }
            tokio::select! {
                () = tokio::time::sleep_until(until.into()) => return Ok(()),
                () = changed => {}
            }
        }
    }
}

#[async_trait]
impl PolicyHost for Session {
    fn now(&self) -> u64 {
        self.desk.timebase.now()
    }

    fn log(&mut self, level: Level, message: String) {
        let level = level_name(level).to_owned();
        let plugin = self.desk.policy.clone();
        self.desk.recorder.event_waiting(
            self.desk.timebase.now(),
            Entry::GuestLog {
                plugin,
                level,
                message,
            },
        );
    }

    async fn observe(&mut self) -> Result<Observation, StopCause> {
        let desk = Arc::clone(&self.desk);
        desk.policy_asks();
        let asked = Instant::now();
        let asked_at = desk.timebase.now();
        self.pause(self.last.map_or(asked, |taken| taken + self.pace))
            .await?;
        let paced = asked.elapsed();
        let step = desk.steps.load(Ordering::Relaxed) + 1;
        if step > self.step_limit {
            let _ = desk.wishes.try_send(Wish::StepLimit);
            self.pause(Instant::now() + Duration::from_secs(3600))
                .await?;
            return Err(StopCause::StepLimit);
        }
        desk.steps.store(step, Ordering::Relaxed);

        let began = Instant::now();
        // The lane's loss is the episode loop's to tell; here it only means that nothing more can be seen.
        let Ok(grabbed) = desk.seeing.grab() else {
            self.pause(Instant::now() + Duration::from_secs(60)).await?;
            return Err(StopCause::Operator);
        };
        let taken_at = desk.timebase.millis(grabbed.captured);
        self.last = Some(began);
        let screenshot = desk.shelf.hold(Arc::new(grabbed), taken_at);
        let (recent_audio, audio_context, asr_ms) = if desk.grants.audio {
            let heard = tokio::select! {
                heard = desk.hearing.heard(self.heard_until) => heard,
                Err(cause) = self.pause(Instant::now() + Duration::from_secs(3600)) => return Err(cause),
            };
            self.heard_until = heard.recent.to_ms;
            let recent = RecentAudio {
                started_at: heard.recent.from_ms,
                ended_at: heard.recent.to_ms,
                transcript: heard.recent.text(),
                keyframes: Vec::new(),
            };
            let context = AudioContext {
                started_at: heard.context.from_ms,
                ended_at: heard.context.to_ms,
                sentences: heard.context.sentences.iter().map(to_policy).collect(),
            };
            (Some(recent), Some(context), Some(heard.tail_ms))
        } else {
            (None, None, None)
        };
        let (mut keyframes, mut keyframes_dropped) = {
            let mut mail = desk.mail();
            (
                std::mem::take(&mut mail.pending),
                std::mem::take(&mut mail.pending_dropped),
            )
        };
        keyframes_dropped += thin(&mut keyframes);
        let recent_audio = recent_audio.map(|mut recent| {
            recent.keyframes = in_window(&keyframes, recent.started_at, recent.ended_at);
            recent
        });
        let took_ms = millis(began.elapsed());
        {
            let mut mail = desk.mail();
            mail.observe_ms.push(took_ms);
            mail.asr_ms.extend(asr_ms);
        }
        record_observation(
            &desk,
            step,
            asked_at,
            millis(paced),
            took_ms,
            &screenshot,
            &keyframes,
            keyframes_dropped,
            recent_audio.as_ref(),
            audio_context.as_ref(),
        );
        let (x, y) = desk.pointer.pointer().unwrap_or_default();
        Ok(Observation {
            step,
            taken_at,
            screenshot,
            pointer: Point { x, y },
            keyframes,
            keyframes_dropped,
            recent_audio,
            audio_context,
            remaining: self.time_limit_ms.saturating_sub(taken_at),
        })
    }

    fn subscribe(&mut self, on: bool) {
        let grants = self.desk.grants;
        if on && !grants.keyframes && !grants.audio {
            self.not_granted("keyframe and sentence events");
        }
        self.desk.mail().subscribed = on;
    }

    async fn next(&mut self, wait_ms: Option<u64>) -> Event {
        self.desk.policy_asks();
        let until = wait_ms.map(|wait| tokio::time::Instant::now() + Duration::from_millis(wait));
        loop {
            let changed = self.desk.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(event) = self.desk.mail().take() {
                return event;
            }
            match until {
                None => changed.await,
                Some(until) => {
                    if tokio::time::timeout_at(until, changed).await.is_err() {
                        return self.desk.mail().take().unwrap_or(Event::Elapsed);
                    }
                }
            }
        }
    }

    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        self.desk.policy_asks();
        loop {
            let changed = self.desk.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut mail = self.desk.mail();
                if let Some(cause) = mail.stop {
                    return Err(PerformError::Stopped(cause));
                }
                // A policy that never fetches outcomes would wait for itself, so old outcomes go instead.
                while mail.outstanding + actions.len() > OUTSTANDING
                    && mail.outcomes.pop_front().is_some()
                {
                    mail.outstanding -= 1;
                }
                if mail.outstanding + actions.len() <= OUTSTANDING {
                    mail.outstanding += actions.len();
                    break;
                }
            }
            changed.await;
        }
        let described = actions
            .iter()
            .map(|action| describe(action).into())
            .collect();
        let ids = self.queue.perform(actions).await;
        if let Some(&first) = ids.first() {
            self.desk.recorder.event_waiting(
                self.desk.timebase.now(),
                Entry::ActionsQueued {
                    first,
                    actions: described,
                },
            );
        }
        Ok(ids)
    }

    fn abort_actions(&mut self) {
        self.queue.abort();
    }

    async fn read_text(
        &mut self,
        frame: Arc<dyn Frame>,
        area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError> {
        let Some(reader) = self.desk.reading.clone() else {
            self.not_granted("reading");
            return Err(ReadingError::NotGranted);
        };
        let held = frame
            .as_any()
            .downcast_ref::<HeldFrame>()
            .ok_or(ReadingError::Gone)?;
        let inside = held
            .area(&area)
            .ok_or_else(|| ReadingError::Other("the area leaves the frame".to_owned()))?;
        let began = Instant::now();
        let lines = reader
            .read_area(&held.pixels(), inside)
            .map_err(|error| ReadingError::Other(format!("{error:#}")))?;
        self.desk.recorder.event_waiting(
            self.desk.timebase.now(),
            Entry::Read {
                captured_at: held.captured_at(),
                area: [
                    area.origin.x,
                    area.origin.y,
                    area.size.width as i32,
                    area.size.height as i32,
                ],
                lines: lines.iter().map(|line| line.text.clone()).collect(),
                took_ms: millis(began.elapsed()),
            },
        );
        Ok(lines
            .into_iter()
            .map(|line| {
                let (x, y, width, height) = line.area;
                TextLine {
                    text: line.text,
                    box_: Rect {
                        origin: Point {
                            x: x as i32,
                            y: y as i32,
                        },
                        size: Size { width, height },
                    },
                    confidence: line.confidence,
                }
            })
            .collect())
    }

    async fn clip(&mut self, start: u64, end: u64) -> Result<String, HearingError> {
        if !self.desk.grants.audio {
            self.not_granted("hearing");
            return Err(HearingError::NotGranted);
        }
        let samples = self
            .desk
            .hearing
            .clip(start, end)
            .ok_or(HearingError::OutOfRange)?;
        let wav = crate::capture::wav::encode(16_000, &samples)
            .map_err(|error| HearingError::Other(error.to_string()))?;
        Ok(self.desk.recorder.blob(wav, "audio/wav"))
    }

    fn blob_stat(&mut self, id: &str) -> Result<BlobInfo, BlobError> {
        medium(&self.desk.recorder, id).ok_or(BlobError::NotFound)
    }

    fn blob_read(&mut self, id: &str) -> Result<Vec<u8>, BlobError> {
        let size = self.blob_stat(id)?.size;
        if self.blob_bytes + size > BLOB_BYTES {
            return Err(BlobError::TooLarge(BLOB_BYTES - self.blob_bytes));
        }
        self.blob_bytes += size;
        let bytes = self.desk.recorder.blob_bytes(id);
        Ok(bytes.ok_or(BlobError::NotFound)?.to_vec())
    }

    fn model(&mut self) -> (String, Capabilities) {
        match &self.inference {
            Some(inference) => {
                let model = &inference.model;
                (model.name.clone(), model.capabilities)
            }
            None => (
                String::new(),
                Capabilities {
                    images: false,
                    max_images: None,
                    audio: false,
                    tools: false,
                    coordinate_grid: None,
                },
            ),
        }
    }

    async fn submit(&mut self, request: ModelRequest) -> u64 {
        if let Some(inference) = &self.inference {
            return inference.submit(request);
        }
        self.calls += 1;
        let outcome = Err(ModelError::InvalidRequest(
            "this run has no model adapter: name one with --plugin".to_owned(),
        ));
        self.desk.mail().completions.push_back(Completion {
            call: self.calls,
            outcome,
        });
        self.desk.changed.notify_waiters();
        self.calls
    }

    fn cancel(&mut self, call: u64) {
        if let Some(inference) = &self.inference {
            inference.cancel(call);
        }
    }
}

#[allow(
    clippy::too_many_arguments,
    reason = "one line of the record, made in one place"
)]
fn record_observation(
    desk: &Desk,
    step: u32,
    asked_at: u64,
    paced_ms: u64,
    took_ms: u64,
    screenshot: &Arc<HeldFrame>,
    keyframes: &[Keyframe],
    keyframes_dropped: u32,
    recent: Option<&RecentAudio>,
    context: Option<&AudioContext>,
) {
    let screenshot = screenshot.record().unwrap_or_default();
    let mut names = Vec::new();
    for keyframe in keyframes {
        if let Some(held) = keyframe.frame.as_any().downcast_ref::<HeldFrame>() {
            names.extend(held.record());
        }
    }
    desk.recorder.event_waiting(
        desk.timebase.now(),
        Entry::Observation {
            step,
            asked_at,
            paced_ms,
            took_ms,
            screenshot,
            keyframes: names,
            keyframes_dropped,
            recent_audio: recent.map(|recent| recent.transcript.clone()),
            audio_context: context.map(|context| {
                context
                    .sentences
                    .iter()
                    .map(|sentence| HeardSentence {
                        started_at: sentence.started_at,
                        ended_at: sentence.ended_at,
                        text: sentence.text.clone(),
                        confidence: sentence.confidence,
                    })
                    .collect()
            }),
        },
    );
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
