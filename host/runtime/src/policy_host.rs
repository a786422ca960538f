//! What the host gives to a running policy, as traits: the runtime knows no desktop.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use crate::types::{
    Action, ActionOutcome, AudioContext, BlobError, BlobInfo, Capabilities, Completion,
    EncodeError, Encoding, HearingError, Level, ModelRequest, PerformError, Point, ReadingError,
    RecentAudio, Rect, Sentence, Size, StopCause, TextLine,
};

/// One captured screen, kept by the host for as long as a policy holds it.
#[async_trait]
pub trait Frame: Send + Sync {
    /// Milliseconds on the episode's clock.
    fn captured_at(&self) -> u64;
    /// Pixels.
    fn size(&self) -> Size;
    /// The id of the encoded picture's blob. The same encoding of the same frame is made once.
    ///
    /// # Errors
    /// `bad-crop` where the crop is empty or leaves the frame.
    async fn encode(&self, encoding: Encoding) -> Result<String, EncodeError>;
    /// For the host, which gets its own frames back in [`PolicyHost::read_text`].
    fn as_any(&self) -> &dyn Any;
}

/// A frame kept because the screen changed between two observations.
pub struct Keyframe {
    pub frame: Arc<dyn Frame>,
    /// Milliseconds on the episode's clock.
    pub captured_at: u64,
    pub changed: Rect,
    /// Share of all pixels, 0 to 1.
    pub changed_fraction: f32,
    /// Cosine distance, 0 to 2, where the second stage decided.
    pub semantic_distance: Option<f32>,
}

/// What a policy perceives in one step.
pub struct Observation {
    /// Counts from 1.
    pub step: u32,
    /// Milliseconds on the episode's clock.
    pub taken_at: u64,
    pub screenshot: Arc<dyn Frame>,
    pub pointer: Point,
    /// Oldest first, at most 64.
    pub keyframes: Vec<Keyframe>,
    pub keyframes_dropped: u32,
    pub recent_audio: Option<RecentAudio>,
    pub audio_context: Option<AudioContext>,
    /// Milliseconds before the task's limit.
    pub remaining: u64,
}

/// One entry of a policy's mailbox.
pub enum Event {
    Completion(Completion),
    Action(ActionOutcome),
    Keyframe(Keyframe),
    Sentence(Sentence),
    /// The wait passed with nothing else to say.
    Elapsed,
    /// The last one: the policy has two seconds to return.
    Stop(StopCause),
}

/// The host's side of one episode, as its policy sees it.
///
/// It lives on the guest's thread and is dropped before the run's end is reported. An async method may be dropped at
/// any await: that is how a deadline cuts a blocked call. The others must answer at once.
#[async_trait]
pub trait PolicyHost: Send + 'static {
    /// Milliseconds on the episode's clock.
    fn now(&self) -> u64;
    /// One line, already within the plugin's quota and at most a few kilobytes long.
    fn log(&mut self, level: Level, message: String);
    /// Waits for the pace. An error is why the episode ends.
    async fn observe(&mut self) -> Result<Observation, StopCause>;
    fn subscribe(&mut self, on: bool);
    /// Waits at most `wait_ms` milliseconds, for ever without it.
    async fn next(&mut self, wait_ms: Option<u64>) -> Event;
    /// At most 64 actions; the runtime refuses more before the host sees them.
    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError>;
    fn abort_actions(&mut self);
    async fn read_text(
        &mut self,
        frame: Arc<dyn Frame>,
        area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError>;
    /// The id of a blob with what the speakers played between two instants in milliseconds.
    async fn clip(&mut self, start: u64, end: u64) -> Result<String, HearingError>;
    fn blob_stat(&mut self, id: &str) -> Result<BlobInfo, BlobError>;
    fn blob_read(&mut self, id: &str) -> Result<Vec<u8>, BlobError>;
    /// The model that the run chose, and what it takes.
    fn model(&mut self) -> (String, Capabilities);
    /// Returns the call's id at once; the answer comes as [`Event::Completion`].
    async fn submit(&mut self, request: ModelRequest) -> u64;
    fn cancel(&mut self, call: u64);
}

/// The host while a policy only describes itself: there is no episode yet.
pub(crate) struct ClosedHost;

#[async_trait]
impl PolicyHost for ClosedHost {
    fn now(&self) -> u64 {
        0
    }

    fn log(&mut self, level: Level, message: String) {
        crate::lines::trace("describe", level, &message);
    }

    async fn observe(&mut self) -> Result<Observation, StopCause> {
        Err(StopCause::Operator)
    }

    fn subscribe(&mut self, _on: bool) {}

    async fn next(&mut self, _wait_ms: Option<u64>) -> Event {
        Event::Stop(StopCause::Operator)
    }

    async fn perform(&mut self, _actions: Vec<Action>) -> Result<Vec<u64>, PerformError> {
        Err(PerformError::Stopped(StopCause::Operator))
    }

    fn abort_actions(&mut self) {}

    async fn read_text(
        &mut self,
        _frame: Arc<dyn Frame>,
        _area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError> {
        Err(ReadingError::NotGranted)
    }

    async fn clip(&mut self, _start: u64, _end: u64) -> Result<String, HearingError> {
        Err(HearingError::NotGranted)
    }

    fn blob_stat(&mut self, _id: &str) -> Result<BlobInfo, BlobError> {
        Err(BlobError::NotFound)
    }

    fn blob_read(&mut self, _id: &str) -> Result<Vec<u8>, BlobError> {
        Err(BlobError::NotFound)
    }

    fn model(&mut self) -> (String, Capabilities) {
        let nothing = Capabilities {
            images: false,
            max_images: None,
            audio: false,
            tools: false,
            coordinate_grid: None,
        };
        (String::new(), nothing)
    }

    async fn submit(&mut self, _request: ModelRequest) -> u64 {
        0
    }

    fn cancel(&mut self, _call: u64) {}
}
