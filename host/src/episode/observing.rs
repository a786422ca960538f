//! Taking an observation: the pace, the screenshot, what was heard, what was kept; and its line of the record.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dynacu_record::{Event, Observation as Recorded};
use dynacu_runtime::Observation;
use dynacu_runtime::types::{AudioContext, EncodeError, RecentAudio, StopCause};

use super::desk::{Desk, Request};
use crate::observation::{ScreenFrame, in_window, observed, thin};

/// Longer than any episode: only its end ends such a wait.
const WHATEVER_COMES: Duration = Duration::from_secs(24 * 3600);

/// When a policy may observe, and up to where it has heard.
pub struct Observing {
    pub pace: Duration,
    pub step_limit: u32,
    pub time_limit_ms: u64,
    last: Option<Instant>,
    /// On the episode's clock.
    heard_until: u64,
}

impl Observing {
    #[must_use]
    pub fn new(pace: Duration, step_limit: u32, time_limit_ms: u64) -> Observing {
        Observing {
            pace,
            step_limit,
            time_limit_ms,
            last: None,
            heard_until: 0,
        }
    }

    /// One step. An error is why the episode ends.
    pub(super) async fn observe(&mut self, desk: &Arc<Desk>) -> Result<Observation, StopCause> {
        let asked = Instant::now();
        let asked_at = desk.timebase.now();
        pause(desk, self.last.map_or(asked, |taken| taken + self.pace)).await?;
        let paced_ms = millis(asked.elapsed());
        let step = desk.mailbox.steps.load(Ordering::Relaxed) + 1;
        if step > self.step_limit {
            return Err(desk.until_stopped(Request::StepLimit).await);
        }
        desk.mailbox.steps.store(step, Ordering::Relaxed);

        let began = Instant::now();
        let grabbed = match desk.seeing.grab() {
            Ok(grabbed) => grabbed,
            Err(error) => return Err(desk.until_stopped(Request::screen_lost(&error)).await),
        };
        let taken_at = desk.timebase.millis(grabbed.captured);
        // The pace holds between pictures: on a busy machine the grab itself may come late.
        self.last = Some(grabbed.captured);
        let screenshot = desk.shelf.hold(Arc::new(grabbed), taken_at);
        let (mut recent_audio, audio_context) = self.hear(desk).await?;
        let (keyframes, keyframes_dropped) = {
            let mut mail = desk.mail();
            let mut keyframes = std::mem::take(&mut mail.pending);
            let dropped = std::mem::take(&mut mail.pending_dropped) + thin(&mut keyframes);
            (keyframes, dropped)
        };
        if let Some(recent) = &mut recent_audio {
            recent.keyframes = in_window(&keyframes, recent.started_at, recent.ended_at);
        }
        let pointer = match desk.pointer.pointer() {
            Ok(pointer) => pointer.into(),
            Err(error) => return Err(desk.until_stopped(Request::screen_lost(&error)).await),
        };
        let observation = Observation {
            step,
            taken_at,
            screenshot: Arc::clone(&screenshot) as _,
            pointer,
            keyframes,
            keyframes_dropped,
            recent_audio,
            audio_context,
            remaining_ms: self.time_limit_ms.saturating_sub(taken_at),
        };
        let took_ms = millis(began.elapsed());
        desk.mail().observe_ms.push(took_ms);
        match recorded(&screenshot, &observation) {
            Ok(recorded) => desk.recorder.event_waiting(
                desk.timebase.now(),
                Event::Observation {
                    asked_at,
                    paced_ms,
                    took_ms,
                    observation: Box::new(recorded),
                },
            ),
            Err(error) => {
                let why = super::names::encode_error(&error);
                return Err(desk.until_stopped(Request::picture_lost(&why)).await);
            }
        }
        Ok(observation)
    }

    /// Both layers of what was heard; none of them where the channel is not granted.
    async fn hear(
        &mut self,
        desk: &Desk,
    ) -> Result<(Option<RecentAudio>, Option<AudioContext>), StopCause> {
        if !desk.grants.audio {
            return Ok((None, None));
        }
        let heard = tokio::select! {
            heard = desk.hearing.heard(self.heard_until) => heard,
            Err(cause) = pause(desk, Instant::now() + WHATEVER_COMES) => return Err(cause),
        };
        self.heard_until = heard.recent.to_ms;
        let now = desk.timebase.now();
        desk.mail().tails.push((now, heard.tail_ms));
        let recent = RecentAudio {
            started_at: heard.recent.from_ms,
            ended_at: heard.recent.to_ms,
            transcript: heard.recent.text(),
            keyframes: Vec::new(),
        };
        let context = AudioContext {
            started_at: heard.context.from_ms,
            ended_at: heard.context.to_ms,
            sentences: heard.context.sentences,
        };
        Ok((Some(recent), Some(context)))
    }
}

/// An observation as the record has it.
fn recorded(screenshot: &ScreenFrame, handed: &Observation) -> Result<Recorded, EncodeError> {
    Ok(Recorded {
        step: handed.step,
        taken_at: handed.taken_at,
        screenshot: screenshot.record()?,
        pointer: handed.pointer,
        keyframes: handed
            .keyframes
            .iter()
            .map(observed)
            .collect::<Result<_, _>>()?,
        keyframes_dropped: handed.keyframes_dropped,
        recent_audio: handed.recent_audio.clone(),
        audio_context: handed.audio_context.clone(),
        remaining_ms: handed.remaining_ms,
    })
}

/// Waits until `until` or the episode's end, whichever comes first.
async fn pause(desk: &Desk, until: Instant) -> Result<(), StopCause> {
    loop {
        let changed = desk.mailbox.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        if let Some(cause) = desk.stopped() {
            return Err(cause);
        }
        tokio::select! {
            () = tokio::time::sleep_until(until.into()) => return Ok(()),
            () = changed => {}
        }
    }
}

impl Desk {
    /// Asks the episode loop for an end and waits for it: nothing more can be handed over.
    async fn until_stopped(&self, request: Request) -> StopCause {
        // A full channel means that a request is already waiting, and the first one decides.
        let _ = self.requests.try_send(request);
        loop {
            if let Err(cause) = pause(self, Instant::now() + WHATEVER_COMES).await {
                return cause;
            }
        }
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
