//! The host's side of a scripted episode, on a clock of its own.

mod acting;
mod still;

use std::sync::Arc;

use async_trait::async_trait;
use dynacu_runtime::types::{
    Action, ActionError, AudioContext, BlobError, BlobInfo, Capabilities, Channel, EncodeError,
    Encoding, HearingError, Level, ModelError, ModelRequest, PerformError, Point, ReadingError,
    RecentAudio, Rect, SolutionError, StopCause, TextLine,
};
use dynacu_runtime::{
    ActionOutcome, Blobs, Completion, Frame, Keyframe, Observation, PolicyHost, SessionEvent,
};
use parking_lot::{Mutex, MutexGuard};

use crate::ran::{Performed, Recording};
use crate::{Media, Model, Picture, Script};
use still::{Still, silence};

/// The older layer of sound.
const CONTEXT_MS: u64 = 60_000;
/// Keyframes of one observation.
const KEYFRAMES: usize = 64;

pub(crate) struct Desk {
    script: Script,
    /// Each shot's changed box and share against the one before; none where nothing changed.
    changes: Vec<Option<(Rect, f32)>>,
    model: Model,
    recording: Arc<Mutex<Recording>>,
    now: u64,
    last_look: Option<u64>,
    step: u32,
    calls: u64,
    actions: u64,
    /// What is due, with its instant; in the order in which it was put there where that is the same.
    mail: Vec<(u64, SessionEvent)>,
    /// Model calls without an answer yet.
    open: Vec<u64>,
    /// Until when the hands are busy.
    busy_until: u64,
    pointer: Point,
    /// From when on keyframes and sentences are events; none while not subscribed.
    subscribed: Option<(usize, usize)>,
    done_at: Option<u64>,
    ended: Option<StopCause>,
}

impl Desk {
    pub(crate) fn new(mut script: Script, model: Model, media: Media) -> Self {
        if script
            .shots
            .first()
            .is_none_or(|shot| shot.at > script.begins_at)
        {
            script = script.shows(0, Picture::named("screen"));
        }
        let changes = script
            .shots
            .iter()
            .enumerate()
            .map(|(index, shot)| {
                let before = script.shots.get(index.checked_sub(1)?)?;
                shot.picture.changed_since(&before.picture)
            })
            .collect();
        let recording = Recording {
            media,
            ..Recording::default()
        };
        Self {
            now: script.begins_at,
            busy_until: script.begins_at,
            script,
            changes,
            model,
            recording: Arc::new(Mutex::new(recording)),
            last_look: None,
            step: 0,
            calls: 0,
            actions: 0,
            mail: Vec::new(),
            open: Vec::new(),
            pointer: Point { x: 0, y: 0 },
            subscribed: None,
            done_at: None,
            ended: None,
        }
    }

    pub(crate) fn recording(&self) -> Arc<Mutex<Recording>> {
        Arc::clone(&self.recording)
    }

    fn look(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock()
    }

    fn granted(&self, channel: Channel) -> bool {
        self.script.brief.granted.contains(&channel)
    }

    fn end(&mut self, cause: StopCause) -> StopCause {
        let cause = *self.ended.get_or_insert(cause);
        self.look().stopped = Some(cause);
        cause
    }

    /// Moves the clock on; the episode ends where that passes its end.
    fn advance(&mut self, to: u64) {
        let limit = self.script.brief.time_limit_ms;
        match self.done_at {
            Some(done) if done <= to.min(limit) => {
                self.now = self.now.max(done);
                self.end(StopCause::Done);
            }
            _ if to >= limit => {
                self.now = self.now.max(limit);
                self.end(StopCause::TimeLimit);
            }
            _ => self.now = self.now.max(to),
        }
    }

    fn frame(&self, picture: &Picture, captured_at: u64) -> Arc<dyn Frame> {
        Arc::new(Still {
            picture: picture.clone(),
            captured_at,
            recording: Arc::clone(&self.recording),
        })
    }

    fn keyframe(&self, index: usize) -> Option<Keyframe> {
        let (changed, changed_fraction) = (*self.changes.get(index)?)?;
        let shot = self.script.shots.get(index)?;
        Some(Keyframe {
            frame: self.frame(&shot.picture, shot.at),
            captured_at: shot.at,
            changed,
            changed_fraction,
            semantic_distance: None,
        })
    }

    /// The instant of the next keyframe or sentence event, and what it is.
    fn next_arrival(&self) -> Option<(u64, Arrival)> {
        let (shot, sentence) = self.subscribed?;
        let keyframe = (shot..self.script.shots.len())
            .find(|index| self.changes.get(*index).is_some_and(Option::is_some))
            .filter(|_| self.granted(Channel::Keyframes))
            .and_then(|index| Some((self.script.shots.get(index)?.at, Arrival::Keyframe(index))));
        let sentence = self
            .script
            .sentences
            .get(sentence)
            .filter(|_| self.granted(Channel::Audio))
            .map(|said| {
                let at = said.ended_at + self.script.recognised_after;
                (at, Arrival::Sentence(sentence))
            });
        keyframe
            .into_iter()
            .chain(sentence)
            .min_by_key(|(at, _)| *at)
    }

    fn take(&mut self, arrival: Arrival) -> Option<SessionEvent> {
        let (shot, sentence) = self.subscribed.as_mut()?;
        match arrival {
            Arrival::Keyframe(index) => {
                *shot = index + 1;
                self.keyframe(index).map(SessionEvent::Keyframe)
            }
            Arrival::Sentence(index) => {
                *sentence = index + 1;
                self.script
                    .sentences
                    .get(index)
                    .cloned()
                    .map(SessionEvent::Sentence)
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Arrival {
    Keyframe(usize),
    Sentence(usize),
}

#[async_trait]
impl PolicyHost for Desk {
    fn now(&self) -> u64 {
        self.now
    }

    /// The script's clock only moves in calls, so there is nothing to keep.
    fn clock_was_read(&mut self, _readings: Vec<(u64, u32)>) {}

    fn log(&mut self, level: Level, message: String) {
        self.look().log.push((level, message));
    }

    async fn observe(&mut self) -> Result<Observation, StopCause> {
        let from = self.last_look.unwrap_or(self.script.begins_at);
        let due = self
            .last_look
            .map_or(self.now, |last| last + self.script.brief.pace_ms);
        self.advance(due.max(self.now));
        if self.step >= self.script.brief.step_limit {
            self.end(StopCause::StepLimit);
        }
        if let Some(cause) = self.ended {
            return Err(cause);
        }
        self.step += 1;
        let (until, first) = (self.now, self.last_look.is_none());
        self.last_look = Some(until);
        let since = |at: u64| at <= until && (at > from || first);
        let mut keyframes: Vec<Keyframe> = Vec::new();
        if self.granted(Channel::Keyframes) {
            let shots = self.script.shots.iter().enumerate();
            let new = shots.filter(|(_, shot)| since(shot.at));
            keyframes = new.filter_map(|(index, _)| self.keyframe(index)).collect();
        }
        let dropped = keyframes.len().saturating_sub(KEYFRAMES);
        keyframes.drain(..dropped);
        let heard = self.granted(Channel::Audio).then(|| {
            let said = self.script.sentences.iter();
            let context = until.saturating_sub(CONTEXT_MS);
            let sentences: Vec<_> = said
                .filter(|sentence| sentence.ended_at <= until && sentence.ended_at >= context)
                .cloned()
                .collect();
            let recent: Vec<&str> = sentences
                .iter()
                .filter(|sentence| since(sentence.ended_at))
                .map(|sentence| sentence.text.as_str())
                .collect();
            let recent = RecentAudio {
                started_at: if first { 0 } else { from },
                ended_at: until,
                transcript: recent.join(" "),
                keyframes: (0..keyframes.len() as u32).collect(),
            };
            let context = AudioContext {
                started_at: context,
                ended_at: until,
                sentences,
            };
            (recent, context)
        });
        let (recent_audio, audio_context) = heard.unzip();
        let shown = self.script.shots.iter().rev().find(|shot| shot.at <= until);
        let picture = shown.map_or_else(|| Picture::named("screen"), |shot| shot.picture.clone());
        self.look().observations = self.step;
        Ok(Observation {
            step: self.step,
            taken_at: until,
            screenshot: self.frame(&picture, until),
            pointer: self.pointer,
            keyframes,
            keyframes_dropped: dropped as u32,
            recent_audio,
            audio_context,
            remaining_ms: self.script.brief.time_limit_ms - until,
        })
    }

    fn subscribe(&mut self, on: bool) {
        let now = self.now;
        let shots = self.script.shots.iter().take_while(|shot| shot.at <= now);
        let said = self
            .script
            .sentences
            .iter()
            .take_while(|said| said.ended_at + self.script.recognised_after <= now);
        let from = (shots.count(), said.count());
        self.subscribed = on.then(|| self.subscribed.unwrap_or(from));
    }

    async fn next(&mut self, wait_ms: Option<u64>) -> Result<Option<SessionEvent>, StopCause> {
        if let Some(cause) = self.ended {
            return Err(cause);
        }
        let until = wait_ms.map(|wait| self.now.saturating_add(wait));
        // Of what is due at the same instant, what was put there first comes first.
        let due = self.mail.iter().enumerate().min_by_key(|(_, (at, _))| *at);
        let due = due.map(|(index, (at, _))| (*at, index));
        let arrival = self.next_arrival();
        let mail_first = match (due, arrival) {
            (Some((mail, _)), Some((arrival, _))) => mail <= arrival,
            (mail, _) => mail.is_some(),
        };
        let at = if mail_first {
            due.map(|(at, _)| at)
        } else {
            arrival.map(|(at, _)| at)
        };
        match at {
            Some(at) if until.is_none_or(|until| at <= until) => {
                // An action's own outcome is told before the stop that it brings.
                if self.done_at.is_none_or(|done| at > done) {
                    self.advance(at);
                } else {
                    self.now = self.now.max(at);
                }
                if let Some(cause) = self.ended {
                    return Err(cause);
                }
                if mail_first && let Some((_, index)) = due {
                    return Ok(Some(self.mail.remove(index).1));
                }
                Ok(arrival.and_then(|(_, arrival)| self.take(arrival)))
            }
            _ => {
                self.advance(until.unwrap_or(u64::MAX));
                self.ended.map_or(Ok(None), Err)
            }
        }
    }

    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        if let Some(cause) = self.ended {
            let error = PerformError::Stopped { cause };
            self.refused(&error);
            return Err(error);
        }
        let mut failed = false;
        let mut ids = Vec::new();
        for action in actions {
            self.actions += 1;
            let (at, outcome) = if failed {
                (self.busy_until.max(self.now), Err(ActionError::Cancelled))
            } else {
                self.act(&action)
            };
            failed |= outcome.is_err();
            let performed = Performed {
                at: outcome.as_ref().map_or(at, |receipt| receipt.started_at),
                action,
                refused: outcome.as_ref().err().cloned(),
            };
            self.look().performed.push(performed);
            let id = self.actions;
            let outcome = ActionOutcome { id, outcome };
            self.mail.push((at, SessionEvent::Action(outcome)));
            ids.push(id);
        }
        Ok(ids)
    }

    fn refused(&mut self, error: &PerformError) {
        self.look().refused.push(error.clone());
    }

    fn abort_actions(&mut self) {
        let now = self.now;
        for (at, event) in &mut self.mail {
            if let SessionEvent::Action(outcome) = event
                && *at > now
            {
                *at = now;
                outcome.outcome = Err(ActionError::Cancelled);
            }
        }
        self.busy_until = now;
        self.done_at = self.done_at.filter(|done| *done <= now);
    }

    async fn encode(
        &mut self,
        frame: Arc<dyn Frame>,
        encoding: Encoding,
    ) -> Result<String, EncodeError> {
        frame.encode(encoding).await
    }

    async fn read_text(
        &mut self,
        frame: Arc<dyn Frame>,
        area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError> {
        if !self.script.reading {
            return Err(ReadingError::NotGranted);
        }
        let still = frame.as_any().downcast_ref::<Still>();
        let lines = still.ok_or(ReadingError::Gone)?.picture.words_in(&area);
        self.look().readings.push(area);
        Ok(lines)
    }

    fn solution(&mut self) -> Result<Option<String>, SolutionError> {
        let script = self.script.solution.clone();
        script.map(Some).ok_or(SolutionError::NotGranted)
    }

    async fn clip(&mut self, start: u64, end: u64) -> Result<String, HearingError> {
        if !self.granted(Channel::Audio) {
            return Err(HearingError::NotGranted);
        }
        if end <= start || end > self.now || end - start > CONTEXT_MS {
            return Err(HearingError::OutOfRange);
        }
        let mut recording = self.look();
        recording.clips.push((start, end));
        let name = format!("clip-{start}-{end}");
        Ok(recording
            .media
            .keep(silence(start, end), "audio/wav", &name))
    }

    fn blob_stat(&mut self, id: &str) -> Result<BlobInfo, BlobError> {
        self.look().media.stat(id)
    }

    fn blob_read(&mut self, id: &str) -> Result<Vec<u8>, BlobError> {
        self.look().media.read(id)
    }

    fn model(&mut self) -> (String, Capabilities) {
        (self.model.name.clone(), self.model.capabilities)
    }

    async fn submit(&mut self, request: ModelRequest) -> u64 {
        self.calls += 1;
        let call = self.calls;
        let reply = self.model.answer(&request);
        self.look().requests.push(request);
        match reply {
            Some(reply) => match reply.outcome {
                Some(outcome) => {
                    let at = self.now.saturating_add(reply.after_ms);
                    let completion = Completion { call, outcome };
                    self.mail.push((at, SessionEvent::Completion(completion)));
                }
                None => self.open.push(call),
            },
            None => {
                self.end(StopCause::Operator);
            }
        }
        call
    }

    fn cancel(&mut self, call: u64) {
        self.look().cancelled.push(call);
        let now = self.now;
        let outcome = Err(ModelError::Cancelled);
        let cancelled = SessionEvent::Completion(Completion { call, outcome });
        let waits = self.mail.iter_mut().find(|(at, event)| {
            *at > now
                && matches!(event, SessionEvent::Completion(completion) if completion.call == call)
        });
        if let Some(waits) = waits {
            *waits = (now, cancelled);
        } else if let Some(index) = self.open.iter().position(|open| *open == call) {
            self.open.remove(index);
            self.mail.push((now, cancelled));
        }
    }
}
