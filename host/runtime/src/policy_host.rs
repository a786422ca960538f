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
    /// The captured screen.
    pub frame: Arc<dyn Frame>,
    /// Milliseconds on the episode's clock.
    pub captured_at: u64,
    /// The box of what changed, in pixels.
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
    /// The screen at `taken_at`.
    pub screenshot: Arc<dyn Frame>,
    /// Where the mouse is, in pixels.
    pub pointer: Point,
    /// Oldest first, at most 64.
    pub keyframes: Vec<Keyframe>,
    /// Older ones that were left out.
    pub keyframes_dropped: u32,
    /// None where the mode grants no sound.
    pub recent_audio: Option<RecentAudio>,
    /// None where the mode grants no sound.
    pub audio_context: Option<AudioContext>,
    /// Milliseconds before the task's limit.
    pub remaining_ms: u64,
}

/// When an action was done, milliseconds on the episode's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionReceipt {
    /// When it began.
    pub started_at: u64,
    /// When it was over.
    pub ended_at: u64,
}

/// What became of one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionOutcome {
    /// As [`PolicyHost::perform`] gave it.
    pub id: u64,
    /// When it was done, or why it was not.
    pub outcome: Result<ActionReceipt, ActionError>,
}

/// The end of a model call.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// As [`PolicyHost::submit`] gave it.
    pub call: u64,
    /// The model's answer, or why there is none.
    pub outcome: Result<ModelResponse, ModelError>,
}

/// One entry of a policy's mailbox.
pub enum SessionEvent {
    /// A model call came to its end.
    Completion(Completion),
    /// An action came to its end.
    Action(ActionOutcome),
    /// A frame was kept.
    Keyframe(Keyframe),
    /// A sentence was recognised and is final.
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
    /// From now on keyframes and sentences come into the mailbox, or no longer.
    fn subscribe(&mut self, on: bool);
    /// Waits at most `wait_ms` milliseconds, for ever without it. An error is why the episode ends: the policy has two
    /// seconds to return.
    async fn next(&mut self, wait_ms: Option<u64>) -> Result<Option<SessionEvent>, StopCause>;
    /// The ids of the actions. At most 64; the runtime refuses more and says so with [`PolicyHost::refused`].
    async fn perform(&mut self, actions: Vec<Action>) -> Result<Vec<u64>, PerformError>;
    /// A batch was refused before the host saw it.
    fn refused(&mut self, error: &PerformError);
    /// Actions that have not begun are not done.
    fn abort_actions(&mut self);
    /// Has a frame encoded.
    async fn encode(
        &mut self,
        frame: Arc<dyn Frame>,
        encoding: Encoding,
    ) -> Result<String, EncodeError>;
    /// The lines of text in a part of a frame.
    async fn read_text(
        &mut self,
        frame: Arc<dyn Frame>,
        area: Rect,
    ) -> Result<Vec<TextLine>, ReadingError>;
    /// The task's solution script.
    fn solution(&mut self) -> Result<Option<String>, SolutionError>;
    /// The id of a blob with what the speakers played between two instants in milliseconds.
    async fn clip(&mut self, start: u64, end: u64) -> Result<String, HearingError>;
    /// What a blob of the episode is.
    fn blob_stat(&mut self, id: &str) -> Result<BlobInfo, BlobError>;
    /// A blob's bytes.
    fn blob_read(&mut self, id: &str) -> Result<Vec<u8>, BlobError>;
    /// The model that the run chose, and what it takes.
    fn model(&mut self) -> (String, Capabilities);
    /// Returns the call's id at once; the answer comes as [`SessionEvent::Completion`].
    async fn submit(&mut self, request: ModelRequest) -> u64;
    /// The call's answer is no longer wanted.
    fn cancel(&mut self, call: u64);
}
