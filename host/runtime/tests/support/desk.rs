//! A scripted desk: observations, a model that answers from a list, and hands that note what they were asked to do.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use dynacu_runtime::types::{
    Action, ActionError, ActionOutcome, ActionReceipt, AudioContext, BlobError, BlobInfo,
    Capabilities, Channels, Completion, EncodeError, Encoding, HearingError, Level, ModelError,
    ModelRequest, ModelResponse, Part, PerformError, Point, ReadingError, RecentAudio, Rect,
    Sentence, Size, StopCause, StopReason, TextLine, ToolCall,
};
use dynacu_runtime::{Event, Frame, Keyframe, Observation, PolicyHost};

pub const SCREEN: Size = Size {
    width: 1280,
    height: 720,
};

/// What the model does when it is asked.
pub enum Reply {
    Answers(Result<ModelResponse, ModelError>),
    /// Thinks until the call is given up, and meanwhile this happens.
    Thinks(Vec<Event>),
    /// Answers, and then this happens.
    AnswersBefore(ModelResponse, Vec<Event>),
}

/// What was seen of the policy.
#[derive(Default)]
pub struct Seen {
    pub requests: Vec<ModelRequest>,
    pub performed: Vec<Action>,
    pub encodings: Vec<Encoding>,
    pub clips: Vec<(u64, u64)>,
    pub cancelled: Vec<u64>,
    pub log: Vec<String>,
}

pub struct Desk {
    pub capabilities: Capabilities,
    pub granted: Channels,
    pub replies: VecDeque<Reply>,
    pub seen: Arc<Mutex<Seen>>,
    events: VecDeque<Event>,
    now: u64,
    step: u32,
    calls: u64,
    actions: u64,
    ended: Option<StopCause>,
}

impl Desk {
    pub fn new(granted: Channels, replies: Vec<Reply>) -> Self {
        Self {
            capabilities: Capabilities {
                images: true,
                max_images: None,
                audio: false,
                tools: true,
                coordinate_grid: None,
            },
            granted,
            replies: replies.into(),
            seen: Arc::default(),
            events: VecDeque::new(),
            now: 0,
            step: 0,
            calls: 0,
            actions: 0,
            ended: None,
        }
    }

    fn frame(&self, name: &str, captured_at: u64) -> Arc<dyn Frame> {
        Arc::new(Still {
            name: name.to_owned(),
            captured_at,
            seen: self.seen.clone(),
        })
    }

    /// The host refuses what is outside the screen, and the rest of its batch.
    fn outcome(&mut self, action: Action, failed: &mut bool) -> Result<ActionReceipt, ActionError> {
        if *failed {
            return Err(ActionError::Cancelled);
        }
        if let Action::Click(click) = &action
            && click.at.x >= 1280
        {
            *failed = true;
            return Err(ActionError::OffScreen(click.at));
        }
        if let Action::Wait(milliseconds) = &action {
            self.now += milliseconds;
        }
        if matches!(action, Action::Done) {
            self.ended = Some(StopCause::Done);
        }
        self.seen.lock().unwrap().performed.push(action);
        Ok(ActionReceipt {
            started_at: self.now,
            ended_at: self.now,
        })
    }
}

/// An answer with these calls, in their order.
pub fn calls(calls: &[(&str, &str)]) -> Reply {
    Reply::Answers(Ok(called(calls)))
}

pub fn called(calls: &[(&str, &str)]) -> ModelResponse {
    let parts = calls.iter().enumerate().map(|(n, (name, arguments))| {
        Part::ToolCall(ToolCall {
            id: format!("call-{n}"),
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        })
    });
    response(parts.collect(), StopReason::ToolCall)
}

/// An answer of text alone.
pub fn text(said: &str) -> Reply {
    let parts = vec![Part::Text(said.to_owned())];
    Reply::Answers(Ok(response(parts, StopReason::EndTurn)))
}

pub fn response(parts: Vec<Part>, stop_reason: StopReason) -> ModelResponse {
    ModelResponse {
        parts,
        stop_reason,
        usage: None,
        model: "scripted".to_owned(),
    }
}

pub fn sentence(started_at: u64, ended_at: u64, text: &str) -> Sentence {
    Sentence {
        started_at,
        ended_at,
        text: text.to_owned(),
        confidence: 0.9,
        is_final: true,
        starts_turn: false,
    }
}

pub fn keyframe(frame: Arc<dyn Frame>) -> Keyframe {
    Keyframe {
        captured_at: frame.captured_at(),
        frame,
        changed: Rect {
            origin: Point { x: 10, y: 20 },
            size: Size {
                width: 300,
                height: 60,
            },
        },
        changed_fraction: 0.02,
        semantic_distance: None,
    }
}

/// A screen that never changes; its blobs are named after it and the way it was encoded.
struct Still {
    name: String,
    captured_at: u64,
    seen: Arc<Mutex<Seen>>,
}

/// A frame that comes with an event.
pub fn still(seen: &Arc<Mutex<Seen>>, name: &str, captured_at: u64) -> Arc<dyn Frame> {
    Arc::new(Still {
        name: name.to_owned(),
        captured_at,
        seen: seen.clone(),
    })
}

#[async_trait]
impl Frame for Still {
    fn captured_at(&self) -> u64 {
        self.captured_at
    }

    fn size(&self) -> Size {
        SCREEN
    }

    async fn encode(&self, encoding: Encoding) -> Result<String, EncodeError> {
        self.seen.lock().unwrap().encodings.push(encoding);
        Ok(self.name.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[async_trait]
impl PolicyHost for Desk {
    fn now(&self) -> u64 {
        self.now
    }

    fn log(&mut self, _level: Level, message: String) {
        self.seen.lock().unwrap().log.push(message);
    }

    async fn observe(&mut self) -> Result<Observation, StopCause> {
        if let Some(cause) = self.ended {
            return Err(cause);
        }
        self.step += 1;
        self.now = u64::from(self.step) * 5_000;
        let (from, until) = (self.now - 5_000, self.now);
        let step = self.step;
        let shows = self.granted.contains(Channels::KEYFRAMES);
        let heard = self.granted.contains(Channels::AUDIO);
        let keyframes = [1_000, 2_000, 3_000]
            .map(|after| keyframe(self.frame(&format!("key-{step}-{after}"), from + after)));
        Ok(Observation {
            step,
            taken_at: until,
            screenshot: self.frame(&format!("screen-{step}"), until),
            pointer: Point { x: 0, y: 0 },
            keyframes: if shows { keyframes.into() } else { Vec::new() },
            keyframes_dropped: 0,
            recent_audio: heard.then(|| RecentAudio {
                started_at: from,
                ended_at: until,
                transcript: format!("Words of step {step}."),
                keyframes: if shows { vec![0, 1, 2] } else { Vec::new() },
            }),
            audio_context: heard.then(|| AudioContext {
                started_at: 0,
                ended_at: until,
                sentences: vec![sentence(from, until, &format!("Words of step {step}."))],
            }),
            remaining: 60_000,
        })
    }

    fn subscribe(&mut self, _on: bool) {}

    /// A script that has run out ends the episode, so that no test waits for ever.
    async fn next(&mut self, wait_ms: Option<u64>) -> Event {
        if let Some(event) = self.events.pop_front() {
            return event;
        }
        match (self.ended, wait_ms) {
            (Some(cause), _) => Event::Stop(cause),
            (None, Some(wait)) => {
                self.now += wait;
                Event::Elapsed
            }
            (None, None) => Event::Stop(StopCause::Operator),
        }
    }

    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        let mut failed = false;
        let mut ids = Vec::new();
        for action in actions {
            self.actions += 1;
            let outcome = self.outcome(action, &mut failed);
            self.events.push_back(Event::Action(ActionOutcome {
                action: self.actions,
                outcome,
            }));
            ids.push(self.actions);
        }
        Ok(ids)
    }

    fn abort_actions(&mut self) {}

    async fn read_text(
        &mut self,
        _frame: Arc<dyn Frame>,
        _area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError> {
        Err(ReadingError::NotGranted)
    }

    async fn clip(&mut self, start: u64, end: u64) -> Result<String, HearingError> {
        if !self.granted.contains(Channels::AUDIO) {
            return Err(HearingError::NotGranted);
        }
        self.seen.lock().unwrap().clips.push((start, end));
        Ok(format!("clip-{end}"))
    }

    fn blob_stat(&mut self, _id: &str) -> Result<BlobInfo, BlobError> {
        Err(BlobError::NotFound)
    }

    fn blob_read(&mut self, _id: &str) -> Result<Vec<u8>, BlobError> {
        Err(BlobError::NotFound)
    }

    fn model(&mut self) -> (String, Capabilities) {
        ("scripted".to_owned(), self.capabilities)
    }

    async fn submit(&mut self, request: ModelRequest) -> u64 {
        self.calls += 1;
        self.seen.lock().unwrap().requests.push(request);
        let call = self.calls;
        let completed = |outcome| Event::Completion(Completion { call, outcome });
        match self.replies.pop_front() {
            Some(Reply::Answers(outcome)) => self.events.push_back(completed(outcome)),
            Some(Reply::Thinks(meanwhile)) => self.events.extend(meanwhile),
            Some(Reply::AnswersBefore(response, events)) => {
                self.events.push_back(completed(Ok(response)));
                self.events.extend(events);
            }
            None => self.ended = Some(StopCause::StepLimit),
        }
        self.calls
    }

    fn cancel(&mut self, call: u64) {
        self.seen.lock().unwrap().cancelled.push(call);
        let outcome = Err(ModelError::Cancelled);
        self.events
            .push_back(Event::Completion(Completion { call, outcome }));
    }
}
