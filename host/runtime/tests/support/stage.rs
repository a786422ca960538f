//! A scripted stage: what the screen shows and what is said, at which time, and a note of all that is done. Its clock is
//! its own, so that a minute passes at once.

use std::any::Any;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use dynacu_runtime::types::{
    Action, ActionOutcome, ActionReceipt, BlobError, BlobInfo, Capabilities, Channels, EncodeError,
    Encoding, HearingError, Level, ModelRequest, PerformError, Point, ReadingError, Rect, Sentence,
    Size, StopCause, TextLine,
};
use dynacu_runtime::{Event, Frame, Keyframe, Observation, PolicyHost};

pub const SCREEN: Size = Size {
    width: 1280,
    height: 720,
};
const PACE: u64 = 5_000;
/// The background of every screen.
const GREY: [u8; 3] = [40, 40, 40];

/// What the screen shows from some time on.
#[derive(Clone, Default)]
pub struct Shown {
    /// Words with the left upper corner of their box, which is ten pixels a letter wide and twenty high.
    pub words: Vec<(&'static str, i32, i32)>,
    pub lit: Option<(Rect, [u8; 3])>,
    /// The box of the change to it.
    pub changed: Rect0,
}

/// `x, y, width, height`.
pub type Rect0 = (i32, i32, u32, u32);

pub fn rect((x, y, width, height): Rect0) -> Rect {
    Rect {
        origin: Point { x, y },
        size: Size { width, height },
    }
}

#[derive(Default)]
pub struct Seen {
    /// Actions with the time at which they began.
    pub performed: Vec<(u64, Action)>,
    pub log: Vec<String>,
    /// How often text was read.
    pub read: usize,
    blobs: Vec<Vec<u8>>,
}

pub struct Stage {
    pub granted: Channels,
    pub seen: Arc<Mutex<Seen>>,
    screens: Vec<(u64, Shown)>,
    /// What is to come, in the order of time.
    events: Vec<(u64, Event)>,
    /// Keyframes that no observation has shown yet.
    fresh: Vec<(u64, Shown)>,
    limit: u64,
    now: u64,
    looked_at: Option<u64>,
    step: u32,
    actions: u64,
    ended: Option<StopCause>,
}

impl Stage {
    pub fn new(granted: Channels, screens: Vec<(u64, Shown)>, said: &[(u64, &str)]) -> Self {
        let mut stage = Self {
            granted,
            seen: Arc::default(),
            screens: screens.clone(),
            events: Vec::new(),
            fresh: Vec::new(),
            limit: 60_000,
            now: 0,
            looked_at: None,
            step: 0,
            actions: 0,
            ended: None,
        };
        if granted.contains(Channels::KEYFRAMES) {
            for (at, shown) in screens {
                let keyframe = stage.keyframe(at, &shown);
                stage.post(at + 40, Event::Keyframe(keyframe));
                stage.fresh.push((at, shown));
            }
        }
        if granted.contains(Channels::AUDIO) {
            for (ended_at, text) in said {
                let sentence = Sentence {
                    started_at: ended_at.saturating_sub(1_500),
                    ended_at: *ended_at,
                    text: (*text).to_owned(),
                    confidence: 0.9,
                    is_final: true,
                    starts_turn: false,
                };
                stage.post(ended_at + 700, Event::Sentence(sentence));
            }
        }
        stage
    }

    fn post(&mut self, at: u64, event: Event) {
        let place = self.events.partition_point(|(before, _)| *before <= at);
        self.events.insert(place, (at, event));
    }

    fn frame(&self, captured_at: u64, shown: &Shown) -> Arc<dyn Frame> {
        Arc::new(Still {
            captured_at,
            shown: shown.clone(),
            seen: self.seen.clone(),
        })
    }

    fn keyframe(&self, captured_at: u64, shown: &Shown) -> Keyframe {
        Keyframe {
            frame: self.frame(captured_at, shown),
            captured_at,
            changed: rect(shown.changed),
            changed_fraction: 0.02,
            semantic_distance: None,
        }
    }

    fn over(&mut self) -> Option<StopCause> {
        if self.ended.is_none() && self.now >= self.limit {
            self.ended = Some(StopCause::TimeLimit);
        }
        self.ended
    }
}

struct Still {
    captured_at: u64,
    shown: Shown,
    seen: Arc<Mutex<Seen>>,
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
        let crop = encoding.crop.ok_or(EncodeError::BadCrop)?;
        let inside = |area: &Rect, x: i32, y: i32| {
            (area.origin.x..area.origin.x + area.size.width as i32).contains(&x)
                && (area.origin.y..area.origin.y + area.size.height as i32).contains(&y)
        };
        let mut rows = Vec::new();
        for y in crop.origin.y..crop.origin.y + crop.size.height as i32 {
            rows.push(0); // no filter
            for x in crop.origin.x..crop.origin.x + crop.size.width as i32 {
                let lit = self.shown.lit.as_ref();
                let colour = lit.filter(|(area, _)| inside(area, x, y));
                rows.extend(colour.map_or(GREY, |(_, colour)| *colour));
            }
        }
        let mut seen = self.seen.lock().unwrap();
        seen.blobs
            .push(super::png::png(crop.size.width, crop.size.height, &rows));
        Ok((seen.blobs.len() - 1).to_string())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[async_trait]
impl PolicyHost for Stage {
    fn now(&self) -> u64 {
        self.now
    }

    fn log(&mut self, _level: Level, message: String) {
        self.seen.lock().unwrap().log.push(message);
    }

    async fn observe(&mut self) -> Result<Observation, StopCause> {
        let due = self.looked_at.map_or(0, |looked_at| looked_at + PACE);
        self.now = self.now.max(due);
        if let Some(cause) = self.over() {
            return Err(cause);
        }
        self.looked_at = Some(self.now);
        self.step += 1;
        let shown = self.screens.iter().rev().find(|(at, _)| *at <= self.now);
        let shown = shown.map(|(_, shown)| shown.clone()).unwrap_or_default();
        let now = self.now;
        let (past, coming) = std::mem::take(&mut self.fresh)
            .into_iter()
            .partition(|(at, _)| *at <= now);
        self.fresh = coming;
        let past: Vec<(u64, Shown)> = past;
        Ok(Observation {
            step: self.step,
            taken_at: now,
            screenshot: self.frame(now, &shown),
            pointer: Point { x: 0, y: 0 },
            keyframes: past
                .iter()
                .map(|(at, shown)| self.keyframe(*at, shown))
                .collect(),
            keyframes_dropped: 0,
            recent_audio: None,
            audio_context: None,
            remaining: self.limit - now,
        })
    }

    fn subscribe(&mut self, _on: bool) {}

    async fn next(&mut self, wait_ms: Option<u64>) -> Event {
        if let Some(cause) = self.over() {
            return Event::Stop(cause);
        }
        let until = wait_ms.map_or(self.limit, |wait| self.limit.min(self.now + wait));
        match self.events.first() {
            Some((at, _)) if *at <= until => {
                let (at, event) = self.events.remove(0);
                self.now = self.now.max(at);
                event
            }
            _ => {
                self.now = until;
                self.over().map_or(Event::Elapsed, Event::Stop)
            }
        }
    }

    /// Each takes 20 ms, a wait as long as it says.
    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        let mut at = self.now;
        let mut ids = Vec::new();
        for action in actions {
            let started_at = at;
            at += match &action {
                Action::Wait(milliseconds) => *milliseconds,
                _ => 20,
            };
            self.actions += 1;
            if matches!(action, Action::Done) {
                self.ended = Some(StopCause::Done);
            }
            self.seen
                .lock()
                .unwrap()
                .performed
                .push((started_at, action));
            let outcome = ActionOutcome {
                action: self.actions,
                outcome: Ok(ActionReceipt {
                    started_at,
                    ended_at: at,
                }),
            };
            self.post(at, Event::Action(outcome));
            ids.push(self.actions);
        }
        Ok(ids)
    }

    fn abort_actions(&mut self) {}

    async fn read_text(
        &mut self,
        frame: Arc<dyn Frame>,
        area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError> {
        if !self.granted.contains(Channels::READING) {
            return Err(ReadingError::NotGranted);
        }
        self.seen.lock().unwrap().read += 1;
        let still = frame.as_any().downcast_ref::<Still>();
        let shown = &still.ok_or(ReadingError::Gone)?.shown;
        let inside = |x: i32, y: i32| {
            (area.origin.x..area.origin.x + area.size.width as i32).contains(&x)
                && (area.origin.y..area.origin.y + area.size.height as i32).contains(&y)
        };
        let words = shown.words.iter().filter(|(_, x, y)| inside(*x, *y));
        Ok(words
            .map(|(text, x, y)| TextLine {
                text: (*text).to_owned(),
                box_: rect((*x, *y, 10 * text.len() as u32, 20)),
                confidence: 0.97,
            })
            .collect())
    }

    async fn clip(&mut self, _start: u64, _end: u64) -> Result<String, HearingError> {
        Err(HearingError::NotGranted)
    }

    fn blob_stat(&mut self, _id: &str) -> Result<BlobInfo, BlobError> {
        Err(BlobError::NotFound)
    }

    fn blob_read(&mut self, id: &str) -> Result<Vec<u8>, BlobError> {
        let seen = self.seen.lock().unwrap();
        let blob = id.parse().ok().and_then(|id: usize| seen.blobs.get(id));
        blob.cloned().ok_or(BlobError::NotFound)
    }

    fn model(&mut self) -> (String, Capabilities) {
        let capabilities = Capabilities {
            images: false,
            max_images: None,
            audio: false,
            tools: false,
            coordinate_grid: None,
        };
        ("none".to_owned(), capabilities)
    }

    async fn submit(&mut self, _request: ModelRequest) -> u64 {
        0
    }

    fn cancel(&mut self, _call: u64) {}
}
