//! What the host gives to a running policy, as traits: the runtime knows no desktop.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use crate::types::{
    Action, ActionError, AudioContext, BlobError, BlobInfo, Capabilities, EncodeError, Encoding,
    HearingError, Level, ModelError, ModelRequest, ModelResponse, PerformError, Point,
    ReadingError, RecentAudio, Rect, Sentence, Size, SolutionError, StopCause, TextLine,
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
    /// `bad-crop` where the crop is empty or leaves the frame, `other` where the host cannot encode it.
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
    pub remaining_ms: u64,
}

/// When an action was done, milliseconds on the episode's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionReceipt {
    pub started_at: u64,
    pub ended_at: u64,
}

/// What became of one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionOutcome {
    pub id: u64,
    pub outcome: Result<ActionReceipt, ActionError>,
}

/// The end of a model call.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    pub call: u64,
    pub outcome: Result<ModelResponse, ModelError>,
}

/// One entry of a policy's mailbox.
pub enum SessionEvent {
    Completion(Completion),
    Action(ActionOutcome),
    Keyframe(Keyframe),
    Sentence(Sentence),
}

/// The host's side of one episode, as its policy sees it.
///
/// It lives on the guest's thread and is dropped before the run's end is reported. An async method may be dropped at
/// any await: that is how a deadline cuts a blocked call. The others must answer at once.
#[async_trait]
pub trait PolicyHost: Send + 'static {
    /// Milliseconds on the episode's clock.
    fn now(&self) -> u64;
    /// The clock readings that the guest took since its last call, as `(milliseconds, times in a row)`.
    fn clock_was_read(&mut self, readings: Vec<(u64, u32)>);
    /// One line, already within the plugin's quota and at most a few kilobytes long.
    fn log(&mut self, level: Level, message: String);
    /// Waits for the pace. An error is why the episode ends.
    async fn observe(&mut self) -> Result<Observation, StopCause>;
    fn subscribe(&mut self, on: bool);
    /// Waits at most `wait_ms` milliseconds, for ever without it. An error is why the episode ends: the policy has two
    /// seconds to return.
    async fn next(&mut self, wait_ms: Option<u64>) -> Result<Option<SessionEvent>, StopCause>;
    /// The ids of the actions. At most 64; the runtime refuses more and says so with [`PolicyHost::refused`].
    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError>;
    /// A batch was refused before the host saw it.
    fn refused(&mut self, error: &PerformError);
    fn abort_actions(&mut self);
    /// Has a frame encoded.
    async fn encode(
        &mut self,
        frame: Arc<dyn Frame>,
        encoding: Encoding,
    ) -> Result<String, EncodeError>;
    async fn read_text(
        &mut self,
        frame: Arc<dyn Frame>,
        area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError>;
    /// The task's solution script.
    fn solution(&mut self) -> Result<Option<String>, SolutionError>;
    /// The id of a blob with what the speakers played between two instants in milliseconds.
    async fn clip(&mut self, start: u64, end: u64) -> Result<String, HearingError>;
    fn blob_stat(&mut self, id: &str) -> Result<BlobInfo, BlobError>;
    fn blob_read(&mut self, id: &str) -> Result<Vec<u8>, BlobError>;
    /// The model that the run chose, and what it takes.
    fn model(&mut self) -> (String, Capabilities);
    /// Returns the call's id at once; the answer comes as [`SessionEvent::Completion`].
    async fn submit(&mut self, request: ModelRequest) -> u64;
    fn cancel(&mut self, call: u64);
}
